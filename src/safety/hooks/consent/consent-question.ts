import { createHash } from 'node:crypto';
import { looksBinary, readFileRange } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import type { BoundContent } from './bind-content.ts';
import type { ConsentSubject } from './consent-subject.ts';
import type { ConsentQuestion } from './first-use.ts';

const SHOWN_BYTES = 64 * 1024;
/** Characters that steer a terminal, hide, or turn the direction of text; tab and line breaks are fine. */
const DISGUISES = /[\p{Cf}\p{Zl}\p{Zp}]|(?![\t\n\r])\p{Cc}/u;

/**
 * The question about exactly what was bound; undefined when the script was changed since. Of a script of more than 64 KiB
 * the beginning is shown, and said so.
 */
export async function consentQuestion(
  { event, command }: ConsentSubject,
  { script, content, isProgramOnly }: BoundContent,
  signal?: AbortSignal,
): Promise<ConsentQuestion | undefined> {
  const always = 'It runs with your rights, and reads what the event tells.';
  const asked = { event, command: command.trim() };
  if (isProgramOnly) {
    const warning = `No script is bound, only ${displayPath(script.path)}: what it is told to fetch or run is not checked.`;
    return { ...asked, warnings: [always, warning] };
  }
  const read = await readFileRange(script.path, {
    start: 0,
    length: SHOWN_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  if (!read.ok) return undefined;
  const { bytes } = read.value;
  const isWhole = script.stat.size <= SHOWN_BYTES;
  if (isWhole && createHash('sha256').update(bytes).digest('hex') !== content.sha256) return undefined;
  const isBinary = looksBinary(bytes);
  const text = bytes.toString('utf8');
  const warnings = [
    always,
    ...(isBinary ? ['The script is a binary program: it cannot be shown.'] : []),
    ...(isWhole || isBinary
      ? []
      : [`Only the first ${String(SHOWN_BYTES / 1024)} KiB of ${String(script.stat.size)} bytes are shown.`]),
    ...(!isBinary && DISGUISES.test(text)
      ? ['The script holds characters that are invisible or steer a terminal.']
      : []),
    ...((script.stat.mode & 0o022) === 0 ? [] : ['Others than you may write to the script.']),
  ];
  return { ...asked, scriptPath: script.path, ...(isBinary ? {} : { scriptText: text }), warnings };
}
