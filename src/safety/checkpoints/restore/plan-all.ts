import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { isSameState, type PathState } from '../model/path-state.ts';
import { doubtIn } from './path-chain.ts';
import type { PathEvent } from './path-event.ts';
import { type DraftPlan, emptyDraft, holeText, type PlanRequest, type PlanTarget } from './plan-model.ts';
import { type StateThen, stateThen } from './state-then.ts';

/**
 * Brings back every path that any record from `seq` on covers, over whatever anybody has changed. Removes only what a call
 * made.
 */
export function planAll(request: PlanRequest, seq: number): DraftPlan {
  const { events, tree, includeAmbiguous } = request;
  const then = stateThen(request, seq);
  const mentioned = new Set(then.mentioned);
  const makings = makingsByPath(events, seq);
  const draft = emptyDraft();
  for (const path of candidates(request, then)) {
    const to = then.stateOf(path);
    if (to === undefined) continue;
    if (to.kind === 'hole') {
      if (mentioned.has(path)) draft.skipped.set(path, holeText(to.reason));
      continue;
    }
    const from = tree.stateOf(path);
    if (isSameState(from, to)) continue;
    if (to.kind === 'absent') {
      const made = makings.get(path) ?? [];
      const doubts = made.map((event) => doubtIn([event], ({ certainty }) => certainty));
      if (made.length === 0) continue;
      if (!includeAmbiguous && !doubts.includes(undefined)) {
        draft.skipped.set(path, doubts[0] ?? '');
        continue;
      }
    }
    draft.actions.set(path, { path, from, to });
  }
  return draft;
}

/** As {@link planAll}, and removes what was not there. The checkpoint must have been scanned as a whole. */
export function planExact(
  request: PlanRequest & { readonly target: PlanTarget & { readonly type: 'entry' } },
  seq: number,
): DraftPlan | Failure<'not_scanned'> {
  const { target, now, snapshots, tree } = request;
  const id = target.opens[0].id.slice(0, 8);
  const scanned = target.opens.find(({ before }) => before?.coverage === 'whole')?.before;
  if (scanned === undefined)
    return fail(
      'not_scanned',
      `checkpoint ${id} does not know every file that was there`,
      'leave out --exact, or choose a checkpoint of a command',
    );
  if (now === undefined)
    return fail('not_scanned', 'the project cannot be scanned as it is', 'leave out --exact');
  const draft = planAll(request, seq);
  const then = stateThen(request, seq);
  for (const { path, before, after } of snapshots.diff(scanned.root, now)) {
    if (before.kind !== 'absent' || after.kind === 'hole' || draft.actions.has(path)) continue;
    const from = tree.stateOf(path);
    // A call that ran before the scan may have found it there.
    const to = then.stateOf(path);
    if (from.kind === 'absent' || to?.kind !== 'absent') continue;
    draft.skipped.delete(path);
    draft.actions.set(path, { path, from, to: { kind: 'absent' } });
  }
  return draft;
}

/** The events that made something where nothing was, from `seq` on. */
export function makingsByPath(
  events: readonly PathEvent[],
  seq: number,
): ReadonlyMap<string, readonly PathEvent[]> {
  return Map.groupBy(
    events.filter((event) => event.seq >= seq && isMaking(event)),
    ({ path }) => path,
  );
}

function isMaking({ before, after }: { readonly before: PathState; readonly after: PathState }): boolean {
  return before.kind === 'absent' && after.kind !== 'absent';
}

function* candidates({ snapshots, now }: PlanRequest, then: StateThen): Iterable<string> {
  const seen = new Set(then.mentioned);
  yield* then.mentioned;
  const root = then.scanned?.before?.root;
  if (root === undefined) return;
  const others = now === undefined ? snapshots.entries(root) : snapshots.diff(root, now);
  for (const { path } of others) {
    if (seen.has(path)) continue;
    seen.add(path);
    yield path;
  }
}
