import { isJsonObject } from '../kernel/json/index.ts';

/** How a tool ended. A tool returns this; one that throws has a bug, and the call ends as `error`. */
export type ToolOutcome =
  | { readonly status: 'ok' /** For the model. */; readonly result: string }
  | {
      readonly status: 'error';
      readonly errorType: string;
      readonly message: string;
      readonly result?: string;
    }
  | { readonly status: 'cancelled'; readonly message: string; readonly result?: string };

/** What the model reads of an outcome. */
export function textOf(outcome: ToolOutcome): string {
  return outcome.status === 'ok' ? outcome.result : (outcome.result ?? outcome.message);
}

/** Whether a tool kept its word: what it returned is what happened, and has to be told whatever it is. */
export function isOutcome(returned: unknown): returned is ToolOutcome {
  if (!isJsonObject(returned)) return false;
  const { status, result, message, errorType } = returned;
  if (status === 'ok') return typeof result === 'string';
  if (typeof message !== 'string' || (result !== undefined && typeof result !== 'string')) return false;
  return status === 'cancelled' || (status === 'error' && typeof errorType === 'string');
}
