import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { describeFileError, errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { rawContent } from '../../../platform/raw-files/index.ts';

export type JsonObjectRead =
  | { readonly type: 'object'; readonly value: JsonObject }
  | { readonly type: 'none' }
  | { readonly type: 'damaged'; readonly problem: string };

/** More than any file of the store's bookkeeping has. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The JSON object in a file. A byte-order mark is fine; whatever else is not a JSON object is damage. */
export function readJsonObject(path: string): JsonObjectRead {
  try {
    const content = rawContent(path, MAX_BYTES);
    if (content === undefined) return { type: 'damaged', problem: 'it is not a regular file of a sane size' };
    return parseJsonObject(content.bytes);
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return { type: 'none' };
    return { type: 'damaged', problem: describeFileError(error, path, 'read').message };
  }
}

/** The JSON object that these bytes are. */
export function parseJsonObject(bytes: Buffer): Exclude<JsonObjectRead, { type: 'none' }> {
  if (!isUtf8(bytes)) return { type: 'damaged', problem: 'it is not UTF-8' };
  const parsed = parseJson(bytes.toString('utf8'));
  if (!parsed.ok) return { type: 'damaged', problem: parsed.message };
  if (!isJsonObject(parsed.value)) return { type: 'damaged', problem: 'it is not a JSON object' };
  return { type: 'object', value: parsed.value };
}
