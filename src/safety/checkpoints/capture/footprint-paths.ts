import { dirname } from 'node:path';
import { InvalidPathError } from '../../../platform/paths/index.ts';
import type { Footprint } from '../model/record.ts';
import { kindAt, type NamedPath, namedPaths } from './named-paths.ts';

/** What is there is no file that anybody could bring back. */
const SYSTEM_FOLDERS = ['/dev/', '/proc/', '/sys/'];

/** So many words of a command are looked at. */
const MAX_WORDS = 1000;

/**
 * The paths that the words of a command may name: of files and links that are there, and of names that are free in a
 * folder that is there, with what links lead to. A word that no file can have as its name is none.
 */
export function footprintPaths(
  { words, cwd }: Footprint,
  rootOf: (folder: string) => string,
): readonly NamedPath[] {
  return [...new Set(words.slice(0, MAX_WORDS))].flatMap((word) => {
    if (word === '' || word.endsWith('/')) return [];
    try {
      const path = word.startsWith('/') ? word : `${cwd}/${word}`;
      return mayBeWritten(path) ? namedPaths(path, rootOf) : [];
    } catch (error) {
      if (!(error instanceof InvalidPathError)) throw error;
      return [];
    }
  });
}

function mayBeWritten(path: string): boolean {
  if (SYSTEM_FOLDERS.some((folder) => path.startsWith(folder))) return false;
  const kind = kindAt(path);
  if (kind === 'file' || kind === 'link') return true;
  if (kind !== 'absent') return false;
  const folder = kindAt(dirname(path));
  return folder === 'directory' || folder === 'link';
}
