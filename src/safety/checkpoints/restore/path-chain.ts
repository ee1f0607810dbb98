import { type HoleReason, isSameState, type PathState } from '../model/path-state.ts';
import type { Certainty, PathEvent } from './path-event.ts';

/** How far back the changes of one path can be followed from what they left. */
export interface PathChain {
  /** What stood there before the first event that could be reached. */
  readonly to: PathState;
  /** The events that are taken back, oldest first. */
  readonly used: readonly PathEvent[];
  /** Whether older events remain: between them and these somebody else changed the path. */
  readonly isBroken: boolean;
}

/** Follows the events of one path (oldest first, at least one) backwards while each begins where the one before it ended. */
export function followBack(events: readonly [PathEvent, ...PathEvent[]]): PathChain {
  let first = events.length - 1;
  while (first > 0 && isLinked(events[first - 1], events[first])) first -= 1;
  const used = events.slice(first);
  return { to: (used[0] ?? events[0]).before, used, isBroken: first > 0 };
}

/** Calls that ran at the same time saw the same beginning. */
function isLinked(earlier: PathEvent | undefined, later: PathEvent | undefined): boolean {
  if (earlier === undefined || later === undefined) return false;
  if (isSameState(earlier.after, later.before)) return true;
  const isParallel = earlier.seq < later.end && later.seq < earlier.end;
  return isParallel && isSameState(earlier.before, later.before);
}

/** The first reason why it is not known what one of the events changed. */
export function holeIn(events: readonly PathEvent[]): HoleReason | undefined {
  for (const { before, after } of events) {
    if (before.kind === 'hole') return before.reason;
    if (after.kind === 'hole') return after.reason;
  }
  return undefined;
}

/** The first reason why one of the events may be somebody else's doing. */
export function doubtIn(
  events: readonly PathEvent[],
  certaintyOf: (event: PathEvent) => Certainty,
): string | undefined {
  for (const event of events) {
    const certainty = certaintyOf(event);
    if (certainty !== 'certain') return certainty.ambiguous;
  }
  return undefined;
}
