import type { JsonObject } from '../json/index.ts';
import type { ToolCall } from '../tool-call/index.ts';
import type { Verdict } from './verdict.ts';

/** What a guard answers about a call: its verdict, and other arguments where it wants the call to run with those. */
export interface GuardAnswer {
  readonly verdict: Verdict;
  readonly args?: JsonObject;
  /** What a person is told about the guard itself, one line each; without effect on the call. */
  readonly warnings?: readonly string[];
}

/** Somebody who is asked before a call runs. */
export interface CallGuard {
  readonly name: string;
  /** What a throw or a time-out of this guard means for the call. */
  readonly onFailure: 'block' | 'ignore';
  /** Milliseconds. */
  readonly timeLimitMs: number;
  /** Whether it wants to see the call again when a later guard rewrote its arguments. */
  readonly recheck: boolean;
  /** May throw; {@link onFailure} says what that means. `recheck` is true on the second look. */
  consult(
    call: ToolCall,
    options: { readonly recheck: boolean; readonly signal: AbortSignal },
  ): Promise<GuardAnswer>;
}
