import { abortReason } from './abort-reason.ts';
import type { Clock } from './clock.ts';

/** The sleep of a clock, made of its timer. */
export function sleepWith(
  startTimer: Clock['startTimer'],
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortReason(signal));
      return;
    }
    const onAbort = (): void => {
      cancel();
      if (signal !== undefined) reject(abortReason(signal));
    };
    const cancel = startTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
