import type { Stats } from 'node:fs';
import { access, constants, type FileHandle, lstat, open, readlink, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import {
  decodeFileName,
  describeFileError,
  displayPath,
  errnoOf,
  type FileErrorCode,
  type FileFailure,
  fileSystemPath,
  isFileError,
} from '../paths/index.ts';
import { randomId } from '../random/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';
import { syncDirectory } from './sync-directory.ts';

export interface WriteOptions {
  /** Permission bits of a new file, subject to the umask; by default 0600. */
  readonly mode?: number;
  /** Whether content and name are on the disk before it resolves; by default true. */
  readonly fsync?: boolean;
  /** Keep permission bits, and where allowed the owner, of a file that is replaced. */
  readonly keepMode?: boolean;
  /** Where `path` is a symbolic link, write the file it leads to (also one that is not there yet) and keep the link. */
  readonly followLink?: boolean;
}

export interface WrittenFile {
  /** Where the content went: `path`, or what it leads to. */
  readonly path: string;
  /** Whether nothing was there before. */
  readonly isNew: boolean;
}

/** Content that is on the disk, under a temporary name beside its target. */
export interface StagedFile extends WrittenFile {
  /** Puts it in place. On failure the target is as it was and the temporary file is gone. */
  commit(): Promise<FileResult<WrittenFile>>;
  /** Removes the temporary file; does nothing after a commit. */
  discard(): Promise<void>;
}

/** The depth at which Linux gives up following links, see path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Replaces the content of a file in one step: whoever reads it sees the old content or the new, and so does the machine
 * after a crash. The content is written to a temporary file in the same folder, flushed, renamed into place, and the
 * folder is flushed.
 *
 * Only a regular file is replaced (never a device, a pipe or a folder), and none that this process may not write. Other
 * names (hard links) of the file keep the old content. On failure the old file is untouched and nothing is left behind.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<FileResult<WrittenFile>> {
  const staged = await stageFile(path, data, options);
  return staged.ok ? staged.value.commit() : staged;
}

/**
 * The first half of {@link writeFileAtomic}: everything that is likely to fail, before anything changes. With several files
 * that belong together, stage them all and then commit them all.
 */
export async function stageFile(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<FileResult<StagedFile>> {
  const { fsync = true } = options;
  const found = await attemptFile('write', path, () => findTarget(path, options.followLink === true));
  if (!found.ok) return found;
  const { target, existing } = found.value;
  const refused = await whyNotReplaceable(path, target, existing);
  if (refused !== undefined) return refused;
  const temporary = join(dirname(target), `.herma-${randomId()}.tmp`);
  try {
    await writeTemporary(temporary, data, { ...options, fsync, existing });
  } catch (error) {
    await rm(fileSystemPath(temporary), { force: true }).catch(onlyFileErrors);
    if (!isFileError(error)) throw error;
    if (errnoOf(error) === 'ENOENT')
      return refuse(path, 'not_found', 'its folder does not exist', 'create the folder first');
    return describeFileError(error, path, 'write');
  }
  const written: WrittenFile = { path: target, isNew: existing === undefined };
  return { ok: true, value: toStagedFile(path, temporary, written, fsync) };
}

function toStagedFile(path: string, temporary: string, written: WrittenFile, fsync: boolean): StagedFile {
  let isSettled = false;
  const discard = async (): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    await rm(fileSystemPath(temporary), { force: true }).catch(onlyFileErrors);
  };
  return {
    ...written,
    discard,
    commit: async () => {
      const renamed = await attemptFile('write', path, async () => {
        await rename(fileSystemPath(temporary), fileSystemPath(written.path));
        isSettled = true;
        if (fsync) await syncDirectory(dirname(written.path));
        return written;
      });
      await discard();
      return renamed;
    },
  };
}

interface Target {
  readonly target: string;
  /** What is there now; a link itself when links are not followed. */
  readonly existing: Stats | undefined;
}

async function findTarget(path: string, followLink: boolean): Promise<Target> {
  let target = path;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const existing = await lstatIfThere(target);
    if (existing === undefined || !existing.isSymbolicLink() || !followLink) return { target, existing };
    const link = decodeFileName(await readlink(fileSystemPath(target), { encoding: 'buffer' }));
    // Not normalised: `..` after a link is the parent of where the link leads, which only the system knows.
    target = isAbsolute(link) ? link : `${dirname(target)}/${link}`;
  }
  throw Object.assign(new Error(`too many links: ${path}`), { code: 'ELOOP' });
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(fileSystemPath(path));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function whyNotReplaceable(
  path: string,
  target: string,
  existing: Stats | undefined,
): Promise<FileFailure | undefined> {
  if (existing === undefined || existing.isSymbolicLink()) return undefined;
  if (existing.isDirectory()) return refuse(path, 'not_a_file', 'it is a folder, not a file', 'name a file');
  if (!existing.isFile()) {
    return refuse(
      path,
      'not_a_file',
      'it is a device, a pipe or a socket, not a file',
      'name a regular file',
    );
  }
  const writable = await attemptFile('write', path, () => access(fileSystemPath(target), constants.W_OK));
  return writable.ok ? undefined : writable;
}

interface TemporaryOptions extends WriteOptions {
  readonly existing: Stats | undefined;
}

async function writeTemporary(
  temporary: string,
  data: string | Uint8Array,
  options: TemporaryOptions,
): Promise<void> {
  const { existing, mode = 0o600, keepMode = false, fsync = true } = options;
  await using handle = await open(fileSystemPath(temporary), 'wx', mode);
  await handle.writeFile(data);
  if (keepMode && existing?.isFile() === true) await keepPermissions(handle, existing);
  if (fsync) await handle.sync();
}

async function keepPermissions(handle: FileHandle, existing: Stats): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== existing.uid || own.gid !== existing.gid) {
    // Only root may give a file away; for anybody else the writer becomes the owner, as with any editor that renames.
    await handle.chown(existing.uid, existing.gid).catch(onlyFileErrors);
  }
  await handle.chmod(existing.mode & 0o7777);
}

/** For steps whose failure does not matter to the outcome: anything but an error of the file system is still thrown. */
function onlyFileErrors(error: unknown): void {
  if (!isFileError(error)) throw error;
}

function refuse(path: string, code: FileErrorCode, reason: string, remedy: string): FileFailure {
  return { ok: false, code, message: `cannot write ${displayPath(path)}: ${reason}`, remedy, path };
}
