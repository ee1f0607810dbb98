import { type HoleReason, isSameState, type PathState } from '../model/path-state.ts';
import { doubtIn, followBack, holeIn } from './path-chain.ts';
import type { PathEvent } from './path-event.ts';
import { type DraftPlan, emptyDraft, holeText, type PlanRequest } from './plan-model.ts';

type PathEvents = readonly [PathEvent, ...PathEvent[]];

/**
 * Takes back what calls did from `seq` on, path by path, as long as what stands there is what they left. What somebody has
 * changed since is kept.
 */
export function planAgent(request: PlanRequest, seq: number): DraftPlan {
  const draft = emptyDraft();
  for (const [path, events] of eventsByPath(request.events.filter((event) => event.seq >= seq)))
    planPath(draft, request, { path, events, current: request.tree.stateOf(path) });
  return draft;
}

/** Takes back one call where nothing has changed what it left. With mode `all`, over such changes. */
export function planCall(request: PlanRequest, seq: number): DraftPlan {
  const { tree, mode, includeAmbiguous } = request;
  const draft = emptyDraft();
  for (const [path, events] of eventsByPath(request.events.filter((event) => event.seq === seq))) {
    const current = tree.stateOf(path);
    const to = events[0].before;
    const left = events.at(-1) ?? events[0];
    const newest = request.events.findLast((event) => event.path === path) ?? left;
    // What the call had left may also stand there because somebody made it again after later calls.
    const isUntouched = isSameState(current, left.after) && isSameState(current, newest.after);
    const hole = holeIn(events);
    const doubt = includeAmbiguous ? undefined : doubtIn(events, (event) => event.callCertainty);
    if (hole !== undefined) draft.skipped.set(path, holeText(hole));
    else if (isSameState(current, to)) continue;
    else if (mode === 'agent' && !isUntouched) {
      draft.kept.add(path);
      if (newest.seq > seq)
        draft.skipped.set(path, `it was changed again: ${newest.reason} (${newest.id.slice(0, 8)})`);
    } else if (doubt !== undefined) leaveDoubtful(draft, path, doubt);
    else draft.actions.set(path, { path, from: current, to });
  }
  return draft;
}

function eventsByPath(events: readonly PathEvent[]): ReadonlyMap<string, PathEvents> {
  const byPath = new Map<string, [PathEvent, ...PathEvent[]]>();
  for (const event of events) {
    const known = byPath.get(event.path);
    if (known === undefined) byPath.set(event.path, [event]);
    else known.push(event);
  }
  return byPath;
}

interface PathCase {
  readonly path: string;
  readonly events: PathEvents;
  readonly current: PathState;
}

function planPath(draft: DraftPlan, request: PlanRequest, { path, events, current }: PathCase): void {
  const first = events[0];
  const last = events.at(-1) ?? first;
  if (isSameState(current, first.before)) return;
  const hole = holeIn(events);
  if (hole !== undefined) {
    draft.skipped.set(path, uncapturedText(hole, first.before, current));
    return;
  }
  if (events.some((event) => isOthers(event, request.lineage))) {
    draft.kept.add(path);
    draft.skipped.set(path, 'it was changed by another session');
    return;
  }
  if (!isSameState(current, last.after)) {
    draft.kept.add(path);
    return;
  }
  const { to, used, isBroken } = followBack(events);
  const doubt = request.includeAmbiguous ? undefined : doubtIn(used, (event) => event.certainty);
  if (doubt !== undefined) {
    leaveDoubtful(draft, path, doubt);
    return;
  }
  if (isSameState(current, to)) {
    draft.kept.add(path);
    return;
  }
  draft.actions.set(path, { path, from: current, to });
  if (isBroken)
    draft.skipped.set(path, 'it went back to what somebody else left between two calls; --all goes further');
}

/** Why a path of which not everything is known is left alone. */
function uncapturedText(reason: HoleReason, before: PathState, current: PathState): string {
  const text = holeText(reason);
  if (before.kind === 'hole') return current.kind === 'absent' ? `it was removed, and ${text}` : text;
  return before.kind === 'absent' || current.kind === 'hole' ? text : `${text} since; --all goes further`;
}

function leaveDoubtful(draft: DraftPlan, path: string, reason: string): void {
  draft.skipped.set(path, reason);
  draft.doubtful.add(path);
}

function isOthers({ owner }: PathEvent, lineage: ReadonlySet<string> | undefined): boolean {
  return lineage !== undefined && owner !== undefined && !lineage.has(owner.rootSessionId);
}
