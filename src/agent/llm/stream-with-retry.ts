import type { Clock } from '../../platform/clock/index.ts';
import { randomFraction } from '../../platform/random/index.ts';
import type { ChatModel, ModelEvent, ModelFailure, ModelRequest, TokenUsage } from './chat-model.ts';
import { CANCELLED } from './model-failure.ts';

/**
 * What {@link streamWithRetry} yields. After `restarted`, the text yielded since the request began is void: it
 * belongs to an attempt that broke off, and another begins. Tool calls never come from such an attempt.
 */
export type RetriedModelEvent = ModelEvent | { readonly type: 'restarted' };

/** One attempt of a request, for whoever observes requests (`pre_api_request` and its fellows). */
export interface AttemptInfo {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Attempts before this one for the same request. */
  readonly retryCount: number;
  readonly messageCount: number;
  readonly toolCount: number;
  /** Characters of system prompt, messages and tool declarations, as JSON. */
  readonly requestCharCount: number;
}

/** Told of every attempt; a promise is waited for. Must not reject. */
export interface AttemptObserver {
  readonly preRequest?: (attempt: AttemptInfo) => void | Promise<void>;
  readonly postRequest?: (
    attempt: AttemptInfo,
    outcome: {
      readonly durationMs: number;
      readonly finishReason: string;
      readonly usage: TokenUsage;
      readonly toolCallCount: number;
    },
  ) => void | Promise<void>;
  readonly requestError?: (
    attempt: AttemptInfo,
    outcome: {
      readonly failure: ModelFailure;
      /** Whether another attempt follows. */
      readonly willRetry: boolean;
      readonly maxRetries: number;
    },
  ) => void | Promise<void>;
}

/** A failed attempt that is about to be repeated. */
export interface Retry {
  readonly failure: ModelFailure;
  /** Number of the attempt that follows; the first one was 1. */
  readonly attempt: number;
  readonly delayMs: number;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly onRetry?: (retry: Retry) => void;
  readonly observer?: AttemptObserver;
  /** Attempts after the first. By default 3. */
  readonly maxRetries?: number;
  /** A number in [0, 1) that spreads the waits of many clients; random by default. */
  readonly jitter?: () => number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const LONGEST_ASKED_DELAY_MS = 60_000;

/**
 * Streams one request, trying again what may pass: exponential waits with jitter, or as long as the provider asks (at
 * most 60 s). Ends with exactly one `finished` or `failed`; calls come right before `finished`. Cancelling the signal
 * ends it at once, also amid a wait, with `failed` of code `cancelled`. Leaving the iteration early cancels the
 * attempt.
 */
export async function* streamWithRetry(
  model: ChatModel,
  request: ModelRequest,
  options: RetryOptions,
): AsyncGenerator<RetriedModelEvent, void, void> {
  const { clock, onRetry, observer, maxRetries = 3, jitter = randomFraction } = options;
  const size = observer === undefined ? 0 : sizeOf(request);
  for (let retryCount = 0; ; retryCount += 1) {
    const attempt = describeAttempt(model, request, retryCount, size);
    await observer?.preRequest?.(attempt);
    const startedMs = clock.monotonicMs();
    const { ending, calls, hasText } = yield* streamAttempt(model, request);
    if (ending.type === 'finished') {
      const { reason: finishReason, usage } = ending;
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      await observer?.postRequest?.(attempt, {
        durationMs,
        finishReason,
        usage,
        toolCallCount: calls.length,
      });
      yield* calls;
      yield ending;
      return;
    }
    const { failure } = ending;
    const willRetry = failure.retryable && retryCount < maxRetries && !request.signal.aborted;
    await observer?.requestError?.(attempt, { failure, willRetry, maxRetries });
    if (!willRetry) {
      yield ending;
      return;
    }
    const delayMs = delayBefore(retryCount, failure.retryAfterMs, jitter());
    onRetry?.({ failure, attempt: retryCount + 2, delayMs });
    if (hasText) yield { type: 'restarted' };
    if (!(await slept(clock, delayMs, request.signal))) {
      yield { type: 'failed', failure: CANCELLED };
      return;
    }
  }
}

interface Attempt {
  readonly ending: Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;
  readonly calls: readonly Extract<ModelEvent, { readonly type: 'tool-call' }>[];
  /** Whether text was passed on. */
  readonly hasText: boolean;
}

/** Passes text on as it comes, and keeps calls back until the attempt has ended well. */
async function* streamAttempt(
  model: ChatModel,
  request: ModelRequest,
): AsyncGenerator<RetriedModelEvent, Attempt, void> {
  const calls: Extract<ModelEvent, { readonly type: 'tool-call' }>[] = [];
  let hasText = false;
  if (request.signal.aborted) return { ending: { type: 'failed', failure: CANCELLED }, calls, hasText };
  for await (const event of model.stream(request)) {
    switch (event.type) {
      case 'text-delta':
        hasText = true;
        yield event;
        break;
      case 'tool-call':
        calls.push(event);
        break;
      case 'finished':
      case 'failed':
        return { ending: event, calls, hasText };
    }
  }
  const failure = {
    code: 'bad_response',
    message: `${model.label} ended without an answer.`,
    retryable: true,
  } as const;
  return { ending: { type: 'failed', failure }, calls, hasText };
}

function delayBefore(retryCount: number, askedMs: number | undefined, jitter: number): number {
  if (askedMs !== undefined) return Math.min(askedMs, LONGEST_ASKED_DELAY_MS);
  const longest = Math.min(FIRST_DELAY_MS * 2 ** retryCount, LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + jitter / 2));
}

/** False when the wait was cut short by the signal. */
async function slept(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

function describeAttempt(
  model: ChatModel,
  request: ModelRequest,
  retryCount: number,
  size: number,
): AttemptInfo {
  return {
    provider: model.provider,
    model: model.model,
    ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
    retryCount,
    messageCount: request.messages.length,
    toolCount: request.tools.length,
    requestCharCount: size,
  };
}

function sizeOf({ system, messages, tools }: ModelRequest): number {
  const declarations = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return system.length + JSON.stringify(messages).length + JSON.stringify(declarations).length;
}
