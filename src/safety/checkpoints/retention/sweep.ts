import { join } from 'node:path';
import { messageOf } from '../../../kernel/errors/index.ts';
import { removeTree } from '../../../platform/files/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { CheckpointSettings } from '../model/settings.ts';
import { CLEARED_PREFIX } from './clear.ts';
import { removeOldLegacy } from './legacy.ts';
import { maintain } from './maintain.ts';
import { measureFolder, namesIn } from './measure-folder.ts';
import { sweepProjects } from './projects-of.ts';
import type { ReclaimOptions } from './reclaim.ts';
import type { RetentionParts } from './retention-parts.ts';
import { claimSweep } from './sweep-marker.ts';
import { sweepPrivate } from './sweep-private.ts';

export interface PruneReport {
  /** Projects that were looked at. */
  readonly scanned: number;
  readonly deletedOrphans: number;
  readonly deletedStale: number;
  readonly droppedEntries: number;
  /** One line each. */
  readonly errors: readonly string[];
  readonly bytesReclaimed: number;
  /** Whether the store is larger than it may be, because nothing else may go. */
  readonly isOverCap: boolean;
}

export type SweepOutcome =
  | { readonly type: 'swept'; readonly report: PruneReport }
  /** There is no store, it is switched off, or it was done not long ago. */
  | { readonly type: 'skipped'; readonly reason: 'no_store' | 'off' | 'not_due' }
  /** That it begins could not be noted: it would begin at every start. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * The sweep that nobody asked for, at most once in `minIntervalMs`: what is too old goes, then what is too much, then
 * what nothing needs. It never removes a project whose folder is gone. Nothing is thrown: what fails is in the report.
 */
export async function sweep(
  parts: RetentionParts,
  settings: CheckpointSettings,
  options: ReclaimOptions = {},
): Promise<SweepOutcome> {
  if (!settings.autoPrune) return { type: 'skipped', reason: 'off' };
  if (rawStat(parts.folder) === undefined) return { type: 'skipped', reason: 'no_store' };
  try {
    if (!(await claimSweep(parts, settings.minIntervalMs))) return { type: 'skipped', reason: 'not_due' };
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  }
  parts.step?.('claimed');
  return { type: 'swept', report: await work(parts, { ...settings, confirmedOrphans: [] }, options) };
}

export interface PruneRequest
  extends Pick<CheckpointSettings, 'retentionMs' | 'privateRetentionMs' | 'maxSnapshots' | 'maxTotalBytes'> {
  readonly keepOrphans: boolean;
  /** What the person saw and agreed to lose, by `h16`: no other orphan is deleted, and one that has come back is not either. */
  readonly confirmedOrphans: readonly string[];
}

/** The sweep that a person asked for: at once, whenever the last one was. Nothing is thrown: what fails is in the report. */
export async function prune(
  parts: RetentionParts,
  request: PruneRequest,
  options: ReclaimOptions = {},
): Promise<PruneReport> {
  return work(
    parts,
    { ...request, confirmedOrphans: request.keepOrphans ? [] : request.confirmedOrphans },
    options,
  );
}

type WorkRequest = Omit<PruneRequest, 'keepOrphans'>;

async function work(
  parts: RetentionParts,
  request: WorkRequest,
  options: ReclaimOptions,
): Promise<PruneReport> {
  const { clock, base } = parts;
  const errors: string[] = [];
  const attempt = <Value>(action: () => Value, otherwise: Value): Value => {
    try {
      return action();
    } catch (error) {
      errors.push(messageOf(error));
      return otherwise;
    }
  };
  const measure = (): number => attempt(() => measureFolder(parts.folder), 0);
  const scanned = attempt(() => parts.registry.hashes().length, 0);
  const before = measure();
  const legacy = await removeOldLegacy(base, clock.now() - request.retentionMs);
  errors.push(...legacy.errors);
  for (const name of namesIn(base)) {
    if (!name.startsWith(CLEARED_PREFIX)) continue;
    const removed = await removeTree(join(base, name));
    if (!removed.ok) errors.push(removed.message);
  }
  parts.step?.('legacy-swept');
  const projects = attempt(() => sweepProjects(parts, request), {
    deletedOrphans: 0,
    deletedStale: 0,
    droppedEntries: 0,
  });
  attempt(() => sweepPrivate(parts, request.privateRetentionMs), 0);
  parts.step?.('projects-swept');
  const maintained = await maintain(parts, request, options).catch((error: unknown) => {
    errors.push(messageOf(error));
    return undefined;
  });
  if (maintained?.ok === false) errors.push(maintained.message);
  const value = maintained?.ok === true ? maintained.value : undefined;
  errors.push(...(value?.errors ?? []));
  const bytes = value?.bytes ?? measure();
  const { maxTotalBytes } = request;
  return {
    scanned,
    ...projects,
    droppedEntries: projects.droppedEntries + (value?.droppedEntries ?? 0),
    errors,
    bytesReclaimed: Math.max(0, before - bytes) + legacy.removed.reduce((sum, one) => sum + one.bytes, 0),
    isOverCap: maxTotalBytes !== 0 && bytes > maxTotalBytes,
  };
}
