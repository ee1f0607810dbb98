const ESCAPE_BEFORE = /(?:\\(?:[nrtbf]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}|\[[0-9;]{0,16}m)$/;
const LETTER_OR_DIGIT = /[A-Za-z0-9]/;

/**
 * Whether a word can start at `index`: after anything but a letter or digit, and after escapes that end in one, as text has
 * that was put into JSON (`\n`, `\u0026`), into a URL (`%26`) or on a terminal (a colour, which ends in `m`).
 */
export function isWordStart(text: string, index: number): boolean {
  const before = text[index - 1];
  if (before === undefined || !LETTER_OR_DIGIT.test(before)) return true;
  return ESCAPE_BEFORE.test(text.slice(Math.max(0, index - 20), index));
}

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
