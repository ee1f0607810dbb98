import { posix } from 'node:path';
import type { Failure } from '../../../kernel/errors/index.ts';
import { describeFileError, errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { syncRawFolder } from '../../../platform/raw-files/index.ts';
import { isSameState, type Oid, type PathState } from '../model/path-state.ts';
import type { OpenRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type CommitOutcome, commitMoves, wayText } from './commit-moves.ts';
import { homesOf, inHome, movesOf, type SeenMove } from './move.ts';
import type { PlannedAction, SkippedPath } from './plan-model.ts';
import { isWayGone, type ProjectTree } from './project-tree.ts';
import { type RestoreJournal, removeRestoreJournal, writeRestoreJournal } from './restore-journal.ts';
import type { RestoreParts } from './restore-parts.ts';
import { closeRollback, openRollback, type RollbackPlace } from './rollback-records.ts';
import { makeFresh, sweepMoves } from './stage-moves.ts';

export interface RunRequest {
  /** What is restored. */
  readonly id: Oid;
  readonly actions: readonly PlannedAction[];
}

/** What a restore has done. Without `error` all that could be done was done. */
export interface RunOutcome {
  readonly done: readonly PlannedAction[];
  readonly kept: readonly string[];
  readonly skipped: readonly SkippedPath[];
  readonly failed: readonly SkippedPath[];
  /** The record that takes it back. */
  readonly safety?: OpenRecord;
  /** Then the project is as it was, unless the message says otherwise. */
  readonly error?: Failure;
}

const NOTHING = { done: [], kept: [], skipped: [], failed: [] } as const;

/**
 * Carries out a plan under the lock of the project: what stands there is stored first, then everything new is staged
 * beside its place, then put in place. Nothing, or all that nobody else has touched meanwhile.
 */
export function runRestore(parts: RestoreParts, place: RollbackPlace, request: RunRequest): RunOutcome {
  let opened: ReturnType<typeof openRollback>;
  try {
    opened = openRollback(parts, place, request);
    parts.step?.('restore-open');
  } catch (error) {
    return { ...NOTHING, error: explain(error, 'store what is there before') };
  }
  const { open, seen } = opened;
  const isSeen = ({ path, from }: PlannedAction): boolean => {
    const state = seen.get(path)?.state;
    return state !== undefined && isSameState(state, from);
  };
  const actions = request.actions.filter(isSeen);
  const kept = request.actions.filter((action) => !isSeen(action)).map(({ path }) => path);
  const transaction = randomId();
  const moves = movesOf(actions, homesOf(actions, place.tree), transaction);
  const journal: RestoreJournal = {
    transaction,
    phase: 'staging',
    process: parts.process,
    opens: open.seq,
    moves,
  };
  const run: Run = { parts, place, journal };
  const outcome = stageAndCommit(
    run,
    moves.map((move) => ({ ...move, stat: seen.get(move.path)?.stat })),
  );
  return { ...outcome, kept: [...kept, ...outcome.kept], safety: open };
}

interface Run {
  readonly parts: RestoreParts;
  readonly place: RollbackPlace;
  readonly journal: RestoreJournal;
}

function stageAndCommit(run: Run, moves: readonly SeenMove[]): RunOutcome {
  const { parts, place, journal } = run;
  const { h16 } = place.project;
  const failed: SkippedPath[] = [];
  const staged: SeenMove[] = [];
  let current: string | undefined;
  try {
    writeRestoreJournal(parts.folder, h16, journal);
    parts.step?.('restore-journal');
    for (const move of moves) {
      current = move.path;
      const problem = stageOne(run, move);
      if (problem === undefined) staged.push(move);
      else failed.push({ path: move.path, reason: problem });
    }
    current = undefined;
    writeRestoreJournal(parts.folder, h16, { ...journal, phase: 'committing' });
    parts.step?.('restore-commit');
  } catch (error) {
    return giveUp(run, explain(error, 'restore', current));
  }
  const committed = commitMoves({
    tree: place.tree,
    moves: staged,
    isResumed: false,
    step: (name) => parts.step?.(name),
    contentOf: (state) => contentOf(parts.objects, state),
  });
  if (!committed.ok) {
    const error = explain(committed.error, 'restore', committed.path);
    if (committed.unreversed.length === 0) return giveUp(run, error);
    return {
      ...NOTHING,
      failed: committed.unreversed,
      error: { ...error, remedy: 'it is finished at the next start' },
    };
  }
  const { outcome } = committed;
  return finish(run, { ...outcome, failed: [...failed, ...outcome.failed] });
}

/** What is wrong when the path cannot be restored, and others can. */
function stageOne({ parts, place }: Run, move: SeenMove): string | undefined {
  try {
    makeFresh({ tree: place.tree, contentOf: (state) => contentOf(parts.objects, state) }, move, 'none');
  } catch (error) {
    if (!isWayGone(error)) throw error;
    return wayText(place.tree, inHome(move, move.fresh));
  }
  parts.step?.('restore-stage');
  return undefined;
}

/** Nothing was changed, or it was reversed. */
function giveUp({ parts, place, journal }: Run, error: Failure): RunOutcome {
  try {
    sweepMoves(place.tree, journal.moves);
    closeRollback(parts, place, { opens: journal.opens, done: [] });
    removeRestoreJournal(parts.folder, place.project.h16);
  } catch (second) {
    // On a full disk the record stays open, and the journal: both are ended at the next start.
    if (!isFileError(second)) throw second;
  }
  return { ...NOTHING, error };
}

/** Records what was done and removes what is left over. */
export function finish({ parts, place, journal }: Omit<Run, 'open'>, outcome: CommitOutcome): RunOutcome {
  const { project, tree } = place;
  syncFolders(tree, outcome.done);
  parts.step?.('restore-sync');
  try {
    const { changes, strayed } = closeRollback(parts, place, { opens: journal.opens, done: outcome.done });
    parts.step?.('restore-close');
    sweepMoves(tree, journal.moves);
    parts.step?.('restore-sweep');
    removeRestoreJournal(parts.folder, project.h16);
    parts.step?.('restore-end');
    const isChanged = new Set(changes.map(({ path }) => path));
    return {
      ...outcome,
      done: outcome.done.filter(({ path }) => isChanged.has(path)),
      failed: [
        ...outcome.failed,
        ...strayed.map((path) => ({ path, reason: 'it was changed again while it was restored' })),
      ],
    };
  } catch (error) {
    const failure = explain(error, 'record the restore of');
    return { ...outcome, error: { ...failure, message: `everything was restored, but: ${failure.message}` } };
  }
}

/** A crash of the machine must not bring back what was replaced. */
function syncFolders(tree: ProjectTree, moves: readonly PlannedAction[]): void {
  const folders = new Set(moves.map(({ path }) => posix.dirname(path)));
  for (const folder of folders) {
    try {
      if (folder === '.') syncRawFolder(tree.root);
      else tree.at(folder, syncRawFolder);
    } catch (error) {
      if (!isFileError(error)) throw error;
    }
  }
}

/** The content of a file, or the text of a link. @throws CorruptObjectError when it is not in the store. */
export function contentOf(objects: ObjectStore, state: PathState): Uint8Array {
  if (state.kind !== 'file' && state.kind !== 'link') return new Uint8Array();
  const stored = objects.read(state.oid);
  if (stored === undefined) throw new CorruptObjectError({ oid: state.oid, reason: 'it is missing' });
  return stored.bytes;
}

/** `path`: what was worked on, where the error cannot say it. */
function explain(error: unknown, action: string, path = pathIn(error)): Failure {
  if (error instanceof CorruptObjectError)
    return { ok: false, code: 'damaged', message: error.message, remedy: 'run `herma checkpoints repair`' };
  if (error instanceof RangeError)
    return { ok: false, code: 'too_large', message: error.message, remedy: 'move the file away first' };
  if (!isFileError(error)) throw error;
  const { code, message, remedy } = describeFileError(error, path, action);
  return { ok: false, code: errnoOf(error) === 'ENOSPC' ? 'disk_full' : code, message, remedy };
}

function pathIn(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : '';
}
