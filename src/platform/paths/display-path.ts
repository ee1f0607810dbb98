const DEFAULT_MAX_LENGTH = 1000;

/** Control characters, line and paragraph separators, invisible and direction-changing characters, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\\]/gu;

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

/**
 * The path as it can be shown to a person on one line, and told apart from any other: whatever is invisible, ends the
 * line, steers a terminal or is not UTF-8 is escaped (`\n`, `\x1b`, `\u202e`, `\xff`), and so is the backslash. Spaces
 * stay. A text longer than `maxLength` characters loses its middle.
 */
export function displayPath(
  path: string,
  { maxLength = DEFAULT_MAX_LENGTH }: { readonly maxLength?: number } = {},
): string {
  return shorten(path, maxLength).replace(UNSAFE, escapeCharacter);
}

function shorten(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path;
  const half = Math.max(1, Math.floor((maxLength - 1) / 2));
  return `${path.slice(0, half)}…${path.slice(-half)}`;
}

function escapeCharacter(character: string): string {
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (code <= 0xff) return code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
