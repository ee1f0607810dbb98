import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './describe-file-error.ts';
import { fileSystemPath } from './file-name-bytes.ts';

/**
 * Creates `path` (absolute) and what is missing above it. Returns the folders it created, the outermost first; none when
 * it was there. Throws what `node:fs` throws.
 *
 * `mkdir` of Node with `recursive` never returns where the system answers ENOENT although the parent exists, as in
 * `/proc`.
 *
 * @param mode of the new folders, subject to the umask.
 */
export function createFolders(path: string, mode: number): readonly string[] {
  try {
    mkdirSync(fileSystemPath(path), mode);
    return [path];
  } catch (error) {
    const parent = dirname(path);
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && isFolder(path) === true) return [];
    if (errno === 'EEXIST' && isFolder(path) === false) {
      throw Object.assign(new Error(`not a folder: ${path}`), { code: 'ENOTDIR' });
    }
    if (errno !== 'ENOENT' || parent === path || isFolder(parent) === true) throw error;
    const parents = createFolders(parent, mode);
    return [...parents, ...createFolders(path, mode)];
  }
}

/** Undefined when nothing is there, or a link that leads nowhere. */
function isFolder(path: string): boolean | undefined {
  return statSync(fileSystemPath(path), { throwIfNoEntry: false })?.isDirectory();
}
