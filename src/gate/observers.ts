import type { ToolCall } from '../kernel/tool-call/index.ts';
import { type ToolOutcome, textOf } from './tool-outcome.ts';

/** A call that has ended, as observers and transforms see it. */
export interface EndedCall {
  readonly call: ToolCall;
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  /** What the tool answered, or why it did not run. */
  readonly result: string;
  readonly errorType?: string;
  readonly errorMessage?: string;
  /** Milliseconds the tool took; 0 when it did not run. */
  readonly durationMs: number;
  /** Names what was captured before it ran; see the checkpoint step. */
  readonly checkpoint?: string;
  /** Names its row in the journal; see the journal step. */
  readonly entry?: string;
  /** How the call was matched with its beginning, when not by an id. */
  readonly pairing?: 'name' | 'name-fifo';
}

/**
 * Who is told of every call that ended, and may change what the model reads of it. Neither can undo or fail a call:
 * what goes wrong in them comes back as warnings.
 */
export interface CallAudience {
  /** Tells every observer. Resolves when all have ended or run out of time; the value is one line per failure. */
  observe(ended: EndedCall, signal: AbortSignal): Promise<readonly string[]>;
  /** The result as the model reads it. */
  transform(
    ended: EndedCall,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly warnings: readonly string[] }>;
}

/** A call together with how it ended. */
export function endedCall(call: ToolCall, outcome: ToolOutcome, durationMs: number): EndedCall {
  const ended = { call, status: outcome.status, result: textOf(outcome), durationMs };
  if (outcome.status === 'ok') return ended;
  if (outcome.status === 'error')
    return { ...ended, errorType: outcome.errorType, errorMessage: outcome.message };
  return { ...ended, errorMessage: outcome.message };
}
