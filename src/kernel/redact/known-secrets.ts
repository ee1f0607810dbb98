import type { Span } from './span.ts';

/** Shorter values are too likely to be ordinary words. */
const MIN_CHARS = 8;

/**
 * All ways in which known secrets are looked for: as they are, as they stand inside a JSON string, and percent-encoded.
 * Secrets of fewer than 8 characters are ignored.
 */
export function spellings(secrets: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const secret of secrets) {
    const trimmed = secret.trim();
    if (trimmed.length < MIN_CHARS) continue;
    found.add(trimmed);
    found.add(JSON.stringify(trimmed).slice(1, -1));
    if (trimmed.isWellFormed()) found.add(encodeURIComponent(trimmed));
  }
  return [...found];
}

/** Every occurrence of the given literal strings. */
export function findKnownSecrets(text: string, literals: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  for (const literal of literals) {
    let start = text.indexOf(literal);
    while (start !== -1) {
      const end = start + literal.length;
      spans.push({ start, end, kind: 'known_secret' });
      start = text.indexOf(literal, end);
    }
  }
  return spans;
}
