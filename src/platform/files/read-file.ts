import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Failure } from '../../kernel/errors/index.ts';
import { describeFileError, displayPath, fileSystemPath, isFileError } from '../paths/index.ts';
import { type FileStat, toFileStat } from './file-stat.ts';

/** `unreadable` is everything that is not said by another code: no permission, a disk error. */
export type ReadErrorCode =
  | 'not_found'
  | 'not_a_file'
  | 'too_large'
  | 'binary'
  | 'unreadable'
  | 'invalid_path'
  | 'cancelled';

/** A file that was not read. */
export interface ReadFailure extends Failure<ReadErrorCode> {
  readonly path: string;
  readonly remedy: string;
  /** The name the system gave to the error, such as `EACCES`. */
  readonly errno?: string;
}

export type ReadResult<Value> = { readonly ok: true; readonly value: Value } | ReadFailure;

export interface ReadOptions {
  /** A longer file is refused as `too_large`. By default 64 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface FileBytes {
  readonly bytes: Buffer;
  readonly stat: FileStat;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The whole content of a regular file, symbolic links followed. Never waits for a pipe and never opens a device; a file that
 * lies about its size, as those in `/proc` do, is read to its end all the same.
 */
export async function readFileBytes(path: string, options: ReadOptions = {}): Promise<ReadResult<FileBytes>> {
  const { maxBytes = DEFAULT_MAX_BYTES, signal } = options;
  return withOpenFile(path, async (handle, stats) => {
    if (stats.size > maxBytes) return tooLarge(path, `${stats.size} bytes`, maxBytes);
    const bytes = await readRange(handle, { start: 0, length: maxBytes + 1, expected: stats.size, signal });
    if (bytes === undefined) return cancelled(path);
    if (bytes.length > maxBytes) return tooLarge(path, 'endless or growing', maxBytes);
    return { ok: true, value: { bytes, stat: toFileStat(stats) } };
  });
}

/** At most `length` bytes of a regular file of any size, from byte `start`; fewer, or none, where the file ends. */
export async function readFileRange(
  path: string,
  {
    start,
    length,
    signal,
  }: { readonly start: number; readonly length: number; readonly signal?: AbortSignal },
): Promise<ReadResult<FileBytes>> {
  return withOpenFile(path, async (handle, stats) => {
    const expected = Math.max(0, stats.size - start);
    const bytes = await readRange(handle, { start, length, expected, signal });
    return bytes === undefined ? cancelled(path) : { ok: true, value: { bytes, stat: toFileStat(stats) } };
  });
}

/** A {@link ReadFailure} in the words of the one place that knows them. */
function toReadFailure(error: unknown, path: string): ReadFailure {
  const failure = describeFileError(error, path, 'read');
  return { ...failure, code: readCodeOf(failure.code) };
}

async function withOpenFile<Value>(
  path: string,
  read: (handle: FileHandle, stats: Stats) => Promise<ReadResult<Value>>,
): Promise<ReadResult<Value>> {
  try {
    const target = fileSystemPath(path);
    const before = await stat(target);
    if (!before.isFile()) return notAFile(path, before);
    await using handle = await open(target, OPEN_FLAGS);
    const stats = await handle.stat();
    return stats.isFile() ? await read(handle, stats) : notAFile(path, stats);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return toReadFailure(error, path);
  }
}

interface Range {
  readonly start: number;
  readonly length: number;
  /** How many bytes there are by the size of the file. */
  readonly expected: number;
  readonly signal: AbortSignal | undefined;
}

/** Undefined when aborted. */
async function readRange(
  handle: FileHandle,
  { start, length, expected, signal }: Range,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < length) {
    if (signal?.aborted === true) return undefined;
    const wanted = Math.min(length - total, CHUNK_BYTES, Math.max(expected + 1 - total, 4096));
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, start + total);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function readCodeOf(code: ReturnType<typeof describeFileError>['code']): ReadErrorCode {
  if (code === 'not_found' || code === 'not_a_directory') return 'not_found';
  return code === 'not_a_file' || code === 'invalid_path' ? code : 'unreadable';
}

function notAFile(path: string, stats: Stats): ReadFailure {
  const what = stats.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
  return refuse(path, 'not_a_file', `it is ${what}, not a file`, 'name a regular file');
}

function tooLarge(path: string, size: string, maxBytes: number): ReadFailure {
  return refuse(
    path,
    'too_large',
    `it is too large (${size}; the limit is ${maxBytes} bytes)`,
    'read a part of it',
  );
}

function cancelled(path: string): ReadFailure {
  return refuse(path, 'cancelled', 'it was cancelled', 'try again');
}

function refuse(path: string, code: ReadErrorCode, reason: string, remedy: string): ReadFailure {
  return { ok: false, code, message: `cannot read ${displayPath(path)}: ${reason}`, remedy, path };
}
