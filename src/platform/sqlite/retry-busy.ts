import { isBusy } from './sqlite-failure.ts';

/** How long a writer waits for others, in milliseconds. */
export const BUSY_LIMIT_MS = 10_000;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work` until the database is free. SQLite's own wait doubles up to 100 ms and can starve one writer for a
 * second; short random waits keep the longest below a tenth of that.
 *
 * Rethrows the busy error once {@link BUSY_LIMIT_MS} are over, and every other error at once.
 */
export function retryWhileBusy<Value>(work: () => Value): Value {
  const deadline = performance.now() + BUSY_LIMIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Atomics.wait(sleeper, 0, 0, 0.2 + Math.random() * 2);
    }
  }
}
