import { isUtf8 } from 'node:buffer';
import type { Failure } from '../../kernel/errors/index.ts';
import { type JsonValue, parseJson } from '../../kernel/json/index.ts';
import { displayPath } from '../paths/index.ts';
import { type ReadErrorCode, type ReadFailure, type ReadOptions, readFileBytes } from './read-file.ts';

/** A file that is there and is not JSON. */
export interface CorruptFile extends Failure<'corrupt'> {
  readonly path: string;
  readonly remedy: string;
}

export type JsonFileErrorCode = ReadErrorCode | 'corrupt';

export type JsonFileResult = { readonly ok: true; readonly value: JsonValue } | ReadFailure | CorruptFile;

/** The value in a JSON file. Fails like {@link readFileBytes}, and with `corrupt` when the content is not JSON in UTF-8. */
export async function readJsonFile(path: string, options: ReadOptions = {}): Promise<JsonFileResult> {
  const read = await readFileBytes(path, options);
  if (!read.ok) return read;
  const { bytes } = read.value;
  if (!isUtf8(bytes)) return corrupt(path, 'it is not UTF-8');
  const parsed = parseJson(bytes.toString('utf8'));
  return parsed.ok ? { ok: true, value: parsed.value } : corrupt(path, parsed.message);
}

function corrupt(path: string, reason: string): CorruptFile {
  const message = `${displayPath(path)} is not valid JSON: ${reason}`;
  return { ok: false, code: 'corrupt', message, remedy: 'mend the file, or move it away', path };
}
