import type { ToolOutcome } from '../../gate/index.ts';
import type { Failure } from '../../kernel/errors/index.ts';

export function succeeded(result: string): ToolOutcome {
  return { status: 'ok', result };
}

/** A failure as the model reads it: what failed, and what to do next. */
export function failed(failure: Omit<Failure, 'ok'>): ToolOutcome {
  const { code, message, remedy } = failure;
  if (code === 'cancelled') return cancelled(message);
  return {
    status: 'error',
    errorType: code,
    message: remedy === undefined ? message : joinSentences(message, remedy),
  };
}

export function cancelled(message: string, result?: string): ToolOutcome {
  return result === undefined ? { status: 'cancelled', message } : { status: 'cancelled', message, result };
}

function joinSentences(message: string, remedy: string): string {
  const end = /[.!?:]$/.test(message) ? '' : '.';
  return `${message}${end} ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}${/[.!?]$/.test(remedy) ? '' : '.'}`;
}
