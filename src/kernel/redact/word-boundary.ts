/**
 * Matches where a word starts: after anything but a letter or digit, and after escapes that end in one, as text does that was
 * put into JSON (`\n`, `\u0026`), into a URL (`%26`) or on a terminal (a colour, which ends in `m`).
 */
export const WORD_START =
  '(?:(?<![A-Za-z0-9])|(?<=\\\\(?:[nrtbf]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2}|\\[[0-9;]{0,16}m))';

const ESCAPE = /^(?:[nrtbf]|u[0-9A-Fa-f]{4})/;
const PERCENT = /^[0-9A-Fa-f]{2}/;
const COLOUR = /^[0-9]{0,3}m/;

/**
 * How many of the letters and digits at `start` belong to an escape that starts before it: 1 for the `n` in `\ntoken=abc`.
 * None when all of them may be a word as well, as in `\token`.
 */
export function escapeChars(text: string, start: number): number {
  const run = text.slice(start, start + 5);
  switch (text[start - 1]) {
    case '\\':
      return ESCAPE.exec(run)?.[0].length ?? 0;
    case '%':
      return PERCENT.exec(run)?.[0].length ?? 0;
    case '[':
    case ';':
      return COLOUR.exec(run)?.[0].length ?? 0;
    default:
      return 0;
  }
}
