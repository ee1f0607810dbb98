import type { PathState } from '../model/path-state.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';

/** What stood at a path, as a record says. */
export interface ToldState {
  readonly state: PathState;
  /** Of the record of the call before which it was looked at. */
  readonly seq: number;
  /** Whether it is from that record's snapshot. */
  readonly isScanned: boolean;
}

/**
 * What stood at `seq` at every path that a record from then on concerns: what the first of them found there. Where only a
 * call tells that had begun before and ended after, what was last known before `seq`.
 */
export function toldStates(
  records: readonly CheckpointRecord[],
  seq: number,
): ReadonlyMap<string, ToldState> {
  const told = new Map<string, ToldState>();
  const sorted = records.toSorted((one, other) => one.seq - other.seq);
  for (const mention of mentionsBefore(sorted, ({ open }) => open.seq >= seq))
    if (!told.has(mention.path)) told.set(mention.path, mention);
  const running = new Map<string, ToldState>();
  for (const mention of mentionsBefore(sorted, ({ open, end }) => open.seq < seq && end > seq))
    if (!told.has(mention.path)) running.set(mention.path, mention);
  for (const record of sorted) {
    if (record.seq >= seq || running.size === 0) break;
    const changes = record.type === 'close' ? record.changes : [];
    for (const { path, after } of changes) update(running, path, { state: after, seq: record.seq });
    for (const { path, state } of record.named) update(running, path, { state, seq: record.seq });
  }
  for (const [path, state] of running) told.set(path, state);
  return told;
}

interface Call {
  readonly open: OpenRecord;
  /** `seq` of its last close; 0 when it has none. */
  readonly end: number;
}

/** What stood before each of these calls at the paths it concerns, in the order of the calls. */
function* mentionsBefore(
  sorted: readonly CheckpointRecord[],
  isMeant: (call: Call) => boolean,
): Generator<ToldState & { readonly path: string }> {
  const closes = Map.groupBy(
    sorted.filter((record) => record.type === 'close'),
    ({ opens }) => opens,
  );
  for (const open of sorted) {
    if (open.type !== 'open') continue;
    const own = closes.get(open.seq) ?? [];
    if (!isMeant({ open, end: own.at(-1)?.seq ?? 0 })) continue;
    const { seq } = open;
    for (const { path, state } of open.named) yield { path, state, seq, isScanned: false };
    for (const { changes } of own)
      for (const { path, before } of changes) yield { path, state: before, seq, isScanned: true };
  }
}

function update(states: Map<string, ToldState>, path: string, told: Pick<ToldState, 'state' | 'seq'>): void {
  const known = states.get(path);
  if (known !== undefined && known.seq <= told.seq) states.set(path, { ...told, isScanned: false });
}
