import type { LockResult } from '../../../platform/locks/index.ts';
import type { CheckpointSettings } from '../model/settings.ts';
import { projectHashes } from './entries-of.ts';
import { evict } from './evict.ts';
import { readFloor, writeFloor } from './floor.ts';
import { type Reclaimed, type ReclaimOptions, reclaim } from './reclaim.ts';
import type { RetentionParts } from './retention-parts.ts';
import { trim } from './trim.ts';

export type SizeLimits = Pick<CheckpointSettings, 'maxSnapshots' | 'maxTotalBytes'>;

export interface Maintained extends Omit<Reclaimed, 'isComplete'> {
  readonly droppedEntries: number;
  /** Whether the store is larger than it may be, because nothing else may go. */
  readonly isOverCap: boolean;
  readonly isComplete: boolean;
}

/** An estimate of what stays may be short by what files weigh; it is made good in the next round. */
const MOST_ROUNDS = 3;

/**
 * Whether the store is over its limit and there is something new that could be done about it: cheap, for the end of a
 * take. A store that was found to be as small as it gets is left alone until it has grown by a tenth of the limit.
 */
export function needsMaintenance(parts: RetentionParts, { maxTotalBytes }: SizeLimits): boolean {
  if (maxTotalBytes === 0) return false;
  const bytes = parts.bytes.total();
  if (bytes <= maxTotalBytes) return false;
  const floor = readFloor(parts.folder);
  return floor?.cap !== maxTotalBytes || bytes > floor.bytes + maxTotalBytes / 10;
}

/**
 * Brings every project below the limit of entries and the store below the limit of its size. Garbage goes first; only then
 * the oldest entries. Fails with what the lock says when other maintenance runs; the entries beyond the count are gone then.
 */
export async function maintain(
  parts: RetentionParts,
  limits: SizeLimits,
  options: ReclaimOptions = {},
): Promise<LockResult<Maintained>> {
  const { maxTotalBytes } = limits;
  let droppedEntries = 0;
  for (const h16 of projectHashes(parts)) droppedEntries += trim(parts, h16, limits.maxSnapshots);
  parts.step?.('trimmed');
  const limited = maxTotalBytes === 0 ? options : { ...options, targetBytes: maxTotalBytes };
  let result = await reclaim(parts, limited);
  if (!result.ok) return result;
  let total = result.value;
  let goal = maxTotalBytes;
  const isOver = (): boolean => maxTotalBytes !== 0 && total.bytes > maxTotalBytes;
  for (let round = 0; round < MOST_ROUNDS && isOver() && total.isComplete; round += 1) {
    const { dropped, bytesKept } = evict(parts, goal);
    if (dropped === 0) break;
    droppedEntries += dropped;
    result = await reclaim(parts, limited);
    if (!result.ok) return result;
    total = sum(total, result.value);
    goal -= Math.max(0, total.bytes - bytesKept);
  }
  if (isOver() && total.isComplete) writeFloor(parts.folder, { bytes: total.bytes, cap: maxTotalBytes });
  return { ok: true, value: { ...total, droppedEntries, isOverCap: isOver() } };
}

function sum(one: Reclaimed, next: Reclaimed): Reclaimed {
  return {
    ...next,
    bytesReclaimed: one.bytesReclaimed + next.bytesReclaimed,
    objects: one.objects + next.objects,
    packs: one.packs + next.packs,
    debris: one.debris + next.debris,
    errors: [...one.errors, ...next.errors],
  };
}
