import { posix } from 'node:path';
import type { Footprint } from '../model/record.ts';

/** How the words of a command are read. */
export interface WordReading {
  /** Of the project: absolute, canonical. */
  readonly root: string;
  /** An absolute path without links. */
  readonly canonical: (path: string) => string;
}

export interface NamedQuestion {
  /** Relative to the project's root. */
  readonly path: string;
  /** Whether a folder was made, removed or given another mode: then a word may also name something below it. */
  readonly isFolder: boolean;
}

const WILDCARD = /[*?[{]/;

/**
 * Whether a word of the command may mean a path: it is the path, a folder above it, a link to one of these, or a pattern
 * that matches one of these.
 */
export function isNamedByWords(
  { words, cwd }: Pick<Footprint, 'words' | 'cwd'>,
  { path, isFolder }: NamedQuestion,
  { root, canonical }: WordReading,
): boolean {
  const meant = posix.join(root, path);
  const isMeant = (named: string): boolean =>
    isAtOrBelow(named, meant) || (isFolder && isAtOrBelow(meant, named));
  return words.some((word) => {
    if (word === '' || word.includes('\0')) return false;
    if (word === path) return true;
    const absolute = posix.resolve(cwd, word);
    if (isMeant(absolute) || isMeant(canonical(absolute))) return true;
    return WILDCARD.test(word) && isMatched(word, posix.relative(canonical(cwd), meant));
  });
}

function isMatched(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const isBelowCwd = pattern.startsWith('./') ? pattern.slice(2) : pattern;
  return parts.some((_, index) => posix.matchesGlob(parts.slice(0, index + 1).join('/'), isBelowCwd));
}

function isAtOrBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
