import { isUtf8 } from 'node:buffer';
import { isFileError } from '../../../platform/paths/index.ts';
import { rawContent } from '../../../platform/raw-files/index.ts';

const MAX_BYTES = 65_536;

/** The text of a script; undefined when it is not there, is no text, a link, or has more than 64 KB. */
export function readScriptFile(path: string): string | undefined {
  try {
    const bytes = rawContent(path, MAX_BYTES)?.bytes;
    if (bytes === undefined || bytes.includes(0) || !isUtf8(bytes)) return undefined;
    return bytes.toString('utf8');
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
