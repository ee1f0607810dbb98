import { dropEntry, entriesOf } from './entries-of.ts';
import type { RetentionParts } from './retention-parts.ts';

/**
 * Drops the oldest entries of a project beyond `maxSnapshots`; 1 at least stays. Never one of which a call runs, and none
 * while a restore of the project is unfinished. Cheap and without a lock: the content goes with the next reclaim.
 *
 * @returns how many entries were dropped. Throws what the file system does.
 */
export function trim(parts: RetentionParts, h16: string, maxSnapshots: number): number {
  const surplus = entriesOf(parts, h16)
    .slice(Math.max(1, maxSnapshots))
    .filter(({ isInUse }) => !isInUse);
  for (const stored of surplus.toReversed()) dropEntry(parts, stored);
  return surplus.length;
}
