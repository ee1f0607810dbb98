import type { EventPayload } from '../../kernel/events/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import {
  type AttemptInfo,
  type AttemptObserver,
  type ChatModel,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  streamWithRetry,
  type TokenUsage,
} from '../llm/index.ts';
import type { RequestedCall } from '../sessions/index.ts';
import type { TurnEvent } from './turn-event.ts';

/** What the model answered to one request, or how far it came. */
export type Reply =
  | {
      readonly ok: true;
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      readonly usage: TokenUsage;
      /** Why the model stopped. */
      readonly reason: Extract<ModelEvent, { readonly type: 'finished' }>['reason'];
    }
  | {
      readonly ok: false;
      readonly failure: ModelFailure;
      /** Text streamed before the failure. */
      readonly partial: string;
    };

const ATTEMPT_EVENTS = ['pre_api_request', 'post_api_request', 'api_request_error'] as const;

type AttemptFields = Pick<
  EventPayload<'pre_api_request'>,
  'sessionId' | 'turnId' | 'model' | 'platform' | 'apiRequestId' | 'apiCallCount'
>;

export interface ReplyOptions {
  readonly model: ChatModel;
  readonly request: ModelRequest;
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  readonly fields: AttemptFields;
  readonly onEvent: (event: TurnEvent) => void;
}

/** Sends one request, with retries, and gathers the reply; text is passed on as it streams. */
export async function requestReply(options: ReplyOptions): Promise<Reply> {
  const { model, request, clock, callbacks, onEvent } = options;
  let text = '';
  const calls: RequestedCall[] = [];
  onEvent({ type: 'request-started', attempt: 1 });
  const events = streamWithRetry(model, request, {
    clock,
    onRetry: ({ failure, attempt, delayMs }) => onEvent({ type: 'retrying', failure, attempt, delayMs }),
    // Describing an attempt costs as much as the history is long.
    ...(ATTEMPT_EVENTS.some((event) => callbacks.has(event)) && { observer: attemptObserver(options) }),
  });
  for await (const event of events) {
    switch (event.type) {
      case 'text-delta':
        text += event.text;
        onEvent(event);
        break;
      case 'restarted':
        text = '';
        onEvent(event);
        break;
      case 'tool-call': {
        const { callId, tool, args, rawArgs } = event;
        calls.push(args === null ? { callId, tool, args, rawArgs } : { callId, tool, args });
        break;
      }
      case 'finished':
        return { ok: true, text, calls, usage: event.usage, reason: event.reason };
      case 'failed':
        return { ok: false, failure: event.failure, partial: text };
    }
  }
  const message = `${model.label} ended its stream without an end.`;
  return { ok: false, failure: { code: 'bad_response', message, retryable: false }, partial: text };
}

/** Fires the request events of the event table for every attempt. */
function attemptObserver({ callbacks, fields, request, onEvent }: ReplyOptions): AttemptObserver {
  const warn = (lines: readonly string[]): void => {
    for (const text of lines) onEvent({ type: 'warning', text });
  };
  const common = (
    attempt: AttemptInfo,
  ): Omit<EventPayload<'pre_api_request'>, 'messageCount' | 'toolCount' | 'requestCharCount'> => ({
    ...fields,
    provider: attempt.provider,
    retryCount: attempt.retryCount,
    ...(attempt.baseUrl === undefined ? {} : { baseUrl: attempt.baseUrl }),
  });
  return {
    preRequest: async (attempt) => {
      const { messageCount, toolCount, requestCharCount } = attempt;
      const payload = (): EventPayload<'pre_api_request'> => ({
        ...common(attempt),
        messageCount,
        toolCount,
        requestCharCount,
      });
      const warnings = await callbacks.observe('pre_api_request', payload, request.signal);
      if (!request.signal.aborted) warn(warnings);
    },
    postRequest: async (attempt, { durationMs, finishReason, usage, toolCallCount }) => {
      const payload = (): EventPayload<'post_api_request'> => ({
        ...common(attempt),
        apiDuration: Math.round(durationMs),
        finishReason,
        usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
        assistantToolCallCount: toolCallCount,
      });
      warn(await callbacks.observe('post_api_request', payload, untilDone()));
    },
    requestError: async (attempt, { failure, willRetry, maxRetries }) => {
      const payload = (): EventPayload<'api_request_error'> => ({
        ...common(attempt),
        maxRetries,
        retryable: willRetry,
        error: { type: failure.code, message: failure.message },
        ...(failure.statusCode === undefined ? {} : { statusCode: failure.statusCode }),
      });
      warn(await callbacks.observe('api_request_error', payload, untilDone()));
    },
  };
}

/** What has happened is told also when the turn was interrupted. */
function untilDone(): AbortSignal {
  return new AbortController().signal;
}
