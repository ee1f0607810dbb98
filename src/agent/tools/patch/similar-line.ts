/** Beyond these, looking for something similar is not worth the time. */
const MAX_LINES = 20_000;
const MAX_LINE_LENGTH = 400;

/** Below this share of common pairs, two lines have nothing to do with each other. */
const LEAST_LIKENESS = 0.5;

export interface SimilarLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The line that looks most like `wanted`, by the pairs of letters both have; undefined when none looks like it. */
export function similarLine(lines: readonly string[], wanted: string): SimilarLine | undefined {
  const pairs = pairsOf(wanted);
  if (pairs.size === 0) return undefined;
  let best: SimilarLine | undefined;
  let bestLikeness = LEAST_LIKENESS;
  for (const [index, text] of lines.slice(0, MAX_LINES).entries()) {
    const likeness = likenessOf(pairs, pairsOf(text));
    if (likeness <= bestLikeness) continue;
    best = { line: index + 1, text };
    bestLikeness = likeness;
  }
  return best;
}

/** Dice's coefficient over the sets of pairs: 1 for the same, 0 for nothing in common. */
function likenessOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size === 0 || others.size === 0) return 0;
  return (2 * [...some].filter((pair) => others.has(pair)).length) / (some.size + others.size);
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, MAX_LINE_LENGTH);
  if (text.length === 1) return new Set(text);
  return new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)),
  );
}
