import { outsideMarker } from './marker.ts';

/** Longer runs of backslashes are cut between pairs instead of before the run. */
const MAX_RUN_CHARS = 16;

/**
 * The last place at or before `offset` where a text can be cut: not within a marker, a surrogate pair, or an escape
 * sequence (`\n`, `\u20ac`, `\x1b`, and the two halves of an escaped surrogate pair).
 */
export function safeCut(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (offset <= 0) return 0;
  const outside = outsideMarker(text, offset);
  const whole = isInPair(text, outside) ? outside - 1 : outside;
  return beforeEscapedPair(text, outsideEscape(text, whole));
}

function isInPair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(offset - 1, offset + 1));
}

function outsideEscape(text: string, offset: number): number {
  for (let runEnd = offset; runEnd > Math.max(0, offset - 5); runEnd -= 1) {
    if (text[runEnd - 1] !== '\\') continue;
    const escapeEnd = runEnd + escapedChars(text[runEnd]);
    return offset < escapeEnd ? runStart(text, runEnd) : offset;
  }
  return offset;
}

function escapedChars(letter: string | undefined): number {
  if (letter === 'u') return 5;
  return letter === 'x' ? 3 : 1;
}

function runStart(text: string, runEnd: number): number {
  let start = runEnd;
  while (text[start - 1] === '\\') start -= 1;
  const length = runEnd - start;
  return length <= MAX_RUN_CHARS ? start : runEnd - (length % 2);
}

function beforeEscapedPair(text: string, offset: number): number {
  const isHalf = /^\\u[dD][c-fC-F]/.test(text.slice(offset, offset + 6));
  return isHalf && /^\\u[dD][89abAB]/.test(text.slice(Math.max(0, offset - 6), offset)) ? offset - 6 : offset;
}
