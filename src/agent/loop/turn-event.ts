import type { CallReport } from '../../gate/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { ModelFailure, TokenUsage } from '../llm/index.ts';

/** How a turn ended. */
export type TurnEnd = 'completed' | 'interrupted' | 'failed' | 'iteration_limit';

/** What one turn of the agent did. */
export interface TurnResult {
  readonly end: TurnEnd;
  /** The final answer; what there was of it when the turn ended early. */
  readonly final: string;
  readonly turnId: string;
  /** Model requests made. */
  readonly requests: number;
  /** True when verification was cut short by its limit, or the turn by its iteration limit. */
  readonly capped: boolean;
  readonly calls: readonly CallReport[];
  readonly usage: TokenUsage;
  readonly failure?: ModelFailure;
}

/** What happens during a turn, in order, for whoever shows it. */
export type TurnEvent =
  | { readonly type: 'request-started'; readonly attempt: number }
  | { readonly type: 'text-delta'; readonly text: string }
  /** The attempt broke off: the text streamed since the request began is void. */
  | { readonly type: 'restarted' }
  /** The text streamed so far belongs to a message that is now complete. */
  | { readonly type: 'message-completed'; readonly text: string; readonly final: boolean }
  | { readonly type: 'call-started'; readonly call: ToolCall }
  | { readonly type: 'call-progress'; readonly callId: string; readonly text: string }
  | { readonly type: 'call-finished'; readonly report: CallReport }
  | {
      readonly type: 'retrying';
      readonly failure: ModelFailure;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly type: 'compressed'; readonly before: number; readonly after: number }
  | { readonly type: 'verifying'; readonly command: string }
  | { readonly type: 'verified'; readonly command: string; readonly passed: boolean }
  | { readonly type: 'warning'; readonly text: string };
