import type { Clock } from './clock.ts';

export type Timed<Value> = { readonly inTime: true; readonly value: Value } | { readonly inTime: false };

/**
 * Runs `work` for at most `limitMs` (null: as long as it takes). Past the limit its signal is aborted and it is left
 * behind: its value, or its failure, no longer matters to anyone. Rejects when `work` does so in time, or when
 * `signal` is aborted first.
 */
export async function within<Value>(
  clock: Clock,
  limitMs: number | null,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Timed<Value>> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const aborted = whenAborted(signal, ended.signal);
  const running = runTimed(work, AbortSignal.any([signal, ended.signal]));
  const contenders = [running, aborted, ...(limitMs === null ? [] : [limit(clock, limitMs, ended.signal)])];
  try {
    return await Promise.race(contenders);
  } finally {
    ended.abort();
    for (const contender of contenders) contender.catch(() => undefined);
  }
}

/** Rejects also where `work` throws at once, so that nothing that was started for it is left behind. */
async function runTimed<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Timed<Value>> {
  return { inTime: true, value: await work(signal) };
}

async function limit(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
): Promise<{ readonly inTime: false }> {
  await clock.sleep(limitMs, signal);
  return { inTime: false };
}

function whenAborted(signal: AbortSignal, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener(
      'abort',
      () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))),
      { once: true, signal: ended },
    );
  });
}
