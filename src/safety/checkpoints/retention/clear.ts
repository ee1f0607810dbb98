import { join } from 'node:path';
import { removeTree } from '../../../platform/files/index.ts';
import { type LockResult, withLock } from '../../../platform/locks/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { rawStat, renameRaw } from '../../../platform/raw-files/index.ts';
import { MAINTENANCE_LOCK } from '../projects/leases.ts';
import { clearLegacy } from './legacy.ts';
import { measureFolder, namesIn } from './measure-folder.ts';
import type { ReclaimOptions } from './reclaim.ts';
import type { RetentionParts } from './retention-parts.ts';
import { waitForLeases } from './wait-for-leases.ts';

/** Begins the name of a store that is being deleted. */
export const CLEARED_PREFIX = 'cleared-';

export interface Cleared {
  /** What was deleted, in bytes. */
  readonly bytes: number;
  /** False when there was nothing. */
  readonly wasThere: boolean;
  /** One line for each thing that could not be deleted. */
  readonly errors: readonly string[];
}

const LEASE_WAIT_MS = 10_000;

/**
 * Deletes the store and everything beside it, archives and damaged parts included; it is plain deletion, no shredding. The
 * store is moved aside first, so that it is there whole or not at all. Takes that run are waited for, a while. Fails with
 * what the lock says when maintenance runs.
 */
export async function clear(
  parts: RetentionParts,
  { signal, leaseWaitMs = LEASE_WAIT_MS, lockWaitMs = 0 }: ReclaimOptions = {},
): Promise<LockResult<Cleared>> {
  const { base, folder, clock } = parts;
  const bytes = measureFolder(base);
  const wasThere = namesIn(base).length > 0;
  if (rawStat(folder) !== undefined) {
    const cancel = signal === undefined ? {} : { signal };
    const lock = { waitMs: lockWaitMs, clock, ...cancel };
    const moved = await withLock(join(folder, MAINTENANCE_LOCK), lock, async () => {
      await waitForLeases(parts, { waitMs: leaseWaitMs, ...cancel });
      if (signal?.aborted === true) return false;
      renameRaw(folder, join(base, `${CLEARED_PREFIX}${randomId()}`));
      parts.step?.('store-moved');
      return true;
    });
    if (!moved.ok) return moved;
    parts.objects.close();
    if (!moved.value) return { ok: true, value: { bytes: 0, wasThere, errors: [] } };
  }
  const { errors } = await clearLegacy(base);
  const left = [...errors];
  for (const name of namesIn(base)) {
    if (!/^(cleared-|damaged-|\.last_prune)/.test(name)) continue;
    const removed = await removeTree(join(base, name));
    if (!removed.ok) left.push(removed.message);
  }
  return { ok: true, value: { bytes: bytes - measureFolder(base), wasThere, errors: left } };
}
