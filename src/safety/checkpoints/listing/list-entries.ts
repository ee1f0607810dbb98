import type { Oid } from '../model/path-state.ts';
import type { CallOwner, CheckpointRecord, OpenRecord } from '../model/record.ts';
import type { ChangeTotals, Totals } from './change-totals.ts';
import { type Entry, groupEntries, snapshotOf } from './entries.ts';

/** A line of the list of checkpoints. */
export interface ListedEntry extends Totals {
  /** 1 is the newest. Only good for the list it is shown in. */
  readonly n: number;
  readonly id: Oid;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly kind: OpenRecord['kind'];
  readonly reason: string;
  /** Of the first call, as the two below. */
  readonly callId?: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** Paths that its snapshot does not cover; 0 when it has none. */
  readonly holes: number;
  /** How many calls it stands for. */
  readonly calls: number;
}

export interface ListOptions {
  /** One line for each call instead of one for each turn. */
  readonly allCalls?: boolean;
  /** Only so many, the newest. */
  readonly limit?: number;
}

/**
 * The checkpoints of a project, newest first, each with what its own calls did after it was taken. Reads only contents
 * that `totals` has not counted yet.
 */
export function listEntries(
  { records, totals }: { readonly records: readonly CheckpointRecord[]; readonly totals: ChangeTotals },
  { allCalls = false, limit = Number.POSITIVE_INFINITY }: ListOptions = {},
): readonly ListedEntry[] {
  return groupEntries(records, { allCalls })
    .slice(0, limit)
    .map((entry, index) => listed(entry, index + 1, totals));
}

function listed(entry: Entry, n: number, totals: ChangeTotals): ListedEntry {
  return {
    n,
    id: entry.id,
    at: entry.at,
    kind: entry.kind,
    reason: entry.reason,
    ...(entry.owner === undefined ? {} : ownerOf(entry.owner)),
    ...totals.of(entry),
    holes: snapshotOf(entry)?.holes ?? 0,
    calls: entry.calls.length,
  };
}

function ownerOf({
  callId,
  sessionId,
  turnId,
}: CallOwner): Pick<ListedEntry, 'callId' | 'sessionId' | 'turnId'> {
  return { callId, sessionId, turnId };
}
