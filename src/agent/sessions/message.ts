import type { JsonObject } from '../../kernel/json/index.ts';

/** One tool call an assistant message asks for. */
export interface RequestedCall {
  /** Unique within its turn; providers may reuse it in another. */
  readonly callId: string;
  readonly tool: string;
  /** Null when the model sent text that is no JSON object; then {@link rawArgs} holds it. */
  readonly args: JsonObject | null;
  readonly rawArgs?: string;
}

/** How the call of a tool message ended. `unknown`: it began, and nobody saw its end. */
export type ResultStatus = 'ok' | 'error' | 'blocked' | 'cancelled' | 'unknown';

/** One message of a conversation. The system prompt is not part of it. */
export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      /** Written by the runtime, not by the person: a summary, a nudge. */
      readonly synthetic?: 'summary' | 'verification_required';
      /** What hooks added for the model; not shown as the person's words. */
      readonly context?: string;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      /** True for an answer that was pushed back by verification: kept, not shown. */
      readonly pushedBack?: boolean;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly status: ResultStatus;
    };
