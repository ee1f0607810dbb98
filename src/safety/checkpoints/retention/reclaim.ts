import { dirname, join } from 'node:path';
import { messageOf } from '../../../kernel/errors/index.ts';
import { type LockResult, withLock } from '../../../platform/locks/index.ts';
import { rawStat, removeRawFolder } from '../../../platform/raw-files/index.ts';
import { MAINTENANCE_LOCK } from '../projects/leases.ts';
import { compact } from './compact.ts';
import { bytesOf, type Inventory, takeInventory } from './inventory.ts';
import { findLive } from './live-objects.ts';
import { findLooseEnds, removeLooseEnds } from './loose-ends.ts';
import type { MissingObject } from './mark.ts';
import { measureFolder } from './measure-folder.ts';
import { planReclaim } from './plan-reclaim.ts';
import { recoverLoose, removeLoose } from './remove-loose.ts';
import type { RetentionParts, WorkOptions } from './retention-parts.ts';
import { sweepDebris } from './sweep-debris.ts';
import { waitForLeases } from './wait-for-leases.ts';

export interface ReclaimOptions extends WorkOptions {
  /** How much the store may take; see `planReclaim`. In bytes. */
  readonly targetBytes?: number;
  /** How long to wait for takes that run, in milliseconds; 10 seconds when left out. */
  readonly leaseWaitMs?: number;
  /** How long to wait for other maintenance, in milliseconds; not at all when left out. */
  readonly lockWaitMs?: number;
}

export interface Reclaimed {
  /** By which the store is smaller, in bytes; negative when others have written more meanwhile. */
  readonly bytesReclaimed: number;
  /** Of the store now. */
  readonly bytes: number;
  /** Files of single objects that are gone. */
  readonly objects: number;
  readonly packs: number;
  /** Temporary files, locks and leases of the dead, halves of records. */
  readonly debris: number;
  /** Whether it came to its end; otherwise it was aborted, a take ran all the while, or `errors` says why. */
  readonly isComplete: boolean;
  /** Objects that something needs and that cannot be read. */
  readonly missing: readonly MissingObject[];
  readonly errors: readonly string[];
}

const LEASE_WAIT_MS = 10_000;
const PAUSE_EVERY_FILES = 256;

const NOTHING_THERE: Reclaimed = {
  bytesReclaimed: 0,
  bytes: 0,
  objects: 0,
  packs: 0,
  debris: 0,
  isComplete: true,
  missing: [],
  errors: [],
};

/**
 * Deletes what nothing needs, packs anew what is wasteful, and sweeps what the dead have left. Takes go on all the while.
 *
 * What there is is listed before the lock is taken, and nothing that came later is touched: a take that begins while the
 * lock is held writes everything anew, and those that began before are waited for. Whoever dies at any step leaves a
 * store in which everything that is listed can be read. Where there is no store, nothing is done. Fails with what
 * the lock says when other maintenance runs.
 */
export async function reclaim(
  parts: RetentionParts,
  options: ReclaimOptions = {},
): Promise<LockResult<Reclaimed>> {
  const { signal, lockWaitMs = 0 } = options;
  if (rawStat(parts.folder) === undefined) return { ok: true, value: NOTHING_THERE };
  const inventory = takeInventory(parts.objects);
  parts.step?.('listed');
  const lock = {
    waitMs: lockWaitMs,
    clock: parts.clock,
    ...(signal === undefined ? {} : { signal }),
  };
  return withLock(join(parts.folder, MAINTENANCE_LOCK), lock, () => reclaimLocked(parts, inventory, options));
}

async function reclaimLocked(
  parts: RetentionParts,
  inventory: Inventory,
  options: ReclaimOptions,
): Promise<Reclaimed> {
  const before = measureFolder(parts.folder);
  const errors: string[] = [];
  let outcome: Removed = { objects: 0, packs: 0, debris: 0, isComplete: false, missing: [] };
  let debris = 0;
  try {
    recoverLoose(join(parts.folder, 'objects'));
    // First, and whatever becomes of the rest: it frees space, and removes old locks of git that are in the way.
    debris = sweepDebris(parts).files;
    parts.step?.('swept');
    outcome = await removeUnneeded(parts, inventory, options);
  } catch (error) {
    errors.push(messageOf(error));
  }
  const bytes = measureFolder(parts.folder);
  parts.bytes.reset(bytes);
  parts.step?.('counted');
  return { ...outcome, debris: outcome.debris + debris, errors, bytes, bytesReclaimed: before - bytes };
}

type Removed = Pick<Reclaimed, 'objects' | 'packs' | 'debris' | 'isComplete' | 'missing'>;

async function removeUnneeded(
  parts: RetentionParts,
  inventory: Inventory,
  options: ReclaimOptions,
): Promise<Removed> {
  const { signal, onProgress, targetBytes, leaseWaitMs = LEASE_WAIT_MS } = options;
  const looseEnds = findLooseEnds(parts);
  const isQuiet = await waitForLeases(parts, {
    waitMs: leaseWaitMs,
    ...(signal === undefined ? {} : { signal }),
  });
  const nothing = { objects: 0, packs: 0, debris: 0, isComplete: false, missing: [] };
  if (!isQuiet) return nothing;
  parts.step?.('waited');
  const debris = removeLooseEnds(parts, looseEnds);
  parts.step?.('loose-ends-removed');
  const found = await findLive(parts, options);
  if (found === undefined) return { ...nothing, debris };
  parts.step?.('marked');
  const others = measureFolder(parts.folder) - bytesOf(inventory);
  const plan = planReclaim(
    inventory,
    found.live,
    targetBytes === undefined ? undefined : targetBytes - others,
  );
  let objects = 0;
  for (const [done, file] of plan.garbage.entries()) {
    if (done % PAUSE_EVERY_FILES === 0) {
      onProgress?.({ phase: 'removing', done, total: plan.garbage.length });
      await parts.clock.sleep(0);
      if (signal?.aborted === true) return { ...nothing, objects, debris, missing: found.missing };
    }
    if (!removeLoose(file, parts.step)) continue;
    objects += 1;
    removeRawFolder(dirname(file.path));
    parts.step?.('loose-removed');
  }
  const { packs, damaged, isComplete } = await compact(parts, plan, options);
  return { objects, packs, debris, isComplete, missing: [...found.missing, ...damaged] };
}
