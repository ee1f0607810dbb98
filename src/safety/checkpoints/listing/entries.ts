import type { Oid } from '../model/path-state.ts';
import type { CallOwner, CheckpointRecord, CloseRecord, OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** One call with what was recorded when it ended: nothing when it was not heard of again. */
export interface EntryCall {
  readonly open: OpenRecord;
  /** By `seq`; one as a rule. */
  readonly closes: readonly CloseRecord[];
}

/** What a person calls a checkpoint: the calls of one turn, or what was taken by hand or before a restore. */
export interface Entry {
  /** The id of the first call, for life. */
  readonly id: Oid;
  /** Position of the first call in the project's history. */
  readonly seq: number;
  /** Of the first call; milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly kind: OpenRecord['kind'];
  /** Of the first call. */
  readonly reason: string;
  readonly owner?: CallOwner;
  /** By `seq`; at least one. */
  readonly calls: readonly EntryCall[];
}

/**
 * The entries of a project, newest first: one for each turn of a session and its descendants, one for each record that
 * belongs to none. With `allCalls` one for each call. The records may come in any order; a close without its open is left out.
 */
export function groupEntries(
  records: readonly CheckpointRecord[],
  { allCalls = false }: { readonly allCalls?: boolean } = {},
): readonly Entry[] {
  const groups = new Map<string, EntryCall[]>();
  for (const call of callsOf(records)) {
    const key = allCalls ? String(call.open.seq) : groupKey(call.open);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  return Array.from(groups.values(), entryOf)
    .filter((entry) => entry !== undefined)
    .toReversed();
}

/** The part of an entry that begins with the call of this `seq`; undefined when it is none of its calls. */
export function entryFrom(entry: Entry, seq: number): Entry | undefined {
  return entryOf(entry.calls.slice(entry.calls.findIndex(({ open }) => open.seq === seq)));
}

/** The first snapshot of an entry, with the position of its record. */
export function snapshotOf({ calls }: Entry): (Snapshot & { readonly seq: number }) | undefined {
  for (const { open } of calls) if (open.before !== undefined) return { ...open.before, seq: open.seq };
  return undefined;
}

function callsOf(records: readonly CheckpointRecord[]): readonly EntryCall[] {
  const sorted = records.toSorted((one, other) => one.seq - other.seq);
  const closes = new Map<number, CloseRecord[]>();
  for (const record of sorted) {
    if (record.type === 'open') continue;
    const known = closes.get(record.opens);
    if (known === undefined) closes.set(record.opens, [record]);
    else known.push(record);
  }
  return sorted
    .filter((record) => record.type === 'open')
    .map((open) => ({ open, closes: closes.get(open.seq) ?? [] }));
}

function groupKey({ kind, owner, seq }: OpenRecord): string {
  return kind === 'call' && owner !== undefined
    ? JSON.stringify([owner.rootSessionId, owner.turnId])
    : String(seq);
}

function entryOf(calls: readonly EntryCall[]): Entry | undefined {
  const first = calls[0]?.open;
  if (first === undefined) return undefined;
  const { id, seq, at, kind, reason, owner } = first;
  return { id, seq, at, kind, reason, calls, ...(owner === undefined ? {} : { owner }) };
}
