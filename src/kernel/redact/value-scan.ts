/** A quote as it stands in text that may itself be quoted: `"`, `\"` in JSON, `\\\"` in JSON within JSON, `'''`. */
export interface OpeningQuote {
  /** Where the quoted text starts. */
  readonly bodyStart: number;
  readonly quote: string;
  /** How many backslashes stand before the quote. */
  readonly slashes: number;
}

const OPENING = /(?:[fbruFBRUL@$]{1,2}(?=\\{0,15}["'`]))?(\\{0,15})("(?:\1"\1")?|'(?:\1'\1')?|`)/y;

/** The opening quote at `from`, with the letters some languages put before it (`f"…"`). */
export function openingQuoteAt(text: string, from: number): OpeningQuote | undefined {
  OPENING.lastIndex = from;
  const match = OPENING.exec(text);
  if (match === null) return undefined;
  return { bodyStart: OPENING.lastIndex, quote: match[2] ?? '"', slashes: (match[1] ?? '').length };
}

/**
 * Where the quoted text ends: before its closing quote, or at the end of its line when there is none.
 *
 * A quote closes when no more backslashes stand before it than before the opening one, or when the surplus is made of
 * escaped backslashes, which take twice as many on each level of quoting.
 */
export function quotedEnd(text: string, opening: OpeningQuote): number {
  const { quote, slashes, bodyStart } = opening;
  const step = 2 * (slashes + 1);
  let run = 0;
  for (let index = bodyStart; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\n') return index;
    if (character === '\\') {
      run += 1;
      continue;
    }
    const closes = run <= slashes || (run - slashes) % step === 0;
    if (character === quote[0] && closes && text.startsWith(quote, index))
      return index - Math.min(run, slashes);
    run = 0;
  }
  return text.length;
}

/** White space and quotes, at which an unquoted value may end. */
const QUOTES = new Set(['"', "'", '`']);
/** Signs that end an unquoted value in one notation and belong to it in another: what follows decides. */
const ENDS_BEFORE: ReadonlyMap<string, RegExp> = new Map([
  [',', /,(?:[\s"'`]|$|[A-Za-z_][\w.-]{0,64}\s{0,2}[:=])/y],
  [';', /;(?:[\s"'`;]|$|[A-Za-z_][\w.-]{0,64}[ =])/y],
  ['&', /&(?:[\s"'`&]|$|[A-Za-z_%][\w.%[\]-]{0,64}=|amp;)/y],
  ['|', /\|(?:[\s|]|$)/y],
  [')', /\)(?:[\s"'`;:,)}\]|&.?]|$)/y],
  [']', /\](?:[\s"'`;,)}\]]|$)/y],
  ['}', /\}(?:[\s"'`;,)}\]]|$)/y],
  ['<', /<[/A-Za-z\s!{['"]/y],
  ['>', />(?:\s|$)/y],
  // an escaped quote, or an escaped end of line after which a new line or nothing starts
  [
    '\\',
    /\\{1,15}(?:["'`]|(?:[nrt]|u000[9aAdD])(?:[\s\\"'`#})\]-]|$|[A-Za-z_][\w.-]{0,64}[ \t]{0,2}[:=]|export ))/y,
  ],
]);

/** In a percent-encoded form the next field and the next line end a value. */
const ENCODED_END = /%(?:26|0[aAdD])/;

/** Where the unquoted value that starts at `from` ends. Quoted parts within a shell word belong to it. */
export function unquotedEnd(text: string, from: number, isPercentEncoded = false): number {
  const end = wordEnd(text, from);
  const encodedEnd = isPercentEncoded ? text.slice(from, end).search(ENCODED_END) : -1;
  return encodedEnd === -1 ? end : from + encodedEnd;
}

function wordEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const character = text[index] ?? '';
    if (WHITE.has(character)) return index;
    if (QUOTES.has(character)) {
      const after = partEnd(text, index, from);
      if (after === undefined) return index;
      index = after;
      continue;
    }
    if (endsAt(text, index, character)) return index;
    index += 1;
  }
  return text.length;
}

const WHITE = new Set([' ', '\t', '\n', '\r', '\v', '\f', '\u00a0', '\u2028', '\u2029']);

function endsAt(text: string, index: number, character: string): boolean {
  const pattern = ENDS_BEFORE.get(character);
  if (pattern === undefined) return false;
  pattern.lastIndex = index;
  return pattern.test(text);
}

const QUOTED_PART = /(["'`])[^\s"'`]{1,128}\1/y;

/** The end of a quoted part glued to a word (`abc"def"`); `undefined` when the quote closes something around the word. */
function partEnd(text: string, index: number, wordStart: number): number | undefined {
  if (index === wordStart || !/[A-Za-z0-9$]/.test(text[index + 1] ?? '')) return undefined;
  QUOTED_PART.lastIndex = index;
  return QUOTED_PART.test(text) ? QUOTED_PART.lastIndex : undefined;
}
