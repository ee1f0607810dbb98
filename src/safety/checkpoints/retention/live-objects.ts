import type { Oid } from '../model/path-state.ts';
import { allRefs } from './all-refs.ts';
import { Marker, type MissingObject } from './mark.ts';
import type { RetentionParts, WorkOptions } from './retention-parts.ts';

export interface LiveObjects {
  readonly live: ReadonlySet<Oid>;
  /** Needed, and not to be read. */
  readonly missing: readonly MissingObject[];
}

const PAUSE_EVERY_ROOTS = 16;

/**
 * Everything that a ref or a record needs. Undefined when the signal was aborted. A damaged object keeps nothing alive
 * but itself, and does not stop the others.
 */
export async function findLive(
  parts: RetentionParts,
  { signal, onProgress }: WorkOptions,
): Promise<LiveObjects | undefined> {
  const marker = new Marker(parts.objects);
  const roots = [...allRefs(parts.folder), ...recordRoots(parts)];
  for (const [done, oid] of roots.entries()) {
    if (done % PAUSE_EVERY_ROOTS === 0) {
      onProgress?.({ phase: 'looking', done, total: roots.length });
      await parts.clock.sleep(0);
    }
    if (signal?.aborted === true) return undefined;
    marker.mark(oid);
  }
  return { live: marker.reached, missing: marker.missing };
}

/** A ref that was lost can be made anew while the record knows its commit. */
function recordRoots({ journals }: RetentionParts): readonly Oid[] {
  return journals.hashes().flatMap((h16) =>
    journals
      .of(h16)
      .records()
      .flatMap((record) =>
        record.type === 'open' ? [record.id] : record.after === undefined ? [] : [record.after.root],
      ),
  );
}
