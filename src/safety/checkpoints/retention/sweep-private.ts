import { privateRef } from '../projects/ref-names.ts';
import type { RetentionParts } from './retention-parts.ts';

/** Gives up the content of private files that is older than `maxAgeMs`; the records stay. Returns how many. */
export function sweepPrivate(parts: RetentionParts, maxAgeMs: number): number {
  const before = parts.clock.now() - maxAgeMs;
  let count = 0;
  for (const h16 of parts.journals.hashes())
    for (const { at, seq } of parts.journals.of(h16).records())
      if (at < before && parts.refs.delete(privateRef(h16, seq))) count += 1;
  return count;
}
