import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { decodeFileName, errnoOf, fileSystemPath } from '../paths/index.ts';

/** What lstat(2) says. `mode` includes the type of the file; see {@link rawKindOf}. */
export interface RawStat {
  /** In bytes. */
  readonly size: number;
  readonly mode: number;
  /** Milliseconds since 1970-01-01 UTC; a double, so exact to a quarter of a microsecond. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
  readonly nlink: number;
}

export type RawKind = 'file' | 'directory' | 'link' | 'special';

/** The type bits of `mode`; see inode(7). */
const TYPE_BITS = 0o170_000;

export function rawKindOf({ mode }: { readonly mode: number }): RawKind {
  switch (mode & TYPE_BITS) {
    case 0o100_000:
      return 'file';
    case 0o040_000:
      return 'directory';
    case 0o120_000:
      return 'link';
    default:
      return 'special';
  }
}

/** What has exactly this name, links not followed; undefined when nothing has, or a folder on the way is none. */
export function rawStat(path: string): RawStat | undefined {
  try {
    return lstatSync(fileSystemPath(path), { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const REPLACEMENT = '\u{FFFD}';

/** The names in a folder, in no particular order; see `decodeFileName`. */
export function rawNames(folder: string): string[] {
  const path = fileSystemPath(folder);
  const names = readdirSync(path);
  // A name that is not UTF-8 has come as one that names nothing: read again, as bytes.
  if (!names.some((name) => name.includes(REPLACEMENT))) return names;
  return readdirSync(path, { encoding: 'buffer' }).map((name) => decodeFileName(name));
}

/** A name in a folder, and what has it as far as the folder itself says that; undefined where it does not. */
export interface RawEntry {
  readonly name: string;
  readonly kind: RawKind | undefined;
}

/** As {@link rawNames}, with kinds: they cost less than a {@link rawStat} of each. */
export function rawEntries(folder: string): RawEntry[] {
  const path = fileSystemPath(folder);
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes(REPLACEMENT)))
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
      name: decodeFileName(entry.name),
      kind: kindOf(entry),
    }));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // Where folders do not know kinds, Node.js asks for each: an entry may have vanished, and not the folder.
    return rawNames(folder).map((name) => ({ name, kind: undefined }));
  }
}

function kindOf(entry: Dirent<string> | Dirent<Buffer>): RawKind | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'link';
  const isSpecial = entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
  return isSpecial ? 'special' : undefined;
}

/** A file as it was read: `stat` was taken from the open file before the first byte. */
export interface RawContent {
  readonly bytes: Buffer;
  readonly stat: RawStat;
}

/**
 * The content of a regular file; undefined when something else has the name (also a link to one), or it has more than
 * `maxBytes`. Never waits, as opening a pipe would.
 */
export function rawContent(path: string, maxBytes = Number.POSITIVE_INFINITY): RawContent | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(fileSystemPath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // ELOOP: a link. ENXIO: a socket, or a pipe.
    if (['ELOOP', 'ENXIO', 'EMLINK'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const bytes = readAll(descriptor, stat.size, maxBytes);
    return bytes === undefined ? undefined : { bytes, stat };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads to the end of the file, which may have grown or shrunk since its size was asked for. */
function readAll(descriptor: number, expected: number, maxBytes: number): Buffer | undefined {
  let buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > maxBytes) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

/** The text of a symbolic link, as bytes. */
export function rawLink(path: string): Buffer {
  return readlinkSync(fileSystemPath(path), { encoding: 'buffer' });
}

export interface CreateOptions {
  /** Permission bits, exactly: the umask does not count. */
  readonly mode: number;
  /** Whether the content is on the disk before it returns. */
  readonly sync?: boolean;
}

/** Makes a file that was not there. Throws `EEXIST` when something has the name, and leaves nothing half-written behind. */
export function createRawFile(
  path: string,
  chunks: Uint8Array | readonly Uint8Array[],
  { mode, sync = false }: CreateOptions,
): void {
  const target = fileSystemPath(path);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const descriptor = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode & 0o700);
  try {
    for (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) writeWhole(descriptor, chunk);
    fchmodSync(descriptor, mode);
    if (sync) fsyncSync(descriptor);
  } catch (error) {
    unlinkSync(target);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** write(2) may take less than it was given. Where the file stands, or from `position` on. */
export function writeWhole(descriptor: number, bytes: Uint8Array, position?: number): void {
  for (let written = 0; written < bytes.length; ) {
    const place = position === undefined ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, place);
  }
}

/** rename(2): replaces what has the name `to`. */
export function renameRaw(from: string, to: string): void {
  renameSync(fileSystemPath(from), fileSystemPath(to));
}

/** link(2): a second name. Throws `EEXIST` when something has it. */
export function linkRaw(from: string, to: string): void {
  linkSync(fileSystemPath(from), fileSystemPath(to));
}

/** Whether something was removed; nothing there is no error. Never a folder. */
export function unlinkRaw(path: string): boolean {
  return unlessMissing(() => {
    unlinkSync(fileSystemPath(path));
  });
}

/** Whether an empty folder was removed; false when it is not there, not empty or not a folder. */
export function removeRawFolder(path: string): boolean {
  try {
    rmdirSync(fileSystemPath(path));
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Makes one folder with exactly this mode. Throws `EEXIST` when something has the name. */
export function makeRawFolder(path: string, mode: number): void {
  const target = fileSystemPath(path);
  mkdirSync(target, { mode: mode & 0o700 });
  chmodSync(target, mode);
}

/** Makes a folder and those above it that are missing, all 0700; one that is there is no error. */
export function ensureRawFolder(path: string): void {
  mkdirSync(fileSystemPath(path), { recursive: true, mode: 0o700 });
}

export function symlinkRaw(target: Uint8Array, path: string): void {
  symlinkSync(Buffer.from(target), fileSystemPath(path));
}

/** Follows links: make sure that the name is none. */
export function chmodRaw(path: string, mode: number): void {
  chmodSync(fileSystemPath(path), mode);
}

/** Sets access and modification time to `ms`, milliseconds since 1970-01-01 UTC. Whether the file is there. Follows links. */
export function touchRaw(path: string, ms: number): boolean {
  return unlessMissing(() => {
    utimesSync(fileSystemPath(path), ms / 1000, ms / 1000);
  });
}

/** Puts the names of a folder on the disk. A file system that cannot does it by itself. */
export function syncRawFolder(path: string): void {
  const descriptor = openSync(fileSystemPath(path), constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  } finally {
    closeSync(descriptor);
  }
}

function unlessMissing(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
