import type { EventName, EventPayload } from '../../kernel/events/index.ts';

/**
 * A function that is called at an event. What it may return depends on the event: see the event table.
 *
 * @param signal aborted when its time is up.
 */
export type Callback<E extends EventName> = (payload: EventPayload<E>, signal: AbortSignal) => unknown;

export interface CallbackOptions {
  /** Who it is: shown in messages and warnings. */
  readonly name: string;
  /** Milliseconds; the event's own limit when absent. */
  readonly timeLimitMs?: number;
  /** What its throw or time-out means; the event's own failure mode when absent. */
  readonly onFailure?: 'block' | 'ignore';
  /** `pre_tool_call` only: false when it does not want to see rewritten arguments a second time. */
  readonly recheck?: boolean;
  /** Observers only: it may run beside the concurrent ones registered directly before and after it. */
  readonly isConcurrent?: boolean;
}
