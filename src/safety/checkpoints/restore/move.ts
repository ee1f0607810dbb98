import { posix } from 'node:path';
import type { RawStat } from '../../../platform/raw-files/index.ts';
import type { PathState } from '../model/path-state.ts';
import { byPath, type PlannedAction } from './plan-model.ts';
import type { ProjectTree } from './project-tree.ts';
import { foldersAbove } from './settle-plan.ts';

/** One action of a restore, and where its temporary files are. */
export interface Move extends PlannedAction {
  /** The folder of its temporary files, relative to the project: there now and in the end. `''`: the project's. */
  readonly home: string;
  /** Name of what is to stand there. */
  readonly fresh: string;
  /** Name of what stood there. */
  readonly old: string;
}

/** A move with what was seen of its path when its content was stored. */
export interface SeenMove extends Move {
  readonly stat: RawStat | undefined;
}

/** The moves of these actions, sorted by path. `homes`: of each action in that order. */
export function movesOf(
  actions: readonly PlannedAction[],
  homes: readonly string[],
  transaction: string,
): readonly Move[] {
  return actions.toSorted(byPath).map(({ path, from, to }, index) => ({
    path,
    from,
    to,
    home: homes[index] ?? '',
    fresh: `.herma-${transaction}-${String(2 * index)}.tmp`,
    old: `.herma-${transaction}-${String(2 * index + 1)}.tmp`,
  }));
}

/** For each action, sorted by path, the nearest folder above it that is there before, during and after the restore. */
export function homesOf(actions: readonly PlannedAction[], tree: ProjectTree): readonly string[] {
  const planned = new Map(actions.map((action) => [action.path, action]));
  const known = new Map<string, boolean>();
  const isHome = (folder: string): boolean => {
    const answer = known.get(folder) ?? isLasting(folder, planned.get(folder), tree);
    known.set(folder, answer);
    return answer;
  };
  return actions.toSorted(byPath).map(({ path }) => {
    const above = foldersAbove(path);
    // All of them must last: one below a folder that goes is gone with it.
    const firstLost = above.findIndex((folder) => !isHome(folder));
    return (firstLost === -1 ? posix.dirname(path) : posix.dirname(above[firstLost] ?? path)).replace(
      /^\.$/,
      '',
    );
  });
}

/** Whether a folder is one, stays one, and lets its owner put files into it and take them out, now and in the end. */
function isLasting(folder: string, action: PlannedAction | undefined, tree: ProjectTree): boolean {
  const state = action?.from ?? tree.stateOf(folder);
  return isOpenFolder(state) && (action === undefined || isOpenFolder(action.to));
}

function isOpenFolder(state: PathState): boolean {
  return state.kind === 'directory' && (state.mode & 0o300) === 0o300;
}

/** A name in the home of a move, relative to the project. */
export function inHome({ home }: Move, name: string): string {
  return home === '' ? name : `${home}/${name}`;
}
