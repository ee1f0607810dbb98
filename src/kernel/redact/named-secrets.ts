import { alphanumericAnd, runEnd, runStart } from './alphabet.ts';
import { type NamedSecrets, NO_SECRETS, namedValue } from './named-value.ts';
import { readSecretName } from './secret-name.ts';
import type { Span } from './span.ts';
import { type NameInText, valuePlace } from './value-place.ts';
import { escapeChars } from './word-boundary.ts';

/** What every name of a secret contains; the names themselves are judged by {@link readSecretName}. */
const HINT =
  /pass|pwd|pswd|psk|secret|token|key|auth|cookie|cred|private|otp|bearer|conn|recovery|backup|seed|phrase/gi;

const NAME = alphanumericAnd('_.-');
/** How far a name reaches back from its hint. */
const MAX_NAME_CHARS = 128;

/**
 * Values that are secrets because of the name before them: assignments, headers, JSON (also escaped in a string), YAML, flags,
 * query parameters, lines of `.env` files, XML elements. The name stays.
 */
export function findNamedSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  HINT.lastIndex = 0;
  for (let match = HINT.exec(text); match !== null; match = HINT.exec(text)) {
    const names = namesAround(text, match.index, HINT.lastIndex);
    HINT.lastIndex = Math.max(HINT.lastIndex, names[0]?.end ?? 0);
    const found = secretsOf(text, names);
    spans.push(...found.spans);
    HINT.lastIndex = Math.max(HINT.lastIndex, found.end);
  }
  return spans;
}

/** The first reading of a name by which it names a secret decides. */
function secretsOf(text: string, names: readonly NameInText[]): NamedSecrets {
  for (const name of names) {
    const meaning = readSecretName(name.name);
    if (meaning === undefined) continue;
    const place = valuePlace(text, name);
    return place === undefined ? NO_SECRETS : namedValue(text, { name, meaning, place });
  }
  return NO_SECRETS;
}

/** The readings of the name around a hint. After a backslash `token` may be a name or the end of a tab and a name. */
function namesAround(text: string, hintStart: number, hintEnd: number): readonly NameInText[] {
  const rawStart = runStart(text, hintStart, NAME, MAX_NAME_CHARS);
  const rawEnd = runEnd(text, hintEnd, NAME);
  let end = rawEnd;
  while (end > hintEnd && isMark(text[end - 1])) end -= 1;
  const skipped = rawStart + escapeChars(text, rawStart);
  if (skipped === rawStart || skipped > hintStart) return [nameFrom(text, rawStart, end)];
  const isAmbiguous = /[tbf]/.test(text[rawStart] ?? '');
  return isAmbiguous
    ? [nameFrom(text, skipped, end), nameFrom(text, rawStart, end)]
    : [nameFrom(text, skipped, end)];
}

function nameFrom(text: string, rawStart: number, end: number): NameInText {
  let start = rawStart;
  while (start < end && isMark(text[start])) start += 1;
  const name = text.slice(start, end);
  const isFlag = start > rawStart && text[start - 1] === '-';
  return { name: /^keys?$/i.test(name) ? ownerOf(text, start) + name : name, start, end, isFlag };
}

/** The word before a `key` that says what it is for, as prose has it: `API key: …`. */
function ownerOf(text: string, start: number): string {
  return /[A-Za-z]{3,12} $/.exec(text.slice(Math.max(0, start - 13), start))?.[0] ?? '';
}

function isMark(character: string | undefined): boolean {
  return character === '-' || character === '.';
}
