import type { Oid, PathState } from '../model/path-state.ts';
import type { CallOwner, OpenRecord } from '../model/record.ts';

/** Whether a change is known to be the doing of the call it is ascribed to. */
export type Certainty = 'certain' | { readonly ambiguous: string };

/** That something became of a path, as the records tell it. */
export interface PathEvent {
  /** `seq` of the open record of the call it is ascribed to. */
  readonly seq: number;
  /** Where the window of the call ends: `seq` of its close. */
  readonly end: number;
  /** Sorts the events of a path in time; not whole for what happened between two records. */
  readonly order: number;
  readonly id: Oid;
  readonly kind: OpenRecord['kind'];
  /** Of the open record. */
  readonly reason: string;
  /** Absent for what a restore did. */
  readonly owner?: CallOwner;
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  /** For whoever takes back everything since some moment. */
  readonly certainty: Certainty;
  /** For whoever takes back this call alone. */
  readonly callCertainty: Certainty;
}
