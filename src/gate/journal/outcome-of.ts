import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { EffectKnown, Outcome } from '../../safety/ledger/index.ts';
import type { EndedCall } from '../observers.ts';

/** Errors by which a tool says that it has not begun. */
const NOT_BEGUN: ReadonlySet<string> = new Set([
  'bad_arguments',
  'unknown_tool',
  'unknown_call',
  'protected',
  'spawn_failed',
]);
/** Errors after which nobody can say what was done. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['InternalError', 'timeout', 'interrupted', 'aborted']);
/** Answers that say nothing. */
const EMPTY: ReadonlySet<string> = new Set(['', '""', 'null', '{}', '[]']);

/** How a call that ran has ended, for the journal. */
export function outcomeOf({ call, status, result, errorType, durationMs, pairing }: EndedCall): Outcome {
  return {
    status: status === 'blocked' ? 'error' : status,
    errorType: status === 'blocked' ? 'blocked' : errorType,
    result,
    durationMs,
    ...(pairing === undefined ? {} : { pairing }),
    effect: effectOf(call, { status, result, ...(errorType === undefined ? {} : { errorType }) }),
  };
}

/**
 * What is known of the effect of a call that ran. An error of a tool whose calls are all or nothing says that there is none; one of a
 * foreign service says nothing: it may have failed after the deed. An answer without content is none.
 */
function effectOf(
  { effect, actsThroughGate }: ToolCall,
  { status, result, errorType = '' }: Omit<EndedCall, 'call' | 'durationMs'>,
): EffectKnown {
  if (effect === 'none') return 'none';
  if (status === 'blocked' || NOT_BEGUN.has(errorType)) return 'not_applied';
  if (status === 'cancelled' || BROKEN_OFF.has(errorType)) return 'unknown';
  // What it did are calls of their own.
  if (actsThroughGate === true) return 'applied';
  if (status === 'ok') return effect === 'external' && EMPTY.has(result.trim()) ? 'unknown' : 'applied';
  if (effect === 'write') return 'not_applied';
  return effect === 'execute' ? 'applied' : 'unknown';
}
