import type { Failure, Result } from '../../kernel/errors/index.ts';
import type { ProcessIdentity } from '../../platform/process/index.ts';
import type { Hole, Oid } from './model/path-state.ts';
import type { CallOwner, Footprint } from './model/record.ts';

/** What a call is about to do, as far as checkpoints are concerned. */
export interface CallCapture {
  /** One line: `before write_file`. */
  readonly reason: string;
  readonly owner: CallOwner;
  /** The files the call names, absolute. */
  readonly paths: readonly string[];
  /** Present when the call may change more than it names. */
  readonly scan?: {
    /** Absolute; the whole project it belongs to is captured. */
    readonly directory: string;
    readonly footprint?: Footprint;
  };
  /** The process that can still end the call; this one when absent. */
  readonly process?: ProcessIdentity;
}

/** Something that could not be captured or noted. */
export interface CaptureFailure {
  /** Absolute: the file or the project. */
  readonly path: string;
  readonly message: string;
}

export interface CaptureReport {
  /** Names what was captured, for `settle`. Empty when nothing was. */
  readonly token: string;
  /** The checkpoints that were taken, one for each project. Places where the call only may write are left out. */
  readonly ids: readonly Oid[];
  /** Lines for the person: what is covered in part only. */
  readonly notices: readonly string[];
  readonly failures: readonly CaptureFailure[];
}

export type SettleReport = Pick<CaptureReport, 'notices' | 'failures'>;

/** One line of the list. */
export interface ListedCheckpoint {
  /** 1 is the newest. A convenience of the list just shown: it moves with every new checkpoint. */
  readonly n: number;
  /** For life. */
  readonly id: Oid;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly kind: 'call' | 'manual' | 'rollback';
  readonly reason: string;
  readonly callId?: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** How many calls the entry stands for. */
  readonly calls: number;
  /** What changed after the checkpoint because of its calls. */
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Paths that the checkpoint does not cover. */
  readonly holes: number;
}

export interface CheckpointList {
  /** Root of the project, absolute. */
  readonly root: string;
  readonly entries: readonly ListedCheckpoint[];
  /** Projects that have checkpoints, when this one has none. */
  readonly others: readonly { readonly workdir: string; readonly snapshots: number }[];
  /** What is wrong with the project's records, one line each. */
  readonly problems: readonly string[];
}

export interface ChangedFile {
  readonly path: string;
  readonly status: 'created' | 'modified' | 'deleted' | 'mode' | 'type';
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

/** What is different now from what it was at a checkpoint. */
export interface CheckpointDiff {
  readonly id: Oid;
  readonly root: string;
  readonly files: readonly ChangedFile[];
  readonly holes: readonly Hole[];
  /** In git's unified form; `git apply` takes it. */
  readonly patch: string;
  /** Whether lines were left out of `patch`. */
  readonly isCut: boolean;
}

export interface DiffOptions {
  /** Only these files, relative to the directory or absolute, literally, and what lies below them. */
  readonly paths?: readonly string[];
  /** The patch has no more lines than that. */
  readonly maxLines?: number;
  /** Whether a number is one of the list with one line for each call. */
  readonly allCalls?: boolean;
}

export interface RestoreOptions {
  /** Only these files, relative to the directory or absolute, literally. */
  readonly paths?: readonly string[];
  /** `agent`: what agents changed, keeping what the person did since. `all`: every covered path. `exact`: and nothing else. */
  readonly mode?: 'agent' | 'all' | 'exact';
  readonly includeAmbiguous?: boolean;
  /** Says what would be done. Writes nothing. */
  readonly isDryRun?: boolean;
  /** With `exact`: what the person agreed to lose, as `deleted` of a dry run lists it. Nothing else is removed. */
  readonly mayDelete?: readonly string[];
  /** Whether a number is one of the list with one line for each call. */
  readonly allCalls?: boolean;
  /** Keeps what sessions of other lineages changed: the `rootSessionId`s that count as own. */
  readonly lineage?: readonly string[];
}

/**
 * Which checkpoint: `ref` is a number of the list, or an id or its beginning; `callId` names one call to undo, and `callOf` the one that
 * the checkpoint of that whole id was taken for.
 */
export type RestoreTarget = { readonly ref: string } | { readonly callId: string } | { readonly callOf: Oid };

/** A checkpoint, and the project it is of. */
export interface CapturedPlace {
  /** Of the project, absolute. */
  readonly root: string;
  readonly id: Oid;
}

/** A path that was left alone, or did not go back all the way. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  /** Whether it may be somebody else's doing: `includeAmbiguous` takes it back too. */
  readonly isAmbiguous?: true;
}

