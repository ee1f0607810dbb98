import type { CancelTimer, Clock } from './clock.ts';
import { sleepWith } from './sleep-with.ts';

/** The longest delay `setTimeout` takes; beyond it, it fires at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (delayMs, signal) => sleepWith(startTimer, delayMs, signal),
  startTimer,
};

function startTimer(
  delayMs: number,
  callback: () => void,
  options?: { readonly background?: boolean },
): CancelTimer {
  if (Number.isNaN(delayMs)) throw new RangeError('a delay must be a number of milliseconds, not NaN');
  const dueMs = performance.now() + delayMs;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = Math.max(0, dueMs - performance.now());
    timer = setTimeout(leftMs > LONGEST_DELAY_MS ? arm : callback, Math.min(leftMs, LONGEST_DELAY_MS));
    if (options?.background === true) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
