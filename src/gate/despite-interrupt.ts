import type { Clock } from '../platform/clock/index.ts';

/** How long whoever is told of a call may go on once the turn was interrupted. */
const GRACE_MS = 5000;

/**
 * Runs what has to happen also when the turn was interrupted, such as telling how a call ended. Its signal is aborted 5 s after
 * `signal` is: what has happened is told, and nobody who is told keeps an interrupted turn waiting for long.
 */
export async function despiteInterrupt<Value>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const over = new AbortController();
  let cancelTimer = (): void => undefined;
  const startTimer = (): void => {
    cancelTimer = clock.startTimer(GRACE_MS, () => over.abort(new Error('the turn was interrupted')));
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener('abort', startTimer, { once: true });
  try {
    return await work(over.signal);
  } finally {
    signal.removeEventListener('abort', startTimer);
    cancelTimer();
  }
}
