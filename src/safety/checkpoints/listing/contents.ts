import type { Hole, Oid, PathChange, PathState } from '../model/path-state.ts';

/** What the store holds under an object id. */
export interface Contents {
  /** Undefined when it is not there any more, or damaged. */
  read(oid: Oid): Uint8Array | undefined;
}

/** The snapshots of the store, by their roots. */
export interface Snapshots {
  /** `hole` when it, or a folder above it, was not captured. */
  stateAt(root: Oid, path: string): PathState;
  /** Holes stand as `hole` on their side. */
  diff(before: Oid, after: Oid): readonly PathChange[];
  holesOf(root: Oid): readonly Hole[];
}
