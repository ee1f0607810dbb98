import { unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { HeldLease } from '../projects/leases.ts';
import type { RetentionParts } from './retention-parts.ts';

const PAUSE_MS = 10;
/** A lease that is older belongs to a take that cannot give it back any more, in milliseconds. */
const LONGEST_TAKE_MS = 24 * 60 * 60 * 1000;

/**
 * Waits until every take that runs now has ended; those that begin later are not waited for. To be called with the lock of
 * maintenance held. False when one still runs after `waitMs`, or the signal was aborted: then nothing may be deleted. A
 * lease of more than a day is waited for like the others, and then removed.
 */
export async function waitForLeases(
  parts: RetentionParts,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<boolean> {
  const { clock, leases } = parts;
  const deadline = clock.monotonicMs() + waitMs;
  let waiting = leases.others();
  while (waiting.length > 0 && clock.monotonicMs() < deadline) {
    if (signal?.aborted === true) return false;
    await clock.sleep(PAUSE_MS);
    const held = new Set(leases.others().map(keyOf));
    waiting = waiting.filter((lease) => held.has(keyOf(lease)));
  }
  if (waiting.some(({ mtimeMs }) => clock.now() - mtimeMs < LONGEST_TAKE_MS)) return false;
  for (const { path } of waiting) unlinkRaw(path);
  return signal?.aborted !== true;
}

/** A process may use the name of a lease again. */
function keyOf({ path, mtimeMs }: HeldLease): string {
  return `${path} ${String(mtimeMs)}`;
}
