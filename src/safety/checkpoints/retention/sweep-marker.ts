import { join } from 'node:path';
import { removeTree } from '../../../platform/files/index.ts';
import { withLock } from '../../../platform/locks/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { rawKindOf, rawStat } from '../../../platform/raw-files/index.ts';
import { replaceFile, textOf } from './floor.ts';
import type { RetentionParts } from './retention-parts.ts';

const MARKER = '.last_prune';

/** When the last sweep began, in milliseconds since 1970; undefined when there was none or the marker is damaged. */
export function lastSweepAt(base: string): number | undefined {
  const text = textOf(join(base, MARKER))?.trim() ?? '';
  return /^\d{1,12}(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
}

/**
 * Whether this process is the one to sweep now: none has begun to for `intervalMs`. The marker, seconds since 1970 as
 * text, is written before the work, so that a sweep that dies is not begun again at every start. One from the future is
 * none. False when another process asks at the same time.
 */
export async function claimSweep(
  { base, clock }: Pick<RetentionParts, 'base' | 'clock'>,
  intervalMs: number,
): Promise<boolean> {
  const path = join(base, MARKER);
  const claim = async (): Promise<boolean> => {
    const last = lastSweepAt(base);
    const now = clock.now();
    if (last !== undefined && last <= now && now - last < intervalMs) return false;
    // A folder is no marker, and would be in the way of every one.
    if (isFolder(path)) await removeTree(path);
    replaceFile(path, `${String(now / 1000)}\n`, join(base, `${MARKER}.${randomId('tmp')}`));
    return true;
  };
  const result = await withLock(join(base, `${MARKER}.lock`), { clock }, claim);
  return result.ok && result.value;
}

function isFolder(path: string): boolean {
  const stat = rawStat(path);
  return stat !== undefined && rawKindOf(stat) === 'directory';
}
