import { isBasicCredentials } from './authorization-schemes.ts';
import { AFTER_CHARS, isCode, isEcho } from './code-value.ts';
import { containerValues } from './container-values.ts';
import { afterScheme, headerEnd, isCookiePair } from './header-value.ts';
import type { SecretName } from './secret-name.ts';
import type { Span } from './span.ts';
import { isSentence, isStandIn } from './stand-in.ts';
import type { NameInText, ValuePlace } from './value-place.ts';
import { type OpeningQuote, openingQuoteAt, quotedEnd, unquotedEnd } from './value-scan.ts';

/** A name in a text, what it says about its value, and where that value stands. */
export interface NamedPlace {
  readonly name: NameInText;
  readonly meaning: SecretName;
  readonly place: ValuePlace;
}

/** Longer unquoted values are secrets: what is rejected must be short, or text full of names would cost its square. */
const MAX_REJECTED_CHARS = 512;

export interface NamedSecrets {
  readonly spans: readonly Span[];
  /** Where the search for names goes on, when that is after the name. */
  readonly end: number;
}

/** What is secret at the place of the value of a secret's name; nothing when another thing stands there. */
export function namedValue(text: string, named: NamedPlace): NamedSecrets {
  const { place, meaning } = named;
  const first = text[place.valueStart];
  if ((first === '{' || first === '[') && place.form !== 'element') {
    if (!place.isNameQuoted || meaning.certainty !== 'sure') return NO_SECRETS;
    return containerValues(text, place.valueStart, meaning.kind);
  }
  const span = first === undefined || first === '\n' ? undefined : textValue(text, named);
  return span === undefined ? NO_SECRETS : { spans: [span], end: span.end };
}

export const NO_SECRETS: NamedSecrets = { spans: [], end: 0 };

function textValue(text: string, named: NamedPlace): Span | undefined {
  const { place, meaning } = named;
  if (place.form === 'element') return elementValue(text, named);
  const opening = openingQuoteAt(text, place.valueStart);
  if (opening !== undefined) return quotedValue(text, named, opening);
  if (meaning.kind === 'authorization' || meaning.kind === 'cookie') return headerValue(text, named);
  return unquotedValue(text, named, place.valueStart);
}

/** What a value must be when its name does not settle the question: letters mixed with digits, or credentials in base64. */
export function looksGenerated(value: string): boolean {
  if (isBasicCredentials(value)) return true;
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value);
}

/** Whether a word of a command line is another flag; a secret may start with a dash too. */
export function isFlag(word: string): boolean {
  return /^--?[A-Za-z][A-Za-z-]{0,40}(?:=|$)|^-[A-Za-z]\d{1,5}$|^--[a-z-]{3,40}\d(?:\.\d)?$/.test(word);
}

/** What the certainty of a name asks of a value that is otherwise plausible. */
function satisfies({ certainty }: SecretName, value: string): boolean {
  if (certainty === 'look') return looksGenerated(value);
  return certainty === 'sure' || !/^(?:[/~]|[A-Za-z]:\\)/.test(value);
}

/** Code compares with words and prose is made of them: there a secret is what no word is. */
function suitsProse({ form }: ValuePlace, value: string): boolean {
  if (form === 'comparison') return looksGenerated(value);
  return form !== 'statement' || (value.length >= 5 && /\d/.test(value) && /[A-Za-z]/.test(value));
}

function elementValue(text: string, { place, meaning }: NamedPlace): Span | undefined {
  let end = place.valueStart;
  while (end < text.length && text[end] !== '<' && text[end] !== '\n') end += 1;
  const value = text.slice(place.valueStart, end);
  const isElement = end < text.length ? text.startsWith('</', end) : /^[^\s"'`)\]},;|]/.test(value);
  if (!isElement) return undefined;
  if (isStandIn(value) || !satisfies(meaning, value)) return undefined;
  return { start: place.valueStart, end, kind: meaning.kind };
}

function quotedValue(text: string, named: NamedPlace, opening: OpeningQuote): Span | undefined {
  const { place, meaning, name } = named;
  if (opening.quote === '`' && (isEnvironmentName(named) || meaning.certainty === 'data')) return undefined;
  if (place.form === 'assignment' && !place.isNameQuoted && closesString(text, name.start, opening))
    return undefined;
  const end = quotedEnd(text, opening);
  const start = Math.min(end, afterScheme(text, opening.bodyStart).start);
  const value = text.slice(start, end);
  if (
    isStandIn(value) ||
    (place.form === 'assignment' && isSentence(value)) ||
    isQuotedCode(name.name, value)
  )
    return undefined;
  if (!satisfies(meaning, value) || !suitsProse(place, value)) return undefined;
  return { start, end, kind: meaning.kind };
}

/** `log('Password:', password)`: the quote after the name closes the text that the name stands in. */
function closesString(text: string, nameStart: number, { bodyStart, quote, slashes }: OpeningQuote): boolean {
  if (!/^\s{0,2}(?:[,);\]}+]|$)/.test(text.slice(bodyStart, bodyStart + 3))) return false;
  const line = text.slice(Math.max(0, nameStart - 200), nameStart);
  const parts = line.slice(line.lastIndexOf('\n') + 1).split(quote);
  const quotes = parts.slice(0, -1).filter((part) => trailingSlashes(part) === slashes);
  return quotes.length % 2 === 1;
}

