import { compileGlob, type PathMatcher } from './compile-glob.ts';

/** One line of a .gitignore file. */
interface IgnoreRule {
  readonly fits: PathMatcher;
  readonly isNegated: boolean;
  readonly isForFoldersOnly: boolean;
  /** Whether it is about the whole path below its file's folder, not about the name alone. */
  readonly isAnchored: boolean;
}

/** What the rules of one file say of an entry; undefined when none of them is about it. */
export type IgnoreAnswer = 'ignored' | 'included' | undefined;

/** The rules of one .gitignore file, about paths relative to the folder it lies in. */
export type IgnoreRules = (path: string, isFolder: boolean) => IgnoreAnswer;

/**
 * Reads a .gitignore file by gitignore(5); in one file the last rule about a path wins.
 *
 * The rules say what they mean for the path itself, never for what lies below it: whoever walks a tree does not enter
 * an ignored folder, and so need not ask about its contents.
 */
export function parseIgnoreFile(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap(parseRule)
    .reverse();
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = rules.find(
      ({ fits, isAnchored, isForFoldersOnly }) =>
        (isFolder || !isForFoldersOnly) && fits(isAnchored ? path : name),
    );
    if (rule === undefined) return undefined;
    return rule.isNegated ? 'included' : 'ignored';
  };
}

function parseRule(line: string): readonly IgnoreRule[] {
  const text = withoutTrailingSpaces(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (text === '' || text.startsWith('#')) return [];
  const isNegated = text.startsWith('!');
  const positive = isNegated ? text.slice(1) : text;
  const isForFoldersOnly = positive.endsWith('/');
  const glob = isForFoldersOnly ? positive.slice(0, -1) : positive;
  if (glob === '') return [];
  const fits = compileGlob(glob.startsWith('/') ? glob.slice(1) : glob);
  return [{ fits, isNegated, isForFoldersOnly, isAnchored: glob.includes('/') }];
}

/** A space at the end counts only after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return end < line.length && backslashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end);
}
