/**
 * Matches where a word starts: after anything but a letter or digit, and after escapes that end in one, as text does that was
 * put into JSON (`\n`, `\u0026`), into a URL (`%26`) or on a terminal (a colour, which ends in `m`).
 */
export const WORD_START =
  '(?:(?<![A-Za-z0-9])|(?<=\\\\(?:[nrtbf]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}|\\[[0-9;]{0,16}m))';

const ENDS_ESCAPE: ReadonlyMap<string, RegExp> = new Map([
  ['\\', /^(?:[nrtbf]|u[0-9A-Fa-f]{4})/],
  ['%', /^[0-9A-Fa-f]{2}/],
  ['[', /^[0-9]{0,3}m/],
  [';', /^[0-9]{0,3}m/],
]);

/**
 * How many of the letters and digits at `start` may belong to an escape that starts before it: 1 for the `n` in
 * `\ntoken=abc`, and also for the `t` in `\token`.
 */
export function escapeChars(text: string, start: number): number {
  const ending = ENDS_ESCAPE.get(text[start - 1] ?? '');
  return ending?.exec(text.slice(start, start + 5))?.[0].length ?? 0;
}
