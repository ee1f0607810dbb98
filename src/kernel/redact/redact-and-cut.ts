import { type RedactionRules, redactText } from './redact-text.ts';
import { safeCut } from './safe-cut.ts';

export interface CutOptions {
  /** Whether the text ends with `…+N` when N characters of the original were left out. The note counts towards the limit. */
  readonly note?: boolean;
}

/** How far beyond the limit a text is read. */
const MARGIN_CHARS = 32_768;
/** What is read but never shown: a secret that starts earlier has at least this much of itself in what is read. */
const GUARD_CHARS = 8192;

/**
 * Redacts a text and cuts it to at most `maxChars` UTF-16 code units. Of a longer text only the beginning is read, and so
 * much beyond the limit that a secret which reaches over it is still recognised: its head never remains.
 */
export function redactAndCutWith(
  rules: RedactionRules,
  text: string,
  maxChars: number,
  { note = false }: CutOptions = {},
): string {
  if (!Number.isSafeInteger(maxChars) || maxChars < 0) {
    throw new RangeError(`maxChars is ${maxChars}; it must be a whole number of at least 0`);
  }
  const longest = Math.max(0, ...rules.literals.map(({ length }) => length));
  const window = maxChars + MARGIN_CHARS + 2 * longest;
  const isWhole = text.length <= window;
  const redacted = isWhole
    ? redactText(text, rules)
    : redactText(text.slice(0, window), rules, window - GUARD_CHARS - longest);
  if (isWhole && redacted.text.length <= maxChars) return redacted.text;
  const room = note ? maxChars - `…+${text.length}`.length : maxChars;
  const cut = safeCut(redacted.text, room < 0 ? maxChars : room);
  const head = redacted.text.slice(0, cut);
  return note && room >= 0 ? `${head}…+${text.length - redacted.toSource(cut)}` : head;
}
