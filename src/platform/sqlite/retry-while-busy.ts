import { isBusy } from './database-error.ts';

const SHORTEST_PAUSE_MS = 0.2;
const PAUSE_SPREAD_MS = 2;

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/**
 * Repeats `work` as long as it throws because another process holds the lock, for at most `limitMs`; then that error is
 * thrown. The thread sleeps in between, shortly and each time differently long: SQLite's own waiting grows to a tenth of a
 * second and starves some writer.
 */
export function retryWhileBusy<Value>(limitMs: number, work: () => Value): Value {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) throw error;
    }
    Atomics.wait(neverNotified, 0, 0, SHORTEST_PAUSE_MS + Math.random() * PAUSE_SPREAD_MS);
  }
}
