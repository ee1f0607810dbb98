import { isSameState, type PathChange, type PathState } from '../model/path-state.ts';
import type { Entry } from './entries.ts';

/**
 * What the calls of an entry did to each path, taken together: from what stood there before the first call that concerns
 * it to what stood there after the last. Paths that came back to what they were are left out, and those of which one side
 * is not known. Sorted by path.
 */
export function netChanges({ calls }: Entry): readonly PathChange[] {
  const before = new Map<string, PathState>();
  for (const { open, closes } of calls) {
    for (const { path, state } of open.named) setFirst(before, path, state);
    for (const change of closes.flatMap(({ changes }) => changes))
      setFirst(before, change.path, change.before);
  }
  const after = new Map<string, PathState>();
  const closes = calls.flatMap((call) => call.closes).toSorted((one, other) => one.seq - other.seq);
  for (const close of closes) {
    for (const change of close.changes) after.set(change.path, change.after);
    for (const { path, state } of close.named) after.set(path, state);
  }
  const net: PathChange[] = [];
  for (const [path, then] of after) {
    const first = before.get(path);
    if (first === undefined || first.kind === 'hole' || then.kind === 'hole') continue;
    if (!isSameState(first, then)) net.push({ path, before: first, after: then });
  }
  return net.sort(byPath);
}

function setFirst(states: Map<string, PathState>, path: string, state: PathState): void {
  if (!states.has(path)) states.set(path, state);
}

/** Orders by path. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  if (one.path === other.path) return 0;
  return one.path < other.path ? -1 : 1;
}
