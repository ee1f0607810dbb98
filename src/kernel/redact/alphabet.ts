/** A set of ASCII characters, indexed by character code. */
export type Alphabet = Uint8Array;

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters, digits and the given characters. */
export function alphanumericAnd(extra: string): Alphabet {
  const set = new Uint8Array(128);
  for (const character of LETTERS_AND_DIGITS + extra) set[character.charCodeAt(0)] = 1;
  return set;
}

/** The end of the run of `alphabet` that starts at `from`; `from` itself when there is none. */
export function runEnd(text: string, from: number, alphabet: Alphabet): number {
  let end = from;
  while (alphabet[text.charCodeAt(end)] === 1) end += 1;
  return end;
}

/** The start of the run of `alphabet` that ends before `end`, looking back over at most `most` characters. */
export function runStart(text: string, end: number, alphabet: Alphabet, most: number): number {
  const floor = Math.max(0, end - most);
  let start = end;
  while (start > floor && alphabet[text.charCodeAt(start - 1)] === 1) start -= 1;
  return start;
}
