import { chmod, readlink, realpath, rename, unlink } from 'node:fs/promises';
import { decodeFileName, errnoOf, fileSystemPath } from '../paths/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';

/** Where a symbolic link leads, as it is written in the link. */
export async function readLink(path: string): Promise<FileResult<string>> {
  return attemptFile('read the link', path, async () =>
    decodeFileName(await readlink(fileSystemPath(path), { encoding: 'buffer' })),
  );
}

/** The absolute path of something that exists, every symbolic link on the way followed. */
export async function realPath(path: string): Promise<FileResult<string>> {
  return attemptFile('follow', path, async () =>
    decodeFileName(await realpath(fileSystemPath(path), { encoding: 'buffer' })),
  );
}

/** Gives a file or folder another name on the same disk; a file already there is replaced in one step. */
export async function renamePath(from: string, to: string): Promise<FileResult<undefined>> {
  return attemptFile('rename', from, () =>
    rename(fileSystemPath(from), fileSystemPath(to)).then(() => undefined),
  );
}

/** Removes a file or a link, not a folder. Returns whether there was one. */
export async function removeFile(path: string): Promise<FileResult<boolean>> {
  return attemptFile('remove', path, async () => {
    try {
      await unlink(fileSystemPath(path));
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  });
}

/** Sets the permission bits: `0o755`. Links are followed. */
export async function setMode(path: string, mode: number): Promise<FileResult<undefined>> {
  return attemptFile('set the mode of', path, () => chmod(fileSystemPath(path), mode).then(() => undefined));
}
