import type { EventName } from '../../kernel/events/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { CallbackRegistry, LazyPayload } from '../../safety/hooks/index.ts';

export interface Observing {
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  /** Of the turn the event belongs to. */
  readonly signal: AbortSignal;
}

/** How long the observers of an event without a time limit may go on when the turn was interrupted. */
const AFTER_INTERRUPT_MS = 30_000;

/**
 * Tells the observers of an event that has no time limit, also when the turn was interrupted; but an interrupted turn does
 * not wait for them for ever. The payload, or what makes it, is not touched when nobody listens.
 *
 * @returns one line per failure.
 */
export async function observeUntilOver<E extends EventName>(
  { callbacks, clock, signal }: Observing,
  event: E,
  payload: LazyPayload<E>,
): Promise<readonly string[]> {
  if (!callbacks.has(event)) return [];
  const over = new AbortController();
  let cancelTimer = (): void => undefined;
  const startTimer = (): void => {
    cancelTimer = clock.startTimer(AFTER_INTERRUPT_MS, () => over.abort());
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener('abort', startTimer, { once: true });
  try {
    return await callbacks.observe(event, payload, over.signal);
  } finally {
    signal.removeEventListener('abort', startTimer);
    cancelTimer();
  }
}
