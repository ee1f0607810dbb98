import { posix } from 'node:path';
import type { PathState } from '../model/path-state.ts';
import {
  byPath,
  type DraftPlan,
  holeText,
  type Plan,
  type PlannedAction,
  type TreeReader,
} from './plan-model.ts';

export interface SettleRequest {
  readonly draft: DraftPlan;
  readonly tree: TreeReader;
  /** What a folder that nothing in the plan brings back was like; undefined when nobody knows. */
  readonly folderThen: (path: string) => PathState | undefined;
}

/** Of folders that have to be made and of which nobody knows what they were like. */
const FOLDER_MODE = 0o755;

/**
 * Makes a plan one that can be carried out: takes out what must not be touched and what something else stands in the way of,
 * and puts in the folders that are missing.
 */
export function settlePlan(request: SettleRequest): Plan {
  const { draft } = request;
  leaveAlone(draft);
  for (const action of [...draft.actions.values()].sort(byPath)) prepareFolders(request, action);
  const folders = [...draft.actions.values()].filter(({ from }) => from.kind === 'directory');
  for (const action of folders.sort(byPath).reverse()) keepFullFolder(request, action);
  return {
    actions: [...draft.actions.values()].sort(byPath),
    kept: [...draft.kept].sort(),
    skipped: Array.from(draft.skipped, ([path, reason]) => ({
      path,
      reason,
      ...(draft.doubtful.has(path) ? { isAmbiguous: true as const } : {}),
    })).sort(byPath),
  };
}

function leaveAlone(draft: DraftPlan): void {
  for (const { path, from } of Array.from(draft.actions.values())) {
    if (path.split('/').some((part) => part.toLowerCase() === '.git'))
      drop(draft, path, 'it belongs to a .git');
    else if (from.kind === 'hole') drop(draft, path, holeText(from.reason));
  }
}

/** Every folder above a path that is to be there must be one in the end. */
function prepareFolders({ draft, tree, folderThen }: SettleRequest, { path, to }: PlannedAction): void {
  if (to.kind === 'absent') return;
  for (const folder of foldersAbove(path)) {
    const planned = draft.actions.get(folder);
    const current = planned?.from ?? tree.stateOf(folder);
    const then = planned?.to ?? current;
    if (then.kind === 'directory') continue;
    if (planned !== undefined && current.kind === 'directory' && then.kind === 'absent') {
      draft.actions.delete(folder);
    } else if (then.kind === 'absent') {
      const known = folderThen(folder);
      const made = known?.kind === 'directory' ? known : ({ kind: 'directory', mode: FOLDER_MODE } as const);
      draft.actions.set(folder, { path: folder, from: current, to: made });
    } else {
      drop(draft, path, `its folder has become a ${then.kind === 'link' ? 'link' : 'file'}`);
      return;
    }
  }
}

/** A folder goes only when everything in it does. Called for what is in a folder before the folder itself. */
function keepFullFolder({ draft, tree }: SettleRequest, { path, to }: PlannedAction): void {
  if (to.kind === 'directory') return;
  const stays = tree
    .namesIn(path)
    .toSorted()
    .find((name) => draft.actions.get(`${path}/${name}`)?.to.kind !== 'absent');
  if (stays !== undefined) drop(draft, path, `the folder is not empty: ${stays} is in it`);
}

function drop(draft: DraftPlan, path: string, reason: string): void {
  draft.actions.delete(path);
  draft.skipped.set(path, reason);
}

/** From the outermost on. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder))
    folders.unshift(folder);
  return folders;
}
