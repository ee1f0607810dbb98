import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createFolders, decodeFileName, fileSystemPath, InvalidPathError } from '../paths/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';
import { type FileKind, kindOf } from './file-stat.ts';

export interface DirectoryEntry {
  /** As `decodeFileName` writes it: every byte counts, nothing is trimmed. */
  readonly name: string;
  readonly kind: FileKind;
}

/** What is in a folder, sorted by name (UTF-16 code units); links are not followed. */
export async function listDirectory(path: string): Promise<FileResult<readonly DirectoryEntry[]>> {
  return attemptFile('list', path, async () => {
    const entries = await readdir(fileSystemPath(path), { withFileTypes: true, encoding: 'buffer' });
    return entries
      .map((entry) => ({ name: decodeFileName(entry.name), kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/**
 * Makes sure that a folder exists. Returns the folders it created, the outermost first; none when it was there.
 *
 * @param options.mode of new folders, subject to the umask; by default 0700.
 */
export async function makeDirectory(
  path: string,
  { mode = 0o700 }: { readonly mode?: number } = {},
): Promise<FileResult<readonly string[]>> {
  return attemptFile('create the folder', path, () => createFolders(path, mode));
}

/**
 * Removes a file, or a folder with everything in it; what is not there is no failure. Links are removed, never followed.
 * The root of the file system is refused.
 */
export async function removeTree(path: string): Promise<FileResult<undefined>> {
  return attemptFile('remove', path, async () => {
    const target = fileSystemPath(path);
    if (dirname(resolve(path)) === resolve(path))
      throw new InvalidPathError('it is the root of the file system');
    await rm(target, { recursive: true, force: true });
    return undefined;
  });
}

/** A folder of one's own that is gone when it is disposed of. */
export interface TemporaryDirectory extends AsyncDisposable {
  /** Absolute. */
  readonly path: string;
  /** Removes it with everything in it; does nothing the second time. */
  remove(): Promise<FileResult<undefined>>;
}

/** Creates an empty folder, mode 0700, where temporary files go. */
export async function temporaryDirectory(prefix = 'herma-'): Promise<FileResult<TemporaryDirectory>> {
  const parent = resolve(tmpdir());
  return attemptFile('create a temporary folder in', parent, async () => {
    const path = await mkdtemp(join(parent, prefix));
    const remove = (): Promise<FileResult<undefined>> => removeTree(path);
    return {
      path,
      remove,
      [Symbol.asyncDispose]: async () => {
        await remove();
      },
    };
  });
}
