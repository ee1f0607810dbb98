import { findSecrets } from './find-secrets.ts';
import type { SecretKind } from './marker.ts';

/** What redaction needs: how a secret is marked, and which literal strings are secrets. */
export interface RedactionRules {
  readonly mark: (kind: SecretKind, secret: string) => string;
  readonly literals: readonly string[];
}

/** A redacted text and the way back from it. */
export interface RedactedText {
  readonly text: string;
  /** The offset in the original text that an offset in the redacted one stands for; for one within a marker its start. */
  readonly toSource: (offset: number) => number;
}

/** With secrets gone, what is left may read differently; more rounds than this have not been seen to change anything. */
const MAX_ROUNDS = 8;

/**
 * Replaces every secret by its marker, again until nothing is found, so that redacting twice changes nothing.
 *
 * @param stop where to stop in `text`; a secret that starts before it is still replaced as a whole.
 */
export function redactText(text: string, rules: RedactionRules, stop: number = text.length): RedactedText {
  const remembering = { ...rules, mark: remember(rules.mark) };
  let current = redactOnce(text, remembering, stop);
  if (current.text === text) return current;
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const next = redactOnce(current.text, remembering, current.text.length);
    if (next.text === current.text) break;
    const { toSource } = current;
    current = { text: next.text, toSource: (offset) => toSource(next.toSource(offset)) };
  }
  return current;
}

const MAX_REMEMBERED = 1000;

/** Text that repeats a secret hashes it once. */
function remember(mark: RedactionRules['mark']): RedactionRules['mark'] {
  const markers = new Map<string, string>();
  return (kind, secret) => {
    const known = markers.get(`${kind} ${secret}`);
    if (known !== undefined) return known;
    const marker = mark(kind, secret);
    if (markers.size < MAX_REMEMBERED) markers.set(`${kind} ${secret}`, marker);
    return marker;
  };
}

/** An unchanged stretch of text: where it stands in the original and in the redacted text. */
interface Kept {
  readonly source: number;
  readonly output: number;
  readonly length: number;
}

function redactOnce(text: string, { mark, literals }: RedactionRules, stop: number): RedactedText {
  const spans = findSecrets(text, literals).filter(({ start }) => start < stop);
  if (spans.length === 0) return { text: text.slice(0, stop), toSource: (offset) => offset };
  const parts: string[] = [];
  const kept: Kept[] = [];
  let source = 0;
  let output = 0;
  const keep = (end: number): void => {
    if (end <= source) return;
    kept.push({ source, output, length: end - source });
    parts.push(text.slice(source, end));
    output += end - source;
  };
  for (const { start, end, kind } of spans) {
    keep(start);
    const marker = mark(kind, text.slice(start, end));
    parts.push(marker);
    output += marker.length;
    source = end;
  }
  keep(stop);
  return { text: parts.join(''), toSource: (offset) => sourceOffset(kept, offset, Math.max(source, stop)) };
}

function sourceOffset(kept: readonly Kept[], offset: number, sourceEnd: number): number {
  for (const [index, { source, output, length }] of kept.entries()) {
    if (offset < output) return index === 0 ? 0 : afterStretch(kept[index - 1]);
    if (offset <= output + length) return source + offset - output;
  }
  const last = kept.at(-1);
  return last === undefined || offset > last.output + last.length ? sourceEnd : afterStretch(last);
}

function afterStretch(stretch: Kept | undefined): number {
  return stretch === undefined ? 0 : stretch.source + stretch.length;
}
