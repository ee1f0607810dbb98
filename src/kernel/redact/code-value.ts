import { wordsOf } from './secret-name.ts';

/** An unquoted value under a secret's name, and what is needed to tell source code from data. */
export interface UnquotedValue {
  readonly name: string;
  readonly value: string;
  /** What follows the value on its line, at most {@link AFTER_CHARS} characters. */
  readonly after: string;
  /** Whether white space stands between the delimiter and the value, as in code, YAML and prose. */
  readonly isSpaced: boolean;
  /** Whether the name is in quotes. */
  readonly isNameQuoted: boolean;
  /** Whether a keyword such as `const` or `readonly`, or `this.`, stands before the name. */
  readonly isDeclared: boolean;
  /** Whether numbers under this name are secrets. */
  readonly isPassword: boolean;
}

export const AFTER_CHARS = 24;

/**
 * Whether an unquoted value is an expression, a type or a word of prose rather than a secret: `getToken()`,
 * `process.env.TOKEN`, `password` in `login(password=password)`, `see` in `Token: see the manual`.
 *
 * A single word that could be either is taken as code only when it is followed by what follows words in code or in
 * prose; at the end of its line it is taken as a secret, because that is how YAML and INI files write them.
 */
export function isCode(unquoted: UnquotedValue): boolean {
  const { value, isSpaced } = unquoted;
  if (NUMBER.test(value)) return isHarmlessNumber(unquoted);
  if (isSpaced && (REGULAR_EXPRESSION.test(value) || value.startsWith('//'))) return true;
  const path = PATH.exec(value);
  if (path === null) return false;
  const rest = value.slice(path[0].length);
  if (/^(?:[([]|[?!]\.)/.test(rest)) return true;
  if (rest !== '') return false;
  if (value.length <= 2) return true;
  const steps = (path[1] ?? '').split(/\?\.|\.|::|->/);
  if (isEcho(unquoted.name, steps.at(-1) ?? '')) return true;
  if (steps.length > 1) return KNOWN_ROOTS.has(steps[0] ?? '') || (isSpaced && !/\d/.test(value));
  return isSpaced && !/\d/.test(value) && isWordOfCode(unquoted);
}

const NUMBER = /^[+-]?\d[\d_]{0,30}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?n?$/i;
const REGULAR_EXPRESSION = /^\/(?:[\^([\\]|.{1,200}\/[dgimsuvy]{0,6}[;,)]{0,3}$)/;
const PATH = /^[!&*~]{0,2}([A-Za-z_$][\w$]{0,80}(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][\w$]{0,80}){0,12})/;

/** Short numbers are counts and positions; a password may be one, and so may a long one that touches its delimiter. */
function isHarmlessNumber({ value, isPassword, isSpaced }: UnquotedValue): boolean {
  const digits = value.replace(/\D{1,4}/g, '').length;
  return isPassword ? digits < 4 : isSpaced || digits < 8;
}

/** `password=user.password`, `token = accessToken`: the value is named like what it is assigned to. */
export function isEcho(name: string, identifier: string): boolean {
  if (/\d/.test(identifier)) return false;
  const own = wordsOf(name);
  const words = wordsOf(identifier);
  if (words.at(-1) !== own.at(-1)) return false;
  return words.every((word) => own.includes(word) || ECHO_WORDS.has(word));
}

const ECHO_WORDS = new Set(
  (
    'user db database access refresh auth api new old current raw plain client bot session github openai bearer ' +
    'input form config env csrf encrypted hashed given expected actual admin default request response'
  ).split(' '),
);

function isWordOfCode({ after, isDeclared, isNameQuoted }: UnquotedValue): boolean {
  return isDeclared || isNameQuoted || FOLLOWS_A_WORD.test(after);
}

const FOLLOWS_A_WORD = /^[ \t]{0,8}(?:[,;)}\]|&?=>+<]|\/\/)|^[ \t]{1,8}[A-Za-z(]/;

const KNOWN_ROOTS = new Set(
  (
    'self this process os env environ config settings options opts args props state ctx context req request res ' +
    'response user data var local module secrets credentials import document window event body params headers ' +
    'input session auth account client app conf cfg each values form query payload'
  ).split(' '),
);
