import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './describe-file-error.ts';
import { fileSystemPath } from './file-name-bytes.ts';

/**
 * Creates `path` (absolute) and what is missing above it. Returns the folders it created, the outermost first; none when
 * it was there. Several processes may create the same folders at once. Throws what `node:fs` throws.
 *
 * `mkdir` of Node with `recursive` never returns where the system answers ENOENT although the parent exists, as in
 * `/proc`.
 *
 * @param mode of the new folders, subject to the umask.
 */
export function createFolders(path: string, mode: number): readonly string[] {
  try {
    return createFolder(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (errnoOf(error) !== 'ENOENT' || parent === path) throw error;
    // A parent that is there now was made by somebody else meanwhile, or is in `/proc`, where it fails again.
    const parents = isFolder(parent) === true ? [] : createFolders(parent, mode);
    return [...parents, ...createFolder(path, mode)];
  }
}

function createFolder(path: string, mode: number): readonly string[] {
  try {
    mkdirSync(fileSystemPath(path), mode);
    return [path];
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    const isThere = isFolder(path);
    if (isThere === true) return [];
    if (isThere === false) throw Object.assign(new Error(`not a folder: ${path}`), { code: 'ENOTDIR' });
    throw error;
  }
}

/** Undefined when nothing is there, or a link that leads nowhere. */
function isFolder(path: string): boolean | undefined {
  return statSync(fileSystemPath(path), { throwIfNoEntry: false })?.isDirectory();
}
