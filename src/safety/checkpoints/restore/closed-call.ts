import { isSameState, type PathChange, type PathState } from '../model/path-state.ts';
import type { CheckpointRecord, CloseRecord, OpenRecord } from '../model/record.ts';

/** A call that has ended, with what it changed as its own two records tell. */
export interface ClosedCall {
  readonly open: OpenRecord;
  readonly close: CloseRecord;
  /** By path; holes included. */
  readonly changes: ReadonlyMap<string, PathChange>;
}

/** The calls that have ended, in the order they began. Of a call that was closed twice, the close that was not late counts. */
export function closedCalls(records: readonly CheckpointRecord[]): readonly ClosedCall[] {
  const closes = new Map<number, CloseRecord>();
  const sorted = records.toSorted((one, other) => one.seq - other.seq);
  for (const record of sorted) {
    if (record.type === 'open') continue;
    const known = closes.get(record.opens);
    if (known === undefined || (known.isLate && !record.isLate)) closes.set(record.opens, record);
  }
  const calls: ClosedCall[] = [];
  for (const open of sorted) {
    if (open.type !== 'open') continue;
    const close = closes.get(open.seq);
    if (close !== undefined) calls.push({ open, close, changes: changesOf(open, close) });
  }
  return calls;
}

/** Whether the call could change more than it names. */
export function isScanned({ open }: ClosedCall): boolean {
  return open.before !== undefined;
}

export function isOverlapping(one: ClosedCall, other: ClosedCall): boolean {
  return one.open.seq < other.close.seq && other.open.seq < one.close.seq;
}

function changesOf(open: OpenRecord, close: CloseRecord): ReadonlyMap<string, PathChange> {
  const changes = new Map<string, PathChange>();
  for (const change of close.changes) changes.set(change.path, change);
  const after = new Map(close.named.map(({ path, state }): [string, PathState] => [path, state]));
  for (const { path, state: before } of open.named) {
    const then = after.get(path);
    const known = changes.get(path);
    const isUnknown = known !== undefined && (known.before.kind === 'hole' || known.after.kind === 'hole');
    if (then === undefined || (known !== undefined && !isUnknown)) continue;
    if (isSameState(before, then)) changes.delete(path);
    else changes.set(path, { path, before, after: then });
  }
  return changes;
}
