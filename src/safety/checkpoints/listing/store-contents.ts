import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import { stateAt } from '../snapshots/snapshot-entries.ts';
import { readMeta } from '../snapshots/snapshot-meta.ts';
import type { Contents, Snapshots } from './contents.ts';

/** The contents of a store. A damaged object counts as lost: `verify` tells about it, and the others are still shown. */
export function storeContents(objects: Pick<ObjectStore, 'read'>): Contents {
  return {
    read(oid) {
      try {
        return objects.read(oid)?.bytes;
      } catch (error) {
        if (error instanceof CorruptObjectError) return undefined;
        throw error;
      }
    },
  };
}

/** The snapshots of a store. Throws `CorruptObjectError` for a damaged one. */
export function storeSnapshots(objects: ObjectStore): Snapshots {
  return {
    stateAt: (root, path) => stateAt(objects, root, path),
    diff: (before, after) => diffSnapshots(objects, before, after),
    holesOf: (root) => readMeta(objects, root).holes,
  };
}
