import { fail, messageOf, type Result } from '../../../kernel/errors/index.ts';

const MAX_PATTERN_LENGTH = 2000;

/** Flags a pattern may set for itself as a whole, as in Perl, Python and grep: `(?i)…`. */
const LEADING_FLAGS = /^\(\?([ims]+)\)/;

/**
 * The regular expression of a search, in the language of JavaScript, with `(?i)`, `(?m)` and `(?s)` at its beginning
 * understood too. Matching is by Unicode characters where the pattern allows.
 */
export function compilePattern(pattern: string): Result<RegExp, 'bad_pattern'> {
  if (pattern === '') return fail('bad_pattern', 'The pattern is empty.', 'Give a regular expression.');
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const limit = MAX_PATTERN_LENGTH.toLocaleString('en-US');
    return fail('bad_pattern', `The pattern has more than ${limit} characters.`, 'Give a shorter one.');
  }
  const leading = LEADING_FLAGS.exec(pattern);
  const flags = [...new Set(leading?.[1] ?? '')].join('');
  const source = pattern.slice(leading?.[0].length ?? 0);
  const strict = tryCompile(source, `${flags}u`);
  if (strict instanceof RegExp) return { ok: true, value: strict };
  const lenient = tryCompile(source, flags);
  if (lenient instanceof RegExp) return { ok: true, value: lenient };
  return fail(
    'bad_pattern',
    `The pattern ${JSON.stringify(pattern.slice(0, 200))} is not a regular expression: ${lenient}.`,
    'Put a backslash before each of \\ . * + ? ( ) [ ] { } ^ $ | that is meant literally.',
  );
}

/** The reason when it does not compile. */
function tryCompile(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = messageOf(error);
    return reason.slice(reason.lastIndexOf(': ') + 2);
  }
}
