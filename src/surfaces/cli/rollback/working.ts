import { startProgress } from '../output/progress.ts';
import type { VerbContext } from '../verb.ts';

/** So long it may take without a word about how long it took. */
const QUIET_MS = 2000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Runs what may take a while. A terminal shows what runs from the start, as work on files may leave no time for a line that
 * moves, and in the end how long it took, where that was long.
 */
export async function working<Value>(
  { stderr, clock }: Pick<VerbContext, 'stderr' | 'clock'>,
  what: string,
  work: () => Promise<Value>,
): Promise<Value> {
  if (!stderr.isTty) return work();
  const startedAt = clock.monotonicMs();
  stderr.write(`${what} …`);
  const progress = startProgress(stderr, clock, what);
  try {
    return await work();
  } finally {
    progress.stop();
    const tookMs = clock.monotonicMs() - startedAt;
    stderr.write(
      tookMs < QUIET_MS ? CLEAR_LINE : `${CLEAR_LINE}${what} took ${(tookMs / 1000).toFixed(1)} s\n`,
    );
  }
}
