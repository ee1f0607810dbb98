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
