import type { JsonSchema } from '../json/index.ts';
import type { Fields } from './field.ts';

/**
 * What the callbacks of an event may do: watch, decide whether a call runs, replace a text, or add context for the
 * model.
 */
export type EventMode = 'observe' | 'decide' | 'transform' | 'inject';

/** What a callback that throws or exceeds its time does to the thing it was asked about. */
export type FailureMode = 'block' | 'ignore';

export interface EventDefinition {
  readonly doc: string;
  readonly mode: EventMode;
  readonly onFailure: FailureMode;
  /** How long one callback may take, in milliseconds; null where the event is a last chance to flush. */
  readonly timeLimitMs: number | null;
  readonly payload: Fields;
  /** What a callback may return; null when its return value is ignored. */
  readonly result: JsonSchema | null;
}

/** Every observer, injector and transform gets this long. */
export const CALLBACK_TIME_LIMIT_MS = 30_000;
