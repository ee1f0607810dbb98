import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeFileName, fileSystemPath } from './file-name-bytes.ts';

/** Files and folders that only the root of a project has. */
const MARKERS = ['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile'];

/**
 * The canonical path of the project that `folder` (absolute) belongs to: the nearest folder at or above it that has a
 * marker of a project, else `folder` itself. A folder that does not exist is its own project, as it is written.
 */
export function projectRoot(folder: string): string {
  const start = canonical(folder);
  return markedFolder(start) ?? start;
}

/** Whether a folder (absolute), or one above it, has a marker of a project. */
export function isInProject(folder: string): boolean {
  return markedFolder(canonical(folder)) !== undefined;
}

function markedFolder(start: string): string | undefined {
  for (let candidate = start; ; candidate = dirname(candidate)) {
    if (MARKERS.some((marker) => existsSync(fileSystemPath(join(candidate, marker))))) return candidate;
    if (dirname(candidate) === candidate) return undefined;
  }
}

function canonical(folder: string): string {
  try {
    return decodeFileName(realpathSync.native(fileSystemPath(folder), { encoding: 'buffer' }));
  } catch {
    // A folder that is gone has no other name than the one it is known by.
    return folder;
  }
}
