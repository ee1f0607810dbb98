import { closeSync, constants, fstatSync, openSync, readSync, statfsSync } from 'node:fs';
import { errnoOf, fileSystemPath } from '../paths/index.ts';
import type { RawStat } from './raw-files.ts';

/** What {@link readSteady} found. */
export type SteadyRead =
  /** `bytes` may lie in the scratch buffer, and is valid until that is used again. `stat` is of the open file. */
  | { readonly type: 'content'; readonly bytes: Buffer; readonly stat: RawStat }
  /** Somebody wrote to it in the meantime. */
  | { readonly type: 'changed' }
  | { readonly type: 'too_large'; readonly stat: RawStat }
  /** Something else than a regular file has the name; a link to one too. */
  | { readonly type: 'not_a_file' };

const NOT_A_FILE: readonly (string | undefined)[] = ['ELOOP', 'ENXIO', 'EMLINK', 'ENOTDIR'];

/**
 * Reads a regular file of at most `maxBytes` bytes as it was at one moment: its times and its size are the same before and
 * after. Never waits, as opening a pipe would. Throws what open(2) and read(2) do, such as `ENOENT` and `EACCES`.
 *
 * @param scratch used where the file fits, so that many small files cost no memory.
 */
export function readSteady(path: string, maxBytes: number, scratch: Buffer): SteadyRead {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(fileSystemPath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (NOT_A_FILE.includes(errnoOf(error))) return { type: 'not_a_file' };
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { type: 'not_a_file' };
    if (stat.size > maxBytes) return { type: 'too_large', stat };
    const buffer = stat.size < scratch.length ? scratch : Buffer.allocUnsafeSlow(stat.size + 1);
    const length = fill(descriptor, buffer, stat.size);
    const after = fstatSync(descriptor);
    const isSteady =
      length === stat.size &&
      after.size === stat.size &&
      after.mtimeMs === stat.mtimeMs &&
      after.ctimeMs === stat.ctimeMs;
    return isSteady ? { type: 'content', bytes: buffer.subarray(0, length), stat } : { type: 'changed' };
  } finally {
    closeSync(descriptor);
  }
}

/** How many bytes there were. The buffer has room for more than `size`: with exactly as many, no more can be read. */
function fill(descriptor: number, buffer: Buffer, size: number): number {
  let length = 0;
  do {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
  } while (length < buffer.length && length !== size);
  return length;
}

/**
 * File systems of Linux (statfs(2)) that take their times from the clock of this machine and change the times of a folder
 * whenever a name in it comes, goes or changes: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS.
 */
const LOCAL_TYPES = new Set([
  0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1,
]);

/** Whether the times of files and folders at `path` can be relied upon; false where it is not known. */
export function hasReliableTimes(path: string): boolean {
  try {
    return LOCAL_TYPES.has(statfsSync(fileSystemPath(path)).type);
  } catch (error) {
    // In doubt nothing is relied upon.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
