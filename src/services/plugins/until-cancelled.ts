import { abortReason, type Clock } from '../../platform/clock/index.ts';
import { CANCEL_GRACE_MS } from './running-plugin.ts';

/**
 * Waits for `work`, which was given `signal`. Once that is aborted, work that does not end by itself within the grace is left
 * behind, and the reason of the signal is thrown.
 */
export async function untilCancelled<Value>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  const ended = new AbortController();
  const cancelled = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      const cancelTimer = clock.startTimer(CANCEL_GRACE_MS, () => reject(abortReason(signal)));
      ended.signal.addEventListener('abort', cancelTimer, { once: true });
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([work(), cancelled]);
  } finally {
    ended.abort();
  }
}
