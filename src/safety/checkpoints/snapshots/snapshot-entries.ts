import type { Oid, PathEntry, PathState } from '../model/path-state.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { SnapshotView } from './snapshot-view.ts';

/**
 * What stands at a path (relative, `/` between its parts; empty for the root) in a snapshot. `hole` when it, or a folder it
 * lies in, was not captured. To ask for many paths, open a {@link SnapshotView}.
 *
 * @throws CorruptObjectError when the snapshot is missing, or is damaged.
 */
export function stateAt(objects: ObjectStore, root: Oid, path: string): PathState {
  return new SnapshotView(objects, root).stateAt(path);
}

/** Every captured path of a snapshot but the root, folders included; sorted by path, by UTF-16 code units. */
export function entriesOf(objects: ObjectStore, root: Oid): Iterable<PathEntry> {
  return new SnapshotView(objects, root).entries();
}
