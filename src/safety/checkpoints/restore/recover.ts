import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { withLock } from '../../../platform/locks/index.ts';
import { describeFileError, displayPath, isFileError } from '../../../platform/paths/index.ts';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import type { ProjectPlace } from '../capture/scan-project.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import { commitMoves } from './commit-moves.ts';
import type { SkippedPath } from './plan-model.ts';
import { ProjectTree } from './project-tree.ts';
import { type RestoreJournal, readRestoreJournal, removeRestoreJournal } from './restore-journal.ts';
import type { RestoreParts } from './restore-parts.ts';
import { closeRollback, type RollbackPlace } from './rollback-records.ts';
import { contentOf, finish } from './run-restore.ts';
import { sweepMoves } from './stage-moves.ts';

/** What became of a restore that was broken off. */
export interface Recovery {
  /** `none`: there was none. `reversed`: the project is as it was before it. `finished`: it is restored. */
  readonly type: 'none' | 'reversed' | 'finished';
  /** What could not be brought to its end. */
  readonly left: readonly SkippedPath[];
}

export type RecoveryResult = { readonly ok: true; readonly recovery: Recovery } | Failure<string>;

/** How long the restore of another process is waited for. */
export const LOCK_WAIT_MS = 10_000;

export function restoreLockPath(store: string, h16: string): string {
  return `${store}/locks/${h16}.lock`;
}

/** Ends a restore whose process died in it. Waits for one that runs. Does nothing, not even wait, when there is none. */
export async function recoverProject(
  parts: RestoreParts,
  project: ProjectPlace,
  signal?: AbortSignal,
): Promise<RecoveryResult> {
  const isQuiet =
    readRestoreJournal(parts.folder, project.h16).type === 'none' &&
    danglingRollbacks(
      parts.journals.of(project.h16).records(),
      (process) => parts.isAlive(process) === 'dead',
    ).length === 0;
  if (isQuiet) return { ok: true, recovery: { type: 'none', left: [] } };
  const options = { waitMs: LOCK_WAIT_MS, ...(signal === undefined ? {} : { signal }) };
  const locked = await withLock(restoreLockPath(parts.folder, project.h16), options, () => {
    const lease = parts.leases.take();
    try {
      return Promise.resolve(recoverUnderLock(parts, placeOf(parts, project, lease)));
    } finally {
      lease.release();
    }
  });
  return locked.ok ? locked.value : locked;
}

/** Where a restore of this project writes. */
export function placeOf(
  parts: RestoreParts,
  project: ProjectPlace,
  lease: RollbackPlace['lease'],
): RollbackPlace {
  const records = parts.journals.of(project.h16).records();
  const wasPrivate = new Set(records.flatMap((record) => (record.type === 'open' ? record.isPrivate : [])));
  return { project, tree: new ProjectTree(project.root), lease, wasPrivate };
}

/** The lock of the project must be held. */
export function recoverUnderLock(parts: RestoreParts, place: RollbackPlace): RecoveryResult {
  const { h16, root } = place.project;
  const read = readRestoreJournal(parts.folder, h16);
  if (read.type === 'damaged')
    return fail(
      'damaged',
      `${displayPath(read.path)} is damaged: ${read.problem}`,
      'run `herma checkpoints repair`, which puts it aside',
    );
  try {
    const recovery = read.type === 'none' ? NONE : recoverJournal(parts, place, read.journal);
    if ('ok' in recovery) return recovery;
    const records = parts.journals.of(h16).records();
    for (const { seq } of danglingRollbacks(records, (process) => isOver(parts, process)))
      closeRollback(parts, place, { opens: seq, done: [] });
    return { ok: true, recovery };
  } catch (error) {
    if (error instanceof CorruptObjectError)
      return fail('damaged', error.message, 'run `herma checkpoints repair`');
    if (!isFileError(error)) throw error;
    const { code, message, remedy } = describeFileError(error, root, 'finish a restore in');
    return fail(code, message, remedy);
  }
}

const NONE: Recovery = { type: 'none', left: [] };

function recoverJournal(
  parts: RestoreParts,
  place: RollbackPlace,
  journal: RestoreJournal,
): Recovery | Failure<string> {
  const { h16 } = place.project;
  if (!isOver(parts, journal.process))
    return fail(
      'restore_running',
      `process ${String(journal.process.pid)} is restoring this project`,
      'wait until it has ended',
    );
  const isClosed = parts.journals
    .of(h16)
    .records()
    .some((record) => record.type === 'close' && record.opens === journal.opens);
  if (isClosed || journal.phase === 'staging') {
    sweepMoves(place.tree, journal.moves);
    if (!isClosed) closeRollback(parts, place, { opens: journal.opens, done: [] });
    removeRestoreJournal(parts.folder, h16);
    return { type: isClosed ? 'finished' : 'reversed', left: [] };
  }
  return rollForward(parts, place, journal);
}

function rollForward(
  parts: RestoreParts,
  place: RollbackPlace,
  journal: RestoreJournal,
): Recovery | Failure<string> {
  const committed = commitMoves({
    tree: place.tree,
    moves: journal.moves.map((move) => ({ ...move, stat: undefined })),
    contentOf: (state) => contentOf(parts.objects, state),
    isResumed: true,
    step: (name) => parts.step?.(name),
  });
  // Nothing is reversed when resumed: what went wrong was thrown.
  if (!committed.ok) throw committed.error;
  const { error, kept, skipped, failed } = finish({ parts, place, journal }, committed.outcome);
  if (error !== undefined) return error;
  const changed = kept.map((path) => ({ path, reason: 'it was changed since the restore was broken off' }));
  return { type: 'finished', left: [...changed, ...skipped, ...failed] };
}

/** Under the lock nobody else of this process restores, so a journal of its own is one that was broken off. */
function isOver({ isAlive, process }: RestoreParts, owner: OpenRecord['process']): boolean {
  const isOwn = [process, currentProcessIdentity()].some(
    (self) => self.pid === owner.pid && self.startTime === owner.startTime && self.bootId === owner.bootId,
  );
  return isOwn || isAlive(owner) === 'dead';
}

/** Restores that died, or failed on a full disk, before their journal was there: nothing had been changed. */
function danglingRollbacks(
  records: readonly CheckpointRecord[],
  isDead: (process: OpenRecord['process']) => boolean,
): readonly OpenRecord[] {
  const closed = new Set(records.flatMap((record) => (record.type === 'close' ? [record.opens] : [])));
  return records
    .filter((record) => record.type === 'open')
    .filter(({ kind, seq, process }) => kind === 'rollback' && !closed.has(seq) && isDead(process));
}
