import type { JsonObject } from '../../kernel/json/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import type { Message } from '../sessions/index.ts';

/** Tokens of one request. Zero where the provider does not say. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelRequest {
  readonly system: string;
  /** Repaired: every call is answered exactly once, the first message is the user's. */
  readonly messages: readonly Message[];
  /** Offered to the model; it is never the SDK that runs them. */
  readonly tools: readonly ToolDeclaration[];
  readonly signal: AbortSignal;
}

/** Why a model request failed, as far as it changes what is done next. */
export type ModelErrorCode =
  | 'unauthorized'
  | 'model_not_found'
  | 'rate_limited'
  | 'server_error'
  | 'network'
  | 'bad_response'
  | 'context_too_long'
  | 'bad_request'
  | 'script_exhausted'
  | 'cancelled';

export interface ModelFailure {
  readonly code: ModelErrorCode;
  /** What failed, with the value (model, address, status). */
  readonly message: string;
  readonly remedy?: string;
  readonly statusCode?: number;
  readonly retryable: boolean;
  /** Asked for by the provider, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** What a streaming request yields. It ends with exactly one `finished` or `failed`. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly tool: string;
      readonly args: JsonObject | null;
      readonly rawArgs: string;
    }
  | {
      readonly type: 'finished';
      readonly reason: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';
      readonly usage: TokenUsage;
    }
  | { readonly type: 'failed'; readonly failure: ModelFailure };

/** A language model behind one attempt of one request. Retrying is the caller's ({@link streamWithRetry}). */
export interface ChatModel {
  /** Shown to people: `openai:gpt-5`, `scripted:demo.json`. */
  readonly label: string;
  readonly provider: string;
  readonly model: string;
  /** Base address, where one is known. */
  readonly baseUrl?: string;
  /** Tokens; the default where nobody says is 128,000. */
  readonly contextWindow: number;
  /** Never throws: a failure is the last event. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
