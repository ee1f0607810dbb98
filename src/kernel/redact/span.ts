import type { SecretKind } from './marker.ts';

/** A stretch of text that is a secret: `[start, end)` in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
}

/** Sorted and disjoint: overlapping spans are joined, and the longest of them gives the kind (the earlier of equals). */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  let widest = 0;
  for (const span of sorted) {
    const last = merged.at(-1);
    const width = span.end - span.start;
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      widest = width;
      continue;
    }
    const kind = width > widest ? span.kind : last.kind;
    widest = Math.max(widest, width);
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), kind };
  }
  return merged;
}
