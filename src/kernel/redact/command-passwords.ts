import type { Span } from './span.ts';
import { isStandIn } from './stand-in.ts';
import { openingQuoteAt, quotedEnd, unquotedEnd } from './value-scan.ts';
import { isWordStart } from './word-boundary.ts';

/** An option of one program whose value is a password although nothing in its name says so. */
interface PasswordOption {
  readonly programs: RegExp;
  readonly option: string;
  /** Whether the value is glued to the option (`-pPASS`), follows as a word (`-p PASS`), or both occur. */
  readonly form: 'glued' | 'next' | 'both';
  /** Whether only what follows the first colon is the password (`-u user:pass`). */
  readonly afterColon?: boolean;
  /** What the value contains when it is a secret: `-b sid=abc` gives a cookie, `-b jar.txt` a file. */
  readonly contains?: string;
  /** A word that must stand between the program and the option. */
  readonly subcommand?: string;
}

const OPTIONS: readonly PasswordOption[] = [
  { programs: /^(?:mysql|mariadb)[a-z_-]{0,20}$/, option: '-p', form: 'glued' },
  { programs: /^sshpass$/, option: '-p', form: 'both' },
  { programs: /^redis-cli$/, option: '-a', form: 'both' },
  { programs: /^mongo[a-z]{0,10}$/, option: '-p', form: 'both' },
  { programs: /^ldap[a-z]{1,10}$/, option: '-w', form: 'both' },
  { programs: /^(?:docker|podman|nerdctl|helm)$/, option: '-p', form: 'both', subcommand: 'login' },
  { programs: /^(?:7z|7za|7zr)$/, option: '-p', form: 'glued' },
  { programs: /^(?:zip|unzip)$/, option: '-P', form: 'both' },
  { programs: /^curl$/, option: '-u', form: 'both', afterColon: true },
  { programs: /^curl$/, option: '-U', form: 'both', afterColon: true },
  { programs: /^curl$/, option: '-b', form: 'both', contains: '=' },
  { programs: /^curl$/, option: '--user', form: 'next', afterColon: true },
  { programs: /^curl$/, option: '--proxy-user', form: 'next', afterColon: true },
];

const PROGRAM =
  /(?:(?:mysql|mariadb)[a-z_-]{0,20}|sshpass|redis-cli|mongo[a-z]{0,10}|ldap[a-z]{1,10}|docker|podman|nerdctl|helm|7z[ar]?|zip|unzip|curl)(?=[ \t]|\\{0,15}["'][ \t]{0,4},)/g;

/** What stands between an option and its value when they are two words, also as elements of a JSON array. */
const WORD_GAP = /[ \t]{1,16}|\\{0,15}["'][ \t]{0,4},\s{0,64}(?=\\{0,15}["'])/y;

const MAX_COMMAND_CHARS = 4096;
/** A published port, as in `-p3306:3306`. */
const PORT = /^[\d.:]{0,64}\d:\d/;

/** Passwords given to well-known programs by options such as `mysql -pPASS` and `curl -u user:PASS`. */
export function findCommandPasswords(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  const searched = new Set<PasswordOption>();
  PROGRAM.lastIndex = 0;
  for (let match = PROGRAM.exec(text); match !== null; match = PROGRAM.exec(text)) {
    if (!isWordStart(text, match.index) || /[_.-]/.test(text[match.index - 1] ?? '')) continue;
    const start = PROGRAM.lastIndex;
    if (start >= end) {
      end = commandEnd(text, start);
      searched.clear();
    }
    for (const option of optionsOf(match[0])) {
      if (searched.has(option)) continue;
      searched.add(option);
      spans.push(...occurrences(text, option, { start, end }));
    }
  }
  return spans;
}

/** The same passwords in the words of one command. One span per word at most, with offsets into that word. */
export function findArgvPasswords(words: readonly string[]): ReadonlyMap<number, Span> {
  const found = new Map<number, Span>();
  const present = new Set(words);
  let options: readonly PasswordOption[] = [];
  for (const [index, word] of words.entries()) {
    const own = optionsOf(word.slice(word.lastIndexOf('/') + 1));
    if (own.length > 0) {
      options = own.filter(({ subcommand }) => subcommand === undefined || present.has(subcommand));
      continue;
    }
    const span = passwordInWord(options, words[index - 1] ?? '', word);
    if (span !== undefined) found.set(index, span);
  }
  return found;
}

function passwordInWord(
  options: readonly PasswordOption[],
  previous: string,
  word: string,
): Span | undefined {
  for (const wanted of options) {
    const { option, form } = wanted;
    const isNext = form !== 'glued' && previous === option;
    const isGlued = form !== 'next' && word.startsWith(option) && word.length > option.length;
    if (!isNext && !isGlued) continue;
    const span = passwordPart(word, { start: isNext ? 0 : option.length, end: word.length }, wanted);
    if (span !== undefined) return span;
  }
  return undefined;
}

function optionsOf(program: string): readonly PasswordOption[] {
  if (program.length > 32) return [];
  return OPTIONS.filter(({ programs }) => programs.test(program));
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

function occurrences(text: string, wanted: PasswordOption, within: Stretch): readonly Span[] {
  const { option, form, subcommand } = wanted;
  const command = text.slice(within.start, within.end);
  if (subcommand !== undefined && !command.includes(subcommand)) return [];
  const spans: Span[] = [];
  for (let at = command.indexOf(option); at !== -1; at = command.indexOf(option, at + option.length)) {
    const optionEnd = within.start + at + option.length;
    if (!/[\s"']/.test(command[at - 1] ?? '')) continue;
    WORD_GAP.lastIndex = optionEnd;
    const isNext = WORD_GAP.test(text);
    if (form === (isNext ? 'glued' : 'next')) continue;
    const span = passwordPart(text, valueAt(text, isNext ? WORD_GAP.lastIndex : optionEnd), wanted);
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

function valueAt(text: string, start: number): Stretch {
  const quote = openingQuoteAt(text, start);
  if (quote !== undefined) return { start: quote.bodyStart, end: quotedEnd(text, quote) };
  return { start, end: unquotedEnd(text, start) };
}

function passwordPart(
  text: string,
  value: Stretch,
  { afterColon, contains }: PasswordOption,
): Span | undefined {
  const whole = text.slice(value.start, value.end);
  const colon = whole.indexOf(':');
  if (afterColon === true ? colon === -1 : whole.startsWith('-')) return undefined;
  const start = afterColon === true ? value.start + colon + 1 : value.start;
  const secret = text.slice(start, value.end);
  if (isStandIn(secret) || PORT.test(whole) || (contains !== undefined && !secret.includes(contains)))
    return undefined;
  return { start, end: value.end, kind: contains === undefined ? 'password' : 'cookie' };
}

/** Where a command ends: at the end of its line, at an operator outside quotes, or after 4,096 characters. */
function commandEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_COMMAND_CHARS);
  let quote = '';
  for (let index = start; index < limit; index += 1) {
    const character = text[index] ?? '';
    if (character === '\\') index += 1;
    else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (isCommandEnd(character, quote)) return index;
  }
  return limit;
}

function isCommandEnd(character: string, quote: string): boolean {
  return (
    character === '\n' || (quote === '' && (character === ';' || character === '|' || character === '&'))
  );
}
