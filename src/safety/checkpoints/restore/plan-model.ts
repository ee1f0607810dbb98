import type { Failure } from '../../../kernel/errors/index.ts';
import type { Oid, PathChange, PathEntry, PathState } from '../model/path-state.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';
import type { PathEvent } from './path-event.ts';

/** The snapshots of the store. */
export interface SnapshotReader {
  /** `hole` when it, or a folder above it, was not captured. */
  stateAt(root: Oid, path: string): PathState;
  /** Every captured path. */
  entries(root: Oid): Iterable<PathEntry>;
  diff(before: Oid, after: Oid): readonly PathChange[];
}

/** The project as it is. Links are never followed. */
export interface TreeReader {
  /** `absent` also where a folder on the way is none. */
  stateOf(path: string): PathState;
  /** The names in a folder. */
  namesIn(path: string): readonly string[];
}

/**
 * `agent`: what agents changed, unless somebody has changed it since. `all`: every path that is known to have been otherwise.
 * `exact`: and captured paths that were not there are removed.
 */
export type RestoreMode = 'agent' | 'all' | 'exact';

/** `entry`: back to the moment before the first of these calls. `call`: without this one call. */
export type PlanTarget =
  | { readonly type: 'entry'; readonly opens: readonly [OpenRecord, ...OpenRecord[]] }
  | { readonly type: 'call'; readonly open: OpenRecord };

export interface PlanRequest {
  /** Of the project: absolute, canonical. */
  readonly root: string;
  readonly records: readonly CheckpointRecord[];
  /** In order; see `eventsOf`. */
  readonly events: readonly PathEvent[];
  readonly snapshots: SnapshotReader;
  readonly tree: TreeReader;
  readonly target: PlanTarget;
  readonly mode: RestoreMode;
  /** Only these, over whatever anybody has changed. Absolute, or relative to `directory`; no patterns. */
  readonly paths?: readonly string[];
  /** Absolute; the root when absent. */
  readonly directory?: string;
  readonly includeAmbiguous: boolean;
  /** The sessions (`rootSessionId`) whose changes are taken back by `agent`; all when absent. */
  readonly lineage?: ReadonlySet<string>;
  /** A scan of the project as it is. `exact` needs it; `all` reads the whole project when there is none. */
  readonly now?: Oid;
}

export interface PlannedAction {
  readonly path: string;
  /** What stands there. */
  readonly from: PathState;
  readonly to: PathState;
}

export interface SkippedPath {
  readonly path: string;
  readonly reason: string;
  /** Whether it is left alone because it may be somebody else's doing. */
  readonly isAmbiguous?: true;
}

/** What a restore does. Every list is sorted by path. */
export interface Plan {
  readonly actions: readonly PlannedAction[];
  /** Changed by somebody since; they stay as they are. */
  readonly kept: readonly string[];
  /** What is not brought back, or not all the way. */
  readonly skipped: readonly SkippedPath[];
}

export type PlanFailureCode = 'not_scanned' | 'outside' | 'not_in_checkpoint';

export type PlanResult = { readonly ok: true; readonly plan: Plan } | Failure<PlanFailureCode>;

/** A plan before it is known what stands in its way. */
export interface DraftPlan {
  readonly actions: Map<string, PlannedAction>;
  readonly kept: Set<string>;
  readonly skipped: Map<string, string>;
  /** Those of `skipped` that may be somebody else's doing. */
  readonly doubtful: Set<string>;
}

export function emptyDraft(): DraftPlan {
  return { actions: new Map(), kept: new Set(), skipped: new Map(), doubtful: new Set() };
}

/** Orders by path, so that a folder comes before what is in it. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  if (one.path === other.path) return 0;
  return one.path < other.path ? -1 : 1;
}

/** Why a path of which nothing is known is left alone. */
export function holeText(reason: string): string {
  return `it is not captured: ${reason.replaceAll('_', ' ')}`;
}