function trailingSlashes(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === '\\') count += 1;
  return count;
}

/** `v-model:password="form.password"`: a quoted expression. */
function isQuotedCode(name: string, value: string): boolean {
  if (value.length > 128 || !/^[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){1,6}$/.test(value))
    return false;
  return isEcho(name, value.slice(value.lastIndexOf('.') + 1));
}

function headerValue(text: string, named: NamedPlace): Span | undefined {
  const { name, meaning, place } = named;
  const isCookie = meaning.kind === 'cookie';
  const credentials = afterScheme(text, place.valueStart);
  const start = isCookie ? place.valueStart : credentials.start;
  const isList = isCookie ? place.form !== 'flag' && isCookiePair(text, start) : credentials.isList;
  if (!isList) return unquotedValue(text, named, start);
  const outer = text[name.start - 1] ?? ' ';
  const isQuoted = QUOTES.includes(outer);
  // Parameters such as Digest's may be quoted themselves, cookies are not: a quote after them closes something else.
  const end = headerEnd(text, start, isQuoted ? outer : isCookie ? QUOTES : '');
  return isStandIn(text.slice(start, end)) ? undefined : { start, end, kind: meaning.kind };
}

const QUOTES = '"\'`';

function unquotedValue(text: string, named: NamedPlace, start: number): Span | undefined {
  if (STARTS_EXPRESSION.test(text.slice(start, start + 4))) return undefined;
  const end = unquotedEnd(text, start, named.place.isPercentEncoded);
  const value = text.slice(start, end);
  const isSecret =
    end - start > MAX_REJECTED_CHARS || (!isStandIn(value) && isPlausible(text, named, { start, end }));
  return isSecret ? { start, end, kind: named.meaning.kind } : undefined;
}

/** A command substitution, a template, a parenthesis. */
const STARTS_EXPRESSION = /^(?:\$\(|\$?\{\{|<%|\(|=)/;
const YAML_TAG = /^![A-Za-z]{0,16}$/;

interface Stretch {
  readonly start: number;
  readonly end: number;
}

function isPlausible(text: string, named: NamedPlace, { start, end }: Stretch): boolean {
  const { name, meaning, place } = named;
  const value = text.slice(start, end);
  if (!satisfies(meaning, value)) return false;
  if (meaning.certainty === 'data' && !isData(value, place.isSpaced)) return false;
  switch (place.form) {
    case 'comparison':
    case 'statement':
      return suitsProse(place, value);
    case 'flag':
      return !isFlag(value) && !isFlagText(name.name, value);
    case 'setting':
      return /[^A-Za-z]/.test(value);
    case 'element':
    case 'pair':
      return true;
    case 'assignment':
      if (isEnvironmentName(named) || name.isFlag) return true;
      return !(place.isSpaced && YAML_TAG.test(value)) && !isCode(asCode(text, named, { start, end }));
  }
}

/** `pass: 12 tests` and `pass=3` count something. */
function isData(value: string, isSpaced: boolean): boolean {
  return isSpaced
    ? value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value)
    : !/^\d{1,3}$/.test(value);
}

function asCode(
  text: string,
  { name, meaning, place }: NamedPlace,
  { start, end }: Stretch,
): Parameters<typeof isCode>[0] {
  return {
    name: name.name,
    value: text.slice(start, end),
    after: text.slice(end, end + AFTER_CHARS),
    isSpaced: place.isSpaced,
    isNameQuoted: place.isNameQuoted,
    isDeclared: place.isDeclared,
    isPassword: meaning.kind === 'password',
  };
}

/** `NAME=value` without blanks, as in a shell, an `.env` file and a Dockerfile: never an expression. */
function isEnvironmentName({ name, place }: NamedPlace): boolean {
  return place.isEquals && !place.isSpaced && /^[A-Z][A-Z0-9_]{0,127}$/.test(name.name);
}

const FLAG_WORDS = new Set(
  'to too also only flag flags option options is and or for from with file argument value must can should when in on via as if the a an'.split(
    ' ',
  ),
);

/** The word after a flag in a manual or in prose: `--token TOKEN`, `the --password option`. */
function isFlagText(name: string, value: string): boolean {
  return (
    FLAG_WORDS.has(value.replace(/[.,;:!?]{1,3}$/, '')) ||
    (value === value.toUpperCase() && isEcho(name, value))
  );
}
