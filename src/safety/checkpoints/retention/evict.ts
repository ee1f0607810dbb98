import { treeRef } from '../projects/ref-names.ts';
import { allRefs } from './all-refs.ts';
import { dropEntry, entriesOf, projectHashes, refNamesOf, type StoredEntry } from './entries-of.ts';
import { forgetTree } from './forget-tree.ts';
import { bytesOf, sizesOf, takeInventory } from './inventory.ts';
import { Marker } from './mark.ts';
import { measureFolder } from './measure-folder.ts';
import type { RetentionParts } from './retention-parts.ts';

/** How long what was there before a restore is safe from the size limit, in milliseconds. */
const ROLLBACK_LIFE_MS = 24 * 60 * 60 * 1000;

export interface EvictOutcome {
  /** Entries that were dropped. */
  readonly dropped: number;
  /** What the store will take once it is reclaimed, in bytes. */
  readonly bytesKept: number;
  /** Whether that is over the limit, because nothing else may go. */
  readonly isOverCap: boolean;
}

/**
 * Drops the oldest entries of all projects until what the rest needs fits into `maxTotalBytes`, and not one more. What
 * never goes: the last entry of a project, one in use, and what was taken before a restore less than a day ago.
 *
 * What an entry takes is what no newer one needs too, found in one pass from the newest to the oldest. The content goes
 * with the next reclaim. A manifest that keeps content alive on its own is forgotten before the limit is broken: it only
 * makes the next scan faster.
 */
export function evict(parts: RetentionParts, maxTotalBytes: number): EvictOutcome {
  const now = parts.clock.now();
  const inventory = takeInventory(parts.objects);
  const sizes = sizesOf(inventory);
  const overhead = measureFolder(parts.folder) - bytesOf(inventory);
  const hashes = projectHashes(parts);
  const entries = hashes
    .flatMap((h16) => entriesOf(parts, h16))
    .toSorted((one, other) => other.at - one.at || other.entry.seq - one.entry.seq);
  const [staying, leaving] = [
    entries.filter((one) => mustStay(one, now)),
    entries.filter((one) => !mustStay(one, now)),
  ];
  const marker = new Marker(parts.objects);
  const bytesBelow = (names: readonly string[]): number =>
    names
      .flatMap((name) => parts.refs.get(name) ?? [])
      .flatMap((oid) => marker.mark(oid))
      .reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0);
  const trees = hashes.map(treeRef);
  const judged = new Set([...leaving.flatMap(refNamesOf), ...trees]);
  let bytesKept = overhead + bytesBelow(staying.flatMap(refNamesOf));
  bytesKept += bytesOfOthers(parts, { marker, sizes, judged });
  const kept = leaving.findIndex((stored) => {
    const bytes = bytesBelow(refNamesOf(stored));
    if (bytesKept + bytes > maxTotalBytes) return true;
    bytesKept += bytes;
    return false;
  });
  const dropped = kept === -1 ? [] : leaving.slice(kept);
  parts.step?.('evict-chosen');
  for (const stored of dropped.toReversed()) dropEntry(parts, stored);
  for (const h16 of hashes) {
    const bytes = bytesBelow([treeRef(h16)]);
    if (bytes === 0 || bytesKept + bytes <= maxTotalBytes) bytesKept += bytes;
    else forgetTree(parts, h16);
  }
  return { dropped: dropped.length, bytesKept, isOverCap: bytesKept > maxTotalBytes };
}

function mustStay({ entry, isNewest, isInUse }: StoredEntry, now: number): boolean {
  return isNewest || isInUse || (entry.kind === 'rollback' && now - entry.at < ROLLBACK_LIFE_MS);
}

interface Others {
  readonly marker: Marker;
  readonly sizes: ReadonlyMap<string, number>;
  /** The refs that may go, and are judged by themselves. */
  readonly judged: ReadonlySet<string>;
}

/** What refs that belong to no entry keep: a person's, those of damaged records. */
function bytesOfOthers(parts: RetentionParts, { marker, sizes, judged }: Others): number {
  const ours = new Set([...judged].flatMap((name) => parts.refs.get(name) ?? []));
  return [...allRefs(parts.folder)]
    .filter((oid) => !ours.has(oid))
    .flatMap((oid) => marker.mark(oid))
    .reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0);
}
