import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { Oid, PathChange, PathEntry } from './path-state.ts';
import type { Snapshot } from './snapshot.ts';

/** Whose call it was. All opaque. */
export interface CallOwner {
  readonly sessionId: string;
  /** The lineage: sessions that compaction or resume made of one. */
  readonly rootSessionId: string;
  readonly turnId: string;
  readonly callId: string;
}

/** What is known, without running it, of what a command can change. See `src/shell`. */
export interface Footprint {
  /** The literal words of the command that may name files, as written; relative to `cwd`. */
  readonly words: readonly string[];
  /** Whether every program in it changes nothing but what its words name (or lies below). */
  readonly isComplete: boolean;
  /** Whether it may go on after it has answered: it was put in the background, or puts something there. */
  readonly isDetached: boolean;
  /** Where the words start, absolute. */
  readonly cwd: string;
}

/** What was taken before a call, or for a person. Written once, before the call runs; never changed. */
export interface OpenRecord {
  readonly type: 'open';
  /** Position in the project's history: later ones are higher. Opens and closes share one row of numbers. */
  readonly seq: number;
  /** The id of the checkpoint for life: the commit that holds what was captured. */
  readonly id: Oid;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  /** `call`: before a tool call. `manual`: a person took it. `rollback`: before a restore. */
  readonly kind: 'call' | 'manual' | 'rollback';
  /** One line: `before write_file`. */
  readonly reason: string;
  /** Absent for what a person did outside of a session. */
  readonly owner?: CallOwner;
  /** The process that can still close the record. */
  readonly process: ProcessIdentity;
  /** What stood at the paths that the call names. */
  readonly named: readonly PathEntry[];
  /** Paths of `named` whose content has a shorter life: they are ignored ones, secrets as a rule. */
  readonly isPrivate: readonly string[];
  /** The whole tree, when the call could have changed anything. */
  readonly before?: Snapshot;
  readonly footprint?: Footprint;
  /** Of a project that is none yet, its root: a word of the command names a file there, and it is none until that has changed. */
  readonly tentativeRoot?: string;
  /** Bytes this record added to the store. */
  readonly bytes: number;
}

/** What a call had changed when it ended. */
export interface CloseRecord {
  readonly type: 'close';
  readonly seq: number;
  /** The `seq` of the record it closes. */
  readonly opens: number;
  readonly at: number;
  /** What stood at the named paths afterwards; they are in the store too. */
  readonly named: readonly PathEntry[];
  readonly after?: Snapshot;
  /** What differs between the two snapshots. Empty when there are none. */
  readonly changes: readonly PathChange[];
  /** Whether it was written for a process that died: nobody knows what else happened in the meantime. */
  readonly isLate: boolean;
  readonly bytes: number;
}

export type CheckpointRecord = OpenRecord | CloseRecord;
