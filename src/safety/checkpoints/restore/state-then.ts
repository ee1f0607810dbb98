import type { PathState } from '../model/path-state.ts';
import type { OpenRecord } from '../model/record.ts';
import type { PlanRequest } from './plan-model.ts';

/** What is known of the project as it was at a checkpoint. */
export interface StateThen {
  /**
   * What the first record from the checkpoint on that covers the path found there; a hole when that is all that is known,
   * undefined when no record covers it.
   */
  stateOf(path: string): PathState | undefined;
  /** The paths that records from then on name, or report a change of. Sorted. */
  readonly mentioned: readonly string[];
  /** The first record from then on with a snapshot. */
  readonly scanned: OpenRecord | undefined;
}

/** @param seq position of the checkpoint. */
export function stateThen(
  { records, events, snapshots }: Pick<PlanRequest, 'records' | 'events' | 'snapshots'>,
  seq: number,
): StateThen {
  const opens = records
    .filter((record) => record.type === 'open')
    .filter((open) => open.seq >= seq)
    .toSorted((one, other) => one.seq - other.seq);
  const scans = opens.filter(({ before }) => before !== undefined);
  const named = new Map<string, { readonly seq: number; readonly state: PathState }>();
  for (const open of opens)
    for (const { path, state } of open.named)
      if (!named.has(path) && state.kind !== 'hole') named.set(path, { seq: open.seq, state });
  const mentioned = new Set(named.keys());
  for (const event of events) if (event.seq >= seq) mentioned.add(event.path);
  const stateOf = (path: string): PathState | undefined => {
    const told = named.get(path);
    let hole: PathState | undefined;
    for (const { seq: at, before } of scans) {
      if (told !== undefined && told.seq <= at) return told.state;
      if (before === undefined) continue;
      const state = snapshots.stateAt(before.root, path);
      if (state.kind !== 'hole') return state;
      hole ??= state;
      // Only what calls concern is looked for in later snapshots: it may have become something that is captured.
      if (!mentioned.has(path)) break;
    }
    return told?.state ?? hole;
  };
  return { stateOf, mentioned: [...mentioned].sort(), scanned: scans[0] };
}
