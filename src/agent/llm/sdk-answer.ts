import type { ToolSet, TypedToolCall } from 'ai';
import { isJsonObject, parseJson, toJsonValue } from '../../kernel/json/index.ts';
import type { ModelEvent } from './chat-model.ts';
import { failureOfStream } from './model-failure.ts';
import type { RequestOrigin } from './request-origin.ts';

export type ToolCallEvent = Extract<ModelEvent, { readonly type: 'tool-call' }>;
export type EndingEvent = Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;
type FinishReason = Extract<ModelEvent, { readonly type: 'finished' }>['reason'];

/** What was streamed of an answer. */
export interface SdkAnswer {
  readonly text: string;
  readonly calls: readonly ToolCallEvent[];
}

/** How the AI SDK says that a stream is over. */
export interface SdkFinish {
  readonly finishReason: string;
  /** The provider's own word; none when the stream stopped by itself. */
  readonly rawFinishReason: string | undefined;
  readonly totalUsage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
  };
}

/** What a stream that stops before its end did, after the address of the server. */
export const STOPPED_SHORT = 'stopped before the answer was complete';

/**
 * A call as the AI SDK hands it over: with arguments that are parsed, or, when they are no JSON it accepts, as text.
 * It refuses keys such as `__proto__`, which are ordinary ones here.
 */
export function readSdkCall({ toolCallId, toolName, input, invalid }: TypedToolCall<ToolSet>): ToolCallEvent {
  const call = { type: 'tool-call', callId: toolCallId, tool: toolName } as const;
  if (typeof input === 'string' && invalid === true) {
    const parsed = parseJson(input);
    return { ...call, args: parsed.ok && isJsonObject(parsed.value) ? parsed.value : null, rawArgs: input };
  }
  const value = toJsonValue(input);
  return { ...call, args: isJsonObject(value) ? value : null, rawArgs: JSON.stringify(value) };
}

/** The last event of a stream. One that stopped without a reason of the provider has failed. */
export function endingOf(finish: SdkFinish, { text, calls }: SdkAnswer, origin: RequestOrigin): EndingEvent {
  const { finishReason, rawFinishReason, totalUsage } = finish;
  const isCutOff =
    finishReason === 'interrupted' || (finishReason === 'other' && rawFinishReason === undefined);
  if (isCutOff || finishReason === 'error')
    return { type: 'failed', failure: failureOfStream(STOPPED_SHORT, origin, true) };
  if (finishReason === 'content-filter' && text === '' && calls.length === 0) {
    const what = `withheld its answer (${rawFinishReason ?? 'content filter'})`;
    return { type: 'failed', failure: failureOfStream(what, origin, false) };
  }
  return {
    type: 'finished',
    reason: reasonOf(finishReason, calls.length > 0),
    usage: { inputTokens: totalUsage.inputTokens ?? 0, outputTokens: totalUsage.outputTokens ?? 0 },
  };
}

/**
 * The calls of an answer that ended like that. Where one was cut off before the first character of the arguments of its
 * last call, the AI SDK takes them for an empty object; nobody asked for that call.
 */
export function callsBefore(
  { finishReason }: Pick<SdkFinish, 'finishReason'>,
  calls: readonly ToolCallEvent[],
): readonly ToolCallEvent[] {
  const last = calls.at(-1);
  const isCutOff = finishReason === 'length' || finishReason === 'content-filter';
  if (!isCutOff || last === undefined || last.args === null || Object.keys(last.args).length > 0)
    return calls;
  return [...calls.slice(0, -1), { ...last, args: null, rawArgs: '' }];
}

/** Some servers say `stop` after calls. */
function reasonOf(finishReason: string, hasCalls: boolean): FinishReason {
  if (finishReason === 'length' || finishReason === 'content-filter') return finishReason;
  if (hasCalls) return 'tool-calls';
  return finishReason === 'stop' ? 'stop' : 'other';
}
