import { errnoOf } from '../../../platform/paths/index.ts';
import { createRawFile, symlinkRaw, unlinkRaw } from '../../../platform/raw-files/index.ts';
import { isSameState, type PathState } from '../model/path-state.ts';
import { inHome, type Move } from './move.ts';
import { isWayGone, type ProjectTree } from './project-tree.ts';

export interface StageRequest {
  readonly tree: ProjectTree;
  /** Of a file or a link. */
  readonly contentOf: (state: PathState) => Uint8Array;
}

/**
 * Makes the file or link that is to stand at the end of a move, complete and on the disk, with its mode from the start.
 *
 * @param existing what to think of one that is there: nothing may be, it is complete, or it may be cut off.
 */
export function makeFresh(
  { tree, contentOf }: StageRequest,
  move: Move,
  existing: 'none' | 'trusted' | 'checked',
): void {
  const { to, fresh } = move;
  if (to.kind !== 'file' && to.kind !== 'link') return;
  const path = inHome(move, fresh);
  if (existing === 'trusted' && tree.statOf(path) !== undefined) return;
  if (existing === 'checked') {
    if (isSameState(tree.stateOf(path), to)) return;
    tree.at(path, unlinkRaw);
  }
  const content = contentOf(to);
  tree.at(path, (place) => {
    if (to.kind === 'link') symlinkRaw(content, place);
    else createRawFile(place, content, { mode: to.mode, sync: true });
  });
}

/** Removes every temporary file of the moves. One whose folder is gone went with it. Throws what the file system does. */
export function sweepMoves(tree: ProjectTree, moves: readonly Move[]): void {
  for (const path of moves.flatMap((move) => [inHome(move, move.fresh), inHome(move, move.old)])) {
    try {
      tree.at(path, unlinkRaw);
    } catch (error) {
      // Homes are folders their owner may write to: where that is forbidden since, nobody can do more.
      if (!isWayGone(error) && errnoOf(error) !== 'EACCES') throw error;
    }
  }
}
