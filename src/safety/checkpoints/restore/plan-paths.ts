import { posix } from 'node:path';
import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { displayPath, fileSystemPath, InvalidPathError } from '../../../platform/paths/index.ts';
import { isSameState, type PathState } from '../model/path-state.ts';
import { makingsByPath } from './plan-all.ts';
import { type DraftPlan, emptyDraft, type PlanRequest } from './plan-model.ts';
import { type StateThen, stateThen } from './state-then.ts';

type PathsFailure = Failure<'outside' | 'not_in_checkpoint'>;

/**
 * Brings back the paths a person has named, with everything that is covered below them, over whatever anybody has changed.
 * Fails when one of them is outside of the project or is not covered, and then brings back nothing.
 */
export function planPaths(
  request: PlanRequest,
  seq: number,
  paths: readonly string[],
): DraftPlan | PathsFailure {
  const past = stateThen(request, seq);
  const draft = emptyDraft();
  for (const written of paths) {
    const path = pathInside(request, written);
    if (typeof path !== 'string') return path;
    const failure = planOne(draft, request, { path, written, seq, past });
    if (failure !== undefined) return failure;
  }
  return draft;
}

/** The path relative to the project, by its text; `''` is the project itself. */
export function pathInside(
  { root, directory = root }: Pick<PlanRequest, 'root' | 'directory'>,
  written: string,
): string | Failure<'outside'> {
  const outside = (reason: string): Failure<'outside'> =>
    fail('outside', `${displayPath(written)} ${reason}`, 'name a file inside the project');
  try {
    fileSystemPath(written);
  } catch (error) {
    if (!(error instanceof InvalidPathError)) throw error;
    return outside(`cannot be a file: ${error.message}`);
  }
  const path = posix.relative(root, posix.resolve(directory, written));
  if (path === '..' || path.startsWith('../')) return outside(`is outside ${displayPath(root)}`);
  return path;
}

interface OnePath {
  readonly path: string;
  readonly written: string;
  readonly seq: number;
  readonly past: StateThen;
}

function planOne(draft: DraftPlan, request: PlanRequest, one: OnePath): PathsFailure | undefined {
  const { path, seq, past } = one;
  const { tree } = request;
  const makings = makingsByPath(request.events, seq);
  const restore = (each: string, to: PathState): boolean => {
    const from = tree.stateOf(each);
    const mayRemove = to.kind !== 'absent' || makings.has(each);
    if (!mayRemove) return from.kind === 'absent' && past.mentioned.includes(each);
    if (!isSameState(from, to)) draft.actions.set(each, { path: each, from, to });
    return true;
  };
  const state = path === '' ? undefined : past.stateOf(path);
  let isCovered = false;
  if (state !== undefined && state.kind !== 'hole') isCovered = restore(path, state);
  for (const below of pathsBelow(request, past, path)) {
    const to = past.stateOf(below);
    if (to === undefined || to.kind === 'hole') continue;
    isCovered = true;
    restore(below, to);
  }
  return isCovered ? undefined : notCovered(request, one, state);
}

/** Covered paths below a folder. Nothing when it was none then and is none now. */
function* pathsBelow({ snapshots }: PlanRequest, past: StateThen, folder: string): Iterable<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  for (const path of past.mentioned) if (path.startsWith(prefix) && path !== folder) yield path;
  const root = past.scanned?.before?.root;
  if (root === undefined) return;
  const mayHold = folder === '' || past.stateOf(folder)?.kind === 'directory';
  if (!mayHold) return;
  for (const { path } of snapshots.entries(root)) if (path.startsWith(prefix)) yield path;
}

function notCovered(
  { target }: PlanRequest,
  { path, written, past }: OnePath,
  state: PathState | undefined,
): PathsFailure {
  const open = target.type === 'entry' ? target.opens[0] : target.open;
  const place = `checkpoint ${open.id.slice(0, 8)}`;
  const shown = displayPath(written);
  if (state?.kind === 'hole')
    return fail(
      'not_in_checkpoint',
      `${shown} was not captured in ${place}: ${state.reason.replaceAll('_', ' ')}`,
    );
  const near = nearest(path, past.mentioned);
  return fail(
    'not_in_checkpoint',
    `${shown} is not in ${place}`,
    near === undefined ? 'choose another checkpoint' : `the nearest path in it is ${displayPath(near)}`,
  );
}

/** Of the same name, else in the same folder, else the longest common beginning. */
function nearest(path: string, covered: readonly string[]): string | undefined {
  const score = (other: string): number => {
    let common = 0;
    while (common < path.length && path[common] === other[common]) common += 1;
    const isNamesake = posix.basename(other).toLowerCase() === posix.basename(path).toLowerCase();
    const isSibling = posix.dirname(other) === posix.dirname(path);
    return common + (isNamesake ? 2_000_000 : 0) + (isSibling ? 1_000_000 : 0);
  };
  let best: { readonly path: string; readonly score: number } | undefined;
  for (const other of covered) {
    const found = score(other);
    if (best === undefined || found > best.score) best = { path: other, score: found };
  }
  return best?.path;
}
