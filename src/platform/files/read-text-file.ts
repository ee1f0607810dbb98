import { isUtf8 } from 'node:buffer';
import { displayPath } from '../paths/index.ts';
import type { FileStat } from './file-stat.ts';
import { type ReadOptions, type ReadResult, readFileBytes } from './read-file.ts';

export interface FileText {
  /** All of it: a byte-order mark and the ends of the lines are as in the file. */
  readonly text: string;
  /**
   * False when the file is not UTF-8: the text then has U+FFFD for what could not be read, and writing it back would
   * damage the file.
   */
  readonly isUtf8: boolean;
  readonly stat: FileStat;
}

/** How far into a file a NUL makes it a binary one; as in Git. */
const BINARY_WINDOW_BYTES = 8192;

/** Whether content is binary by the look of it: a NUL among its first 8 KB. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_WINDOW_BYTES).includes(0);
}

/** The text of a regular file, read as UTF-8. Fails like {@link readFileBytes}, and with `binary` when it looks binary. */
export async function readTextFile(path: string, options: ReadOptions = {}): Promise<ReadResult<FileText>> {
  const read = await readFileBytes(path, options);
  if (!read.ok) return read;
  const { bytes, stat } = read.value;
  if (looksBinary(bytes)) {
    const message = `cannot read ${displayPath(path)}: it is binary, not text (${bytes.length} bytes)`;
    return { ok: false, code: 'binary', message, remedy: 'use a program that knows its format', path };
  }
  return { ok: true, value: { text: bytes.toString('utf8'), isUtf8: isUtf8(bytes), stat } };
}
