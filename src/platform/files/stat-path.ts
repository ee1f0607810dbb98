import { lstat, stat } from 'node:fs/promises';
import { errnoOf, fileSystemPath } from '../paths/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';
import { type FileStat, toFileStat } from './file-stat.ts';

/**
 * What is at `path`; undefined when it is certain that nothing is. Where that cannot be found out (a folder that may not
 * be entered, say) it fails, so that nobody takes a hidden file for a missing one.
 *
 * @param options.followLinks false: a symbolic link is itself the answer.
 */
export async function statPath(
  path: string,
  { followLinks = true }: { readonly followLinks?: boolean } = {},
): Promise<FileResult<FileStat | undefined>> {
  return attemptFile('look at', path, async () => {
    try {
      const target = fileSystemPath(path);
      return toFileStat(await (followLinks ? stat(target) : lstat(target)));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
      throw error;
    }
  });
}
