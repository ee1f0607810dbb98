import { type GlobToken, tokeniseGlob } from './glob-tokens.ts';

/** Whether a path (relative, `/` between its parts) fits a glob as a whole. */
export type PathMatcher = (path: string) => boolean;

type Part = (text: string) => boolean;

/** Any number of path parts, none included. */
const ANY_PARTS = 'any parts';

/**
 * Compiles a glob. `*`, `?` and `[…]` stay within one part of the path; `**` between slashes stands for any number of
 * parts, at the end for at least one; `\` makes the next character plain. Names that begin with a dot are nothing
 * special. The same language as in a .gitignore file, except that `?` and `[…]` take a character and not a byte.
 *
 * Matching takes time in proportion to length of path times length of glob: no glob makes it explode.
 */
export function compileGlob(glob: string): PathMatcher {
  const parts = splitAtSlashes(tokeniseGlob(glob)).map(compilePart);
  const last = parts.at(-1);
  // "a/**" means what is below a, not a itself.
  if (last === ANY_PARTS && parts.length > 1) parts.push(() => true);
  return (path) => fitsParts(path.split('/'), parts);
}

function splitAtSlashes(tokens: readonly GlobToken[]): readonly (readonly GlobToken[])[] {
  const parts: GlobToken[][] = [[]];
  for (const token of tokens) {
    if (token.type === 'slash') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function compilePart(tokens: readonly GlobToken[]): Part | typeof ANY_PARTS {
  const isStarOnly = tokens.length > 0 && tokens.every(({ type }) => type === 'star');
  if (isStarOnly) return tokens.length > 1 ? ANY_PARTS : () => true;
  if (tokens.some(({ type }) => type === 'never')) return () => false;
  const plain = plainText(tokens);
  if (plain !== undefined) return (text) => text === plain;
  const [first, ...rest] = tokens;
  const ending = first?.type === 'star' ? plainText(rest) : undefined;
  if (ending !== undefined) return (text) => text.endsWith(ending);
  return (text) => fitsTokens(Array.from(text), tokens);
}

function plainText(tokens: readonly GlobToken[]): string | undefined {
  let text = '';
  for (const token of tokens) {
    if (token.type !== 'character') return undefined;
    text += token.character;
  }
  return text;
}

function fitsParts(path: readonly string[], parts: readonly (Part | typeof ANY_PARTS)[]): boolean {
  return fitsSequence(path, parts, {
    isRepeated: (part) => part === ANY_PARTS,
    fits: (text, part) => part === ANY_PARTS || part(text),
  });
}

function fitsTokens(characters: readonly string[], tokens: readonly GlobToken[]): boolean {
  return fitsSequence(characters, tokens, {
    isRepeated: ({ type }) => type === 'star',
    fits: (character, token) => {
      if (token.type === 'character') return token.character === character;
      return token.type === 'any' || (token.type === 'set' && token.fits(character));
    },
  });
}

/**
 * Whether the items fit the patterns one to one, where a repeated pattern takes any number of items. Going back to the
 * latest repeated pattern alone is enough: what an earlier one could take in addition, the latest can take as well.
 */
function fitsSequence<Item, Pattern>(
  items: readonly Item[],
  patterns: readonly Pattern[],
  rules: {
    readonly isRepeated: (pattern: Pattern) => boolean;
    readonly fits: (item: Item, pattern: Pattern) => boolean;
  },
): boolean {
  let item = 0;
  let next = 0;
  let repeatedAt = -1;
  let resumeAt = 0;
  while (item < items.length) {
    const pattern = patterns[next];
    const current = items[item];
    if (pattern !== undefined && rules.isRepeated(pattern)) {
      repeatedAt = next;
      resumeAt = item;
      next += 1;
    } else if (pattern !== undefined && current !== undefined && rules.fits(current, pattern)) {
      item += 1;
      next += 1;
    } else if (repeatedAt >= 0) {
      resumeAt += 1;
      item = resumeAt;
      next = repeatedAt + 1;
    } else {
      return false;
    }
  }
  return patterns.slice(next).every(rules.isRepeated);
}
