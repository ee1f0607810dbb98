import { createHash } from 'node:crypto';
import { type Failure, fail } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { readFileRange, realPath, statPath } from '../../../platform/files/index.ts';
import { describeFileError, displayPath, isFileError } from '../../../platform/paths/index.ts';
import {
  hasReliableTimes,
  type RawStat,
  rawKindOf,
  rawStat,
  readSteady,
} from '../../../platform/raw-files/index.ts';

/** A file as it is now, before any byte of it was read. */
export interface SeenFile {
  /** Absolute, every link followed. */
  readonly path: string;
  readonly stat: RawStat;
  /** The same text as long as nobody wrote to the file, replaced it, or changed owner or mode. */
  readonly stamp: string;
}

/** A file whose content was read as it was at one moment. */
export interface InspectedFile extends SeenFile {
  /** In hex. */
  readonly sha256: string;
  /** The first bytes, at most 256. */
  readonly head: Buffer;
  readonly uid: number;
  /**
   * Whether its stamp tells of every later change: its times are to be relied upon, and were already old when the content was
   * read. (A file written twice within one tick of the clock has the same stamp with another content.)
   */
  readonly isSettled: boolean;
}

/** `unsteady`: somebody keeps writing to it. */
export type InspectErrorCode = 'missing' | 'not_a_file' | 'unreadable' | 'unsteady' | 'cancelled';
export type InspectFailure = Failure<InspectErrorCode>;
export type Inspected<Value> = { readonly ok: true; readonly value: Value } | InspectFailure;

const SETTLED_MS = 2000;
const SMALL_BYTES = 256 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 256;
const ATTEMPTS = 3;

/**
 * Reads files for their SHA-256, of any size, and remembers it for as long as the stamp of a settled file is the same. Never
 * waits for a pipe. One per process is enough; what is remembered is one entry per file.
 */
export class FileInspector {
  readonly #clock: Clock;
  readonly #known = new Map<string, InspectedFile>();
  readonly #scratch = Buffer.allocUnsafe(SMALL_BYTES + 1);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async look(path: string): Promise<Inspected<SeenFile>> {
    const real = await realPath(path);
    if (!real.ok) {
      const isMissing = real.code === 'not_found' || real.code === 'not_a_directory';
      return fail(isMissing ? 'missing' : 'unreadable', real.message, real.remedy);
    }
    return seeFile(real.value);
  }

  /** Whether that stamp, noted when the file was read, proves that it is still the same. */
  isSameAs(seen: SeenFile, stamp: string | undefined): boolean {
    return stamp !== undefined && stamp === seen.stamp && hasReliableTimes(seen.path);
  }

  /** Whether the times of a file were old enough at `nowMs` for its stamp to tell of every change since. */
  isOldEnough({ path, stat }: SeenFile, nowMs: number): boolean {
    return nowMs - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_MS && hasReliableTimes(path);
  }

  async inspect(path: string, signal?: AbortSignal): Promise<Inspected<InspectedFile>> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (signal?.aborted === true) return fail('cancelled', `reading ${displayPath(path)} was cancelled`);
      const seen = await this.look(path);
      if (!seen.ok) return seen;
      const known = this.#known.get(seen.value.path);
      if (known?.stamp === seen.value.stamp && known.isSettled) return { ok: true, value: known };
      const read = await this.#read(seen.value, signal);
      if (!read.ok && read.code === 'unsteady') continue;
      if (read.ok) this.#known.set(read.value.path, read.value);
      return read;
    }
    return unsteady(path);
  }

  async #read(seen: SeenFile, signal: AbortSignal | undefined): Promise<Inspected<InspectedFile>> {
    const { path, stat, stamp } = seen;
    const startedMs = this.#clock.now();
    const owner = await statPath(path, { followLinks: false });
    if (!owner.ok) return fail('unreadable', owner.message, owner.remedy);
    const content = stat.size <= SMALL_BYTES ? readSmall(seen, this.#scratch) : await readLarge(seen, signal);
    if (!content.ok) return content;
    const after = seeFile(path);
    if (!after.ok || after.value.stamp !== stamp || owner.value?.inode !== stat.ino) return unsteady(path);
    const isSettled = this.isOldEnough(seen, startedMs);
    return { ok: true, value: { ...seen, ...content.value, uid: owner.value.uid, isSettled } };
  }
}

interface Content {
  readonly sha256: string;
  readonly head: Buffer;
}

function seeFile(path: string): Inspected<SeenFile> {
  return attempt(path, () => {
    const stat = rawStat(path);
    if (stat === undefined) return fail('missing', `there is no ${displayPath(path)}`);
    if (rawKindOf(stat) !== 'file') return notAFile(path);
    const { dev, ino, size, mtimeMs, ctimeMs } = stat;
    return { ok: true, value: { path, stat, stamp: [dev, ino, size, mtimeMs, ctimeMs].join(':') } };
  });
}

function readSmall({ path, stamp }: SeenFile, scratch: Buffer): Inspected<Content> {
  return attempt(path, () => {
    const read = readSteady(path, SMALL_BYTES, scratch);
    if (read.type === 'not_a_file') return notAFile(path);
    if (read.type !== 'content') return unsteady(path);
    const { dev, ino, size, mtimeMs, ctimeMs } = read.stat;
    if ([dev, ino, size, mtimeMs, ctimeMs].join(':') !== stamp) return unsteady(path);
    const sha256 = createHash('sha256').update(read.bytes).digest('hex');
    return { ok: true, value: { sha256, head: Buffer.from(read.bytes.subarray(0, HEAD_BYTES)) } };
  });
}

/** Piece by piece, each of which is from the file that was seen, for `seeFile` afterwards to tell that it is still the same. */
async function readLarge(
  { path, stat }: SeenFile,
  signal: AbortSignal | undefined,
): Promise<Inspected<Content>> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  for (let start = 0; ; ) {
    const read = await readFileRange(path, {
      start,
      length: CHUNK_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!read.ok) {
      const { code } = read;
      return fail(
        code === 'not_a_file' || code === 'cancelled' ? code : 'unreadable',
        read.message,
        read.remedy,
      );
    }
    const { bytes, stat: now } = read.value;
    const isSame = now.inode === stat.ino && now.device === stat.dev && now.size === stat.size;
    if (!isSame || now.mtimeMs !== stat.mtimeMs) return unsteady(path);
    if (start === 0) head = Buffer.from(bytes.subarray(0, HEAD_BYTES));
    hash.update(bytes);
    start += bytes.length;
    if (start > stat.size) return unsteady(path);
    if (bytes.length === 0)
      return start === stat.size ? { ok: true, value: { sha256: hash.digest('hex'), head } } : unsteady(path);
  }
}

function attempt<Value>(path: string, work: () => Inspected<Value>): Inspected<Value> {
  try {
    return work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    const failure = describeFileError(error, path, 'read');
    const code = failure.code === 'not_found' ? 'missing' : 'unreadable';
    return fail(code, failure.message, failure.remedy);
  }
}

function notAFile(path: string): InspectFailure {
  return fail('not_a_file', `${displayPath(path)} is not a regular file`, 'name a regular file');
}

function unsteady(path: string): InspectFailure {
  return fail('unsteady', `${displayPath(path)} was written to while it was read`, 'try again');
}
