import type { JsonObject } from '../../kernel/json/index.ts';

/** One call of an assistant part, as far as pairing cares. */
export interface CalledTool {
  readonly callId: string;
  readonly tool: string;
  /** Null when the arguments are no JSON object. */
  readonly args: JsonObject | null;
}

/** What a person or the runtime said. */
export interface UserPart<Source> {
  readonly kind: 'user';
  readonly source: Source;
}

/** Instructions inside the list, where a format has them there. They may stand before the first user part. */
export interface SystemPart<Source> {
  readonly kind: 'system';
  readonly source: Source;
}

export interface AssistantPart<Source> {
  readonly kind: 'assistant';
  readonly calls: readonly CalledTool[];
  /** Whether it says anything besides its calls. */
  readonly hasContent: boolean;
  readonly source: Source;
}

export interface ResultPart<Source> {
  readonly kind: 'result';
  readonly callId: string;
  /** False for a stand-in that only says that the real result is not known. */
  readonly isReal: boolean;
  readonly source: Source;
}

/**
 * A message, or a piece of one, in any format: what pairing calls with results needs to know of it, and the piece
 * itself as `source`.
 */
export type Part<Source> = UserPart<Source> | SystemPart<Source> | AssistantPart<Source> | ResultPart<Source>;

/** What repairing has to make in a format. */
export interface PartFormat<Source> {
  /** The same assistant message, its calls carrying `callIds` in order. */
  readonly withCallIds: (source: Source, callIds: readonly string[]) => Source;
  /** The same result, of the call `callId`. */
  readonly withResultId: (source: Source, callId: string) => Source;
  /** A stand-in for a result that is not there. */
  readonly missingResult: (call: CalledTool) => Source;
  /** A user message for a list that does not start with one. */
  readonly opening: () => Source;
}
