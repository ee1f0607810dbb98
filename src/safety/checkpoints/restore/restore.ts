import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { withLock } from '../../../platform/locks/index.ts';
import { describeFileError, displayPath, isFileError } from '../../../platform/paths/index.ts';
import type { ProjectPlace } from '../capture/scan-project.ts';
import type { Oid } from '../model/path-state.ts';
import type { CallOwner, CheckpointRecord, OpenRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import type { Lease } from '../projects/leases.ts';
import { closedCalls } from './closed-call.ts';
import { eventsOf } from './history.ts';
import { planRestore } from './plan.ts';
import type { Plan, PlannedAction, PlanRequest, PlanResult, SkippedPath } from './plan-model.ts';
import { ProjectTree } from './project-tree.ts';
import { LOCK_WAIT_MS, placeOf, recoverUnderLock, restoreLockPath } from './recover.ts';
import {
  captureNow,
  previewNow,
  type RestoreParts,
  type SeenProject,
  storeSnapshots,
} from './restore-parts.ts';
import { type RunOutcome, runRestore } from './run-restore.ts';

export interface RestoreRequest
  extends Pick<PlanRequest, 'target' | 'mode' | 'paths' | 'directory' | 'includeAmbiguous' | 'lineage'> {
  readonly project: ProjectPlace;
  /** Says what would be done. Writes nothing. */
  readonly isDryRun: boolean;
  /** What a person has agreed to lose: nothing else is removed. No limit when absent. Relative to the project. */
  readonly mayDelete?: ReadonlySet<string>;
}

export interface RestoreOutcome {
  /** False when something that was to be restored is not. */
  readonly ok: boolean;
  /** What the project went back to. */
  readonly target?: {
    readonly id: Oid;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
    readonly reason: string;
    readonly owner?: CallOwner;
  };
  /** Every path that was brought back, deleted ones included; sorted, relative to the project. */
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  /** Changed by somebody since; as they are. */
  readonly kept: readonly string[];
  readonly skipped: readonly SkippedPath[];
  /** The checkpoint that takes this restore back; absent when nothing was done. */
  readonly safetyId?: Oid;
  /** Why nothing was to do. */
  readonly reason?: string;
  readonly error?: Omit<Failure, 'ok'>;
}

/** Brings files of a project back. Waits for a restore that runs there, and first ends one that was broken off. */
export async function restoreProject(
  parts: RestoreParts,
  request: RestoreRequest,
  signal?: AbortSignal,
): Promise<RestoreOutcome> {
  return underLock(parts, request, signal, () => request);
}

export interface UndoRequest extends Pick<RestoreRequest, 'project' | 'isDryRun'> {
  /** `all`: over what anybody has changed since. */
  readonly mode: 'agent' | 'all';
}

/** Takes the newest restore back; the second time, it is that which is taken back. */
export async function undoRestore(
  parts: RestoreParts,
  request: UndoRequest,
  signal?: AbortSignal,
): Promise<RestoreOutcome> {
  const { project, isDryRun, mode } = request;
  return underLock(parts, request, signal, () => {
    const open = newestRollback(parts.journals.of(project.h16).records());
    if (open === undefined)
      return fail(
        'nothing_to_undo',
        `nothing was restored in ${displayPath(project.root)}`,
        'see the list of checkpoints',
      );
    return { project, isDryRun, mode, target: { type: 'call', open }, includeAmbiguous: true };
  });
}

/** The newest restore that changed anything. */
function newestRollback(records: readonly CheckpointRecord[]): OpenRecord | undefined {
  return closedCalls(records).findLast(({ open, changes }) => open.kind === 'rollback' && changes.size > 0)
    ?.open;
}

const NOTHING: Omit<RestoreOutcome, 'ok'> = { restored: [], deleted: [], kept: [], skipped: [] };

async function underLock(
  parts: RestoreParts,
  { project, isDryRun }: Pick<RestoreRequest, 'project' | 'isDryRun'>,
  signal: AbortSignal | undefined,
  toRequest: () => RestoreRequest | Failure,
): Promise<RestoreOutcome> {
  if (isDryRun) return shield(() => preview(parts, toRequest()));
  const options = { waitMs: LOCK_WAIT_MS, ...(signal === undefined ? {} : { signal }) };
  const locked = await withLock(restoreLockPath(parts.folder, project.h16), options, () => {
    const lease = parts.leases.take();
    try {
      const place = placeOf(parts, project, lease);
      const recovered = recoverUnderLock(parts, place);
      if (!recovered.ok) return Promise.resolve(failed(recovered));
      return Promise.resolve(shield(() => perform(parts, toRequest(), lease)));
    } finally {
      lease.release();
    }
  });
  return locked.ok ? locked.value : failed(locked);
}

function preview(parts: RestoreParts, request: RestoreRequest | Failure): RestoreOutcome {
  if ('ok' in request) return failed(request);
  const planned = planNow(parts, request, undefined);
  if (!planned.ok) return failed(planned, request);
  const { plan, lost } = withoutLost(parts, planned.plan);
  return report(parts, request, plan, { done: plan.actions, kept: [], skipped: [], failed: lost });
}

function perform(parts: RestoreParts, request: RestoreRequest | Failure, lease: Lease): RestoreOutcome {
  if ('ok' in request) return failed(request);
  const planned = planNow(parts, request, lease);
  parts.step?.('restore-plan');
  if (!planned.ok) return failed(planned, request);
  const { plan, lost } = withoutLost(parts, withinAgreement(planned.plan, request.mayDelete));
  if (plan.actions.length === 0)
    return report(parts, request, plan, { done: [], kept: [], skipped: [], failed: lost });
  const place = placeOf(parts, request.project, lease);
  const outcome = runRestore(parts, place, { id: targetOpen(request).id, actions: plan.actions });
  return report(parts, request, plan, { ...outcome, failed: [...lost, ...outcome.failed] });
}

/** `lease`: of a restore; absent when nothing may be written. */
function planNow(parts: RestoreParts, request: RestoreRequest, lease: Lease | undefined): PlanResult {
  const { project } = request;
  const records = parts.journals.of(project.h16).records();
  if (!isScanOfUse(request, records)) return planWith(parts, request, { records, seen: undefined });
  const seen = lease === undefined ? previewNow(parts, project) : captureNow(parts, project, lease);
  try {
    return planWith(parts, request, { records, seen });
  } finally {
    seen?.close();
  }
}

function planWith(
  parts: RestoreParts,
  request: RestoreRequest,
  {
    records,
    seen,
  }: { readonly records: readonly CheckpointRecord[]; readonly seen: SeenProject | undefined },
): PlanResult {
  const { project, mode } = request;
  const snapshots = seen?.snapshots ?? storeSnapshots(parts.objects);
  // A scan in part does not show everything that is there.
  const isPartial = mode === 'all' && seen?.snapshot.coverage === 'tracked';
  const now = seen === undefined || isPartial ? {} : { now: seen.snapshot.root };
  const events = eventsOf({
    records,
    diff: (before, after) => snapshots.diff(before, after),
    words: { root: project.root, canonical: canonicalPath },
    ...now,
  });
  const tree = new ProjectTree(project.root);
  return planRestore({ ...request, root: project.root, records, events, snapshots, tree, ...now });
}

/** Whether the project as it is tells more than the records and the paths they name. */
function isScanOfUse({ mode, target, paths }: RestoreRequest, records: readonly CheckpointRecord[]): boolean {
  if (mode === 'exact') return target.type === 'entry' && target.opens.some(isScan);
  if (paths !== undefined) return false;
  return mode === 'all' ? records.some(isScan) : isInBackground(records);
}

function isScan(record: CheckpointRecord): boolean {
  return record.type === 'open' && record.before !== undefined;
}

/** Whether a command may have gone on in the background since the last scan. */
function isInBackground(records: readonly CheckpointRecord[]): boolean {
  const last = records.findLast(isScan);
  return last?.type === 'open' && last.footprint?.isDetached === true;
}

/** Takes out what would remove something nobody was asked about: it has appeared since. */
function withinAgreement(plan: Plan, mayDelete: ReadonlySet<string> | undefined): Plan {
  if (mayDelete === undefined) return plan;
  const isAgreed = ({ path, to }: PlannedAction): boolean => to.kind !== 'absent' || mayDelete.has(path);
  const fresh = plan.actions.filter((action) => !isAgreed(action));
  const skipped = fresh.map(({ path }) => ({ path, reason: 'it has appeared since you were asked' }));
  return { ...plan, actions: plan.actions.filter(isAgreed), skipped: [...plan.skipped, ...skipped] };
}

/** Takes out what the store no longer has the content for. */
function withoutLost(
  { objects }: RestoreParts,
  plan: Plan,
): { readonly plan: Plan; readonly lost: readonly SkippedPath[] } {
  const isLost = ({ to }: PlannedAction): boolean =>
    (to.kind === 'file' || to.kind === 'link') && !objects.has(to.oid);
  const lost = plan.actions
    .filter(isLost)
    .map(({ path }) => ({ path, reason: 'its content is no longer in the store' }));
  return { plan: { ...plan, actions: plan.actions.filter((action) => !isLost(action)) }, lost };
}

function targetOpen({ target }: Pick<RestoreRequest, 'target'>): OpenRecord {
  return target.type === 'call' ? target.open : target.opens[0];
}

function targetOf(request: Pick<RestoreRequest, 'target'>): NonNullable<RestoreOutcome['target']> {
  const { id, at, reason, owner } = targetOpen(request);
  return { id, at, reason, ...(owner === undefined ? {} : { owner }) };
}

function report(
  parts: RestoreParts,
  request: RestoreRequest,
  plan: Plan,
  outcome: RunOutcome,
): RestoreOutcome {
  const { done, failed: lost, safety } = outcome;
  const restored = done.map(({ path }) => path).sort();
  const kept = [...new Set([...plan.kept, ...outcome.kept])].sort();
  const skipped = [...plan.skipped, ...outcome.skipped, ...lost].sort((one, other) =>
    one.path < other.path ? -1 : 1,
  );
  const error = outcome.error ?? incomplete(lost);
  return {
    ok: error === undefined,
    target: targetOf(request),
    restored,
    deleted: done
      .filter(({ to }) => to.kind === 'absent')
      .map(({ path }) => path)
      .sort(),
    kept,
    skipped,
    ...(safety === undefined ? {} : { safetyId: safety.id }),
    ...(restored.length === 0 && error === undefined
      ? { reason: isUnended(parts, request) ? UNENDED : whyNothing(kept, skipped) }
      : {}),
    ...(error === undefined ? {} : { error: bare(error) }),
  };
}

const UNENDED =
  'nothing to restore: what a call has changed is noted when it ends, and one has not ended, or could not be noted';

/** Whether nobody knows yet what a call has changed that would be taken back. */
function isUnended(parts: RestoreParts, { project, target }: RestoreRequest): boolean {
  const records = parts.journals.of(project.h16).records();
  const ended = new Set(records.flatMap((record) => (record.type === 'close' ? [record.opens] : [])));
  const isConcerned = ({ seq }: OpenRecord): boolean =>
    target.type === 'call'
      ? target.open.seq === seq
      : seq >= Math.min(...target.opens.map((open) => open.seq));
  return records.some(
    (record) =>
      record.type === 'open' && record.kind === 'call' && isConcerned(record) && !ended.has(record.seq),
  );
}

function whyNothing(kept: readonly string[], skipped: readonly SkippedPath[]): string {
  if (skipped.length > 0) return 'nothing to restore: every path that changed was left alone';
  if (kept.length > 0) return 'nothing to restore: every path that changed was changed again since';
  return 'nothing to restore: everything is as it was';
}

function incomplete(lost: readonly SkippedPath[]): Failure | undefined {
  const first = lost[0];
  if (first === undefined) return undefined;
  const others = lost.length === 1 ? '' : ` (and ${String(lost.length - 1)} more)`;
  return fail(
    'incomplete',
    `${displayPath(first.path)} could not be restored: ${first.reason}${others}`,
    'see what was skipped, and try again',
  );
}

function failed(failure: Failure, request?: Pick<RestoreRequest, 'target'>): RestoreOutcome {
  return {
    ok: false,
    ...NOTHING,
    ...(request === undefined ? {} : { target: targetOf(request) }),
    error: bare(failure),
  };
}

function bare({ code, message, remedy }: Failure): Omit<Failure, 'ok'> {
  return { code, message, ...(remedy === undefined ? {} : { remedy }) };
}

/** A damaged store and files that cannot be read are failures, not bugs. */
function shield(work: () => RestoreOutcome): RestoreOutcome {
  try {
    return work();
  } catch (error) {
    if (error instanceof CorruptObjectError)
      return failed(fail('damaged', error.message, 'run `herma checkpoints repair`'));
    if (!isFileError(error)) throw error;
    const { code, message, remedy } = describeFileError(error, '', 'restore');
    return failed(fail(code, message, remedy));
  }
}
