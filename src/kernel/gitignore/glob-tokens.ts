/** One unit of a glob. `never` stands for a part that no text fits, such as a bracket without its end. */
export type GlobToken =
  | { readonly type: 'character'; readonly character: string }
  | { readonly type: 'any' }
  | { readonly type: 'star' }
  | { readonly type: 'slash' }
  | { readonly type: 'set'; readonly fits: (character: string) => boolean }
  | { readonly type: 'never' };

interface Bracket {
  readonly token: GlobToken;
  readonly end: number;
}

interface Member {
  readonly fits: (code: number) => boolean;
  readonly end: number;
}

/** The named sets of a bracket, in ASCII as git has them (wildmatch.c), whatever the locale. */
const NAMED_SETS: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /\p{Cc}/u],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);

/** Splits a glob into tokens, by the rules of fnmatch(3) as git reads them: `*`, `?`, `[…]`, `\` before a character. */
export function tokeniseGlob(glob: string): readonly GlobToken[] {
  const characters = Array.from(glob);
  const tokens: GlobToken[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (character === '[') {
      const { token, end } = readBracket(characters, index + 1);
      tokens.push(token);
      index = end;
    } else if (character === '\\') {
      index += 1;
      tokens.push(plainToken(characters[index]));
    } else {
      tokens.push(tokenOf(character));
    }
  }
  return tokens;
}

function tokenOf(character: string): GlobToken {
  if (character === '*') return { type: 'star' };
  return character === '?' ? { type: 'any' } : plainToken(character);
}

function plainToken(character: string | undefined): GlobToken {
  if (character === undefined) return { type: 'never' };
  return character === '/' ? { type: 'slash' } : { type: 'character', character };
}

function readBracket(characters: readonly string[], start: number): Bracket {
  const isNegated = characters[start] === '!' || characters[start] === '^';
  const members: Member['fits'][] = [];
  let index = isNegated ? start + 1 : start;
  do {
    const member = readMember(characters, index);
    if (member === undefined) return { token: { type: 'never' }, end: characters.length };
    members.push(member.fits);
    index = member.end;
  } while (characters[index] !== ']');
  const fits = (character: string): boolean =>
    members.some((member) => member(character.codePointAt(0) ?? 0)) !== isNegated;
  return { token: { type: 'set', fits }, end: index };
}

/** The first member may be `]`; undefined when the glob ends before its bracket does. */
function readMember(characters: readonly string[], start: number): Member | undefined {
  if (characters[start] === '[' && characters[start + 1] === ':') {
    const named = readNamedSet(characters, start);
    if (named !== undefined) return named;
  }
  const from = readLiteral(characters, start);
  if (from === undefined) return undefined;
  if (characters[from.end] !== '-' || characters[from.end + 1] === ']') return single(from.code, from.end);
  const to = readLiteral(characters, from.end + 1);
  if (to === undefined) return undefined;
  return { fits: (code) => code === from.code || (code >= from.code && code <= to.code), end: to.end };
}

function readNamedSet(characters: readonly string[], start: number): Member | undefined {
  const close = characters.indexOf(']', start + 2);
  if (close < 0 || characters[close - 1] !== ':' || close - 1 < start + 2) return undefined;
  const set = NAMED_SETS.get(characters.slice(start + 2, close - 1).join(''));
  return set === undefined
    ? undefined
    : { fits: (code) => set.test(String.fromCodePoint(code)), end: close + 1 };
}

function single(expected: number, end: number): Member {
  return { fits: (code) => code === expected, end };
}

function readLiteral(
  characters: readonly string[],
  start: number,
): { code: number; end: number } | undefined {
  const index = characters[start] === '\\' ? start + 1 : start;
  const code = characters[index]?.codePointAt(0);
  return code === undefined ? undefined : { code, end: index + 1 };
}