export interface RestoreReport {
  readonly ok: boolean;
  readonly root: string;
  /** What the tree went back to. */
  readonly target?: {
    readonly id: Oid;
    readonly at: number;
    readonly reason: string;
    readonly owner?: CallOwner;
  };
  /** Every path that was brought back, deleted ones included; relative to the root. */
  readonly restored: readonly string[];
  /** Those of them that were removed. */
  readonly deleted: readonly string[];
  /** The person changed them since; they are as they were. */
  readonly kept: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** The checkpoint that takes this restore back; absent when nothing was to do. */
  readonly safetyId?: Oid;
  /** Why nothing was to do. */
  readonly reason?: string;
  readonly error?: Omit<Failure, 'ok'>;
}

export type ProjectState = 'live' | 'orphan' | 'unreachable';

export interface ProjectStatus {
  readonly h16: string;
  readonly workdir: string;
  readonly snapshots: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly lastTouch: number;
  readonly state: ProjectState;
  /** Why it is not captured in whole, when it is not. */
  readonly notice?: string;
}

export interface StoreStatus {
  readonly base: string;
  /** In bytes. */
  readonly bytes: number;
  readonly storeBytes: number;
  readonly legacy: readonly { readonly name: string; readonly bytes: number }[];
  readonly projects: readonly ProjectStatus[];
  /** 0 for none. */
  readonly capBytes: number;
  readonly isOverCap: boolean;
  readonly problems: readonly string[];
}

export interface PruneOptions {
  readonly retentionMs?: number;
  readonly maxTotalBytes?: number;
  /** Projects (`h16`) whose folder is gone that the person has agreed to delete. */
  readonly confirmedOrphans: readonly string[];
}

export interface PruneReport {
  readonly scanned: number;
  readonly deletedOrphans: number;
  readonly deletedStale: number;
  readonly droppedEntries: number;
  readonly bytesReclaimed: number;
  readonly isOverCap: boolean;
  readonly errors: readonly string[];
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly objects: number;
  readonly checkpoints: number;
  readonly problems: readonly string[];
}

export interface RepairReport {
  /** What was done, one line each. */
  readonly done: readonly string[];
  /** What could not be mended. */
  readonly problems: readonly string[];
}

export interface TakenCheckpoint {
  readonly id: Oid;
  readonly root: string;
  readonly files: number;
  readonly holes: number;
}

/**
 * Checkpoints of what agents do to files. What can be expected to go wrong comes back as a value; a rejection is a bug,
 * or a store that is closed.
 */
export interface CheckpointStore {
  /** Before a call. */
  capture(request: CallCapture): Promise<CaptureReport>;
  /** After it, also in another process. */
  settle(token: string): Promise<SettleReport>;
  /** The checkpoints that a capture with this token took, of projects that are still known. */
  capturedBy(token: string): Promise<readonly CapturedPlace[]>;
  /** A checkpoint of a person's. Fails with `broad_root` for `/`, the home folder and the like. */
  take(directory: string, reason: string): Promise<Result<TakenCheckpoint>>;
  list(directory: string, options?: { readonly allCalls?: boolean }): Promise<CheckpointList>;
  diff(directory: string, ref: string, options?: DiffOptions): Promise<Result<CheckpointDiff>>;
  restore(directory: string, target: RestoreTarget, options?: RestoreOptions): Promise<RestoreReport>;
  /** Takes the newest restore back. */
  undo(directory: string, options?: Pick<RestoreOptions, 'mode' | 'isDryRun'>): Promise<RestoreReport>;
  /** Deletes one checkpoint. */
  drop(directory: string, ref: string): Promise<Result<{ readonly id: Oid }>>;
  status(): Promise<StoreStatus>;
  /** Ends what processes left that died: restores are finished or reversed, calls closed. */
  recover(directory: string): Promise<readonly string[]>;
  /** The automatic sweep: does nothing when the last one is not long enough ago, or switched off. */
  sweep(): Promise<PruneReport | undefined>;
  prune(options: PruneOptions): Promise<PruneReport>;
  /** Drops what is too much and compacts, when anything is too much. */
  maintain(): Promise<PruneReport>;
  /** Whether {@link maintain} has something to do. */
  needsMaintenance(): Promise<boolean>;
  verify(): Promise<VerifyReport>;
  repair(): Promise<RepairReport>;
  /** Deletes all checkpoints of all projects. */
  clear(): Promise<Result<{ readonly bytes: number }>>;
  clearLegacy(): Promise<Result<{ readonly bytes: number; readonly archives: number }>>;
  /** Writes what it still has to write. A second call does nothing. */
  close(): Promise<void>;
}
