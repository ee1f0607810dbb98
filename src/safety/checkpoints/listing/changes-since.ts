import { isSameState, type Oid, type PathChange, type PathState } from '../model/path-state.ts';
import type { CheckpointRecord } from '../model/record.ts';
import type { Snapshots } from './contents.ts';
import type { CurrentTree } from './current-tree.ts';
import { type Entry, snapshotOf } from './entries.ts';
import { byPath } from './net-changes.ts';
import { type ToldState, toldStates } from './told-states.ts';

export interface ChangesRequest {
  readonly entry: Entry;
  readonly records: readonly CheckpointRecord[];
  readonly now: CurrentTree;
  readonly isWanted: (path: string) => boolean;
}

/**
 * What differs between a checkpoint and now, sorted by path. What stood at a path then is told by the first record from
 * the checkpoint on that concerns it; by the entry's own snapshot, when that is older and covers the path. Where one of the
 * two is not known, the path is listed with a `hole`.
 */
export function changesSince(snapshots: Snapshots, request: ChangesRequest): readonly PathChange[] {
  const { entry, records, now, isWanted } = request;
  const told = toldStates(records, entry.seq);
  const snapshot = snapshotOf(entry);
  const current = snapshot === undefined ? undefined : now.scanNow?.()?.root;
  const isScanned = snapshot !== undefined && current !== undefined;
  const scanned = new Map<string, PathChange>();
  if (isScanned) {
    for (const change of snapshots.diff(snapshot.root, current)) scanned.set(change.path, change);
  }
  const changes: PathChange[] = [];
  for (const [path, { state, seq, isScanned: isFromScan }] of told) {
    if (!isWanted(path)) continue;
    const captured = capturedState(snapshots, {
      path,
      snapshot,
      told: { state, seq, isScanned: isFromScan },
    });
    // The two snapshots have been compared already.
    const isCompared = isScanned && captured !== undefined;
    const after = isCompared
      ? (scanned.get(path)?.after ?? captured)
      : currentState(snapshots, path, current);
    changes.push({ path, before: captured ?? state, after: known(after) ?? now.stateOf(path) });
  }
  for (const change of scanned.values())
    if (!told.has(change.path) && isWanted(change.path)) changes.push(change);
  return changes.filter(({ before, after }) => !isSameState(before, after)).sort(byPath);
}

/** What the entry's snapshot says of a path, when it is not newer than what a record tells, and says anything. */
function capturedState(
  snapshots: Snapshots,
  request: {
    readonly path: string;
    readonly snapshot: { readonly root: Oid; readonly seq: number } | undefined;
    readonly told: ToldState;
  },
): PathState | undefined {
  const { path, snapshot, told } = request;
  if (snapshot === undefined || told.seq < snapshot.seq) return undefined;
  if (told.seq > snapshot.seq) return known(snapshots.stateAt(snapshot.root, path));
  return told.isScanned ? known(told.state) : undefined;
}

function currentState(snapshots: Snapshots, path: string, root: Oid | undefined): PathState | undefined {
  return root === undefined ? undefined : snapshots.stateAt(root, path);
}

function known(state: PathState | undefined): PathState | undefined {
  return state?.kind === 'hole' ? undefined : state;
}
