import type { AssistantModelMessage, jsonSchema, ModelMessage, streamText, ToolSet, tool } from 'ai';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Fetch } from '../../platform/http/index.ts';
import type { ChatModel, ModelEvent, ModelRequest } from './chat-model.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { Endpoint } from './endpoint.ts';
import { CANCELLED, failureOfStream } from './model-failure.ts';
import type { ReadSpec } from './model-spec.ts';
import { type Connection, contextWindowOf, type Provider } from './provider.ts';
import { ReplyMemory } from './reply-memory.ts';
import { createOrigin, type RequestOrigin } from './request-origin.ts';
import {
  callsBefore,
  endingOf,
  readSdkCall,
  type SdkAnswer,
  STOPPED_SHORT,
  type ToolCallEvent,
} from './sdk-answer.ts';
import { toSdkMessages } from './sdk-messages.ts';
import { failureOfSdkError } from './stream-failure.ts';

export interface SdkModelOptions {
  readonly spec: ReadSpec;
  readonly endpoint: Endpoint;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

interface Sdk {
  readonly streamText: typeof streamText;
  readonly tool: typeof tool;
  readonly jsonSchema: typeof jsonSchema;
}

type SdkResult = ReturnType<typeof streamText<ToolSet>>;

/**
 * A model behind the AI SDK, which is loaded with the first request. The SDK neither runs tools nor retries; one
 * stream is one request.
 */
export class SdkModel implements ChatModel {
  readonly label: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly contextWindow: number;
  readonly #provider: Provider;
  readonly #connection: Connection;
  readonly #origin: RequestOrigin;
  readonly #memory = new ReplyMemory();

  constructor({ spec, endpoint, fetch, clock }: SdkModelOptions) {
    const { provider, baseUrl, apiKey } = endpoint;
    const origin = createOrigin(spec, endpoint);
    this.label = spec.label;
    this.provider = spec.provider;
    this.model = spec.model;
    this.baseUrl = origin.baseUrl;
    this.contextWindow = spec.context_window ?? contextWindowOf(spec.model);
    this.#provider = provider;
    this.#origin = origin;
    this.#connection = { model: spec.model, baseUrl, apiKey, fetch: checkedFetch({ fetch, origin, clock }) };
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request;
    const left = new AbortController();
    try {
      signal.throwIfAborted();
      const result = await this.#begin(request, AbortSignal.any([signal, left.signal]));
      yield* this.#read(result, signal);
    } catch (error) {
      yield { type: 'failed', failure: signal.aborted ? CANCELLED : failureOfSdkError(error, this.#origin) };
    } finally {
      left.abort();
    }
  }

  async #begin({ system, messages, tools }: ModelRequest, abortSignal: AbortSignal): Promise<SdkResult> {
    const provider = this.#provider;
    const [sdk, model] = await Promise.all([loadSdk(), provider.connect(this.#connection)]);
    const converted = toSdkMessages(messages, {
      callId: provider.callId,
      offered: new Set(tools.map(({ name }) => name)),
      memory: this.#memory,
    });
    return sdk.streamText({
      model,
      ...instructions(system, provider),
      messages: withCacheMark(converted, provider),
      tools: Object.fromEntries(tools.map((each) => [each.name, declare(sdk, each)])),
      maxRetries: 0,
      abortSignal,
      telemetry: { isEnabled: false },
      onError: () => undefined,
      ...(provider.options === undefined ? {} : { providerOptions: provider.options }),
    });
  }

  async *#read(result: SdkResult, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const answer: { text: string; readonly calls: ToolCallEvent[] } = { text: '', calls: [] };
    for await (const part of result.stream) {
      if (signal.aborted) break;
      if (part.type === 'text-delta' && part.text !== '') {
        answer.text += part.text;
        yield { type: 'text-delta', text: part.text };
      } else if (part.type === 'tool-call') {
        answer.calls.push(readSdkCall(part));
      } else if (part.type === 'error') {
        yield { type: 'failed', failure: failureOfSdkError(part.error, this.#origin) };
        return;
      } else if (part.type === 'finish') {
        const ending = endingOf(part, answer, this.#origin);
        const calls = callsBefore(part, answer.calls);
        if (ending.type === 'finished') yield* await this.#settle(result, { text: answer.text, calls });
        yield ending;
        return;
      }
    }
    const stopped = failureOfStream(STOPPED_SHORT, this.#origin, true);
    yield { type: 'failed', failure: signal.aborted ? CANCELLED : stopped };
  }

  /** The calls of an answer that ended well; it is remembered as the provider gave it. */
  async #settle(result: SdkResult, { text, calls }: SdkAnswer): Promise<readonly ToolCallEvent[]> {
    if (calls.length === 0 || calls.some(({ args }) => args === null)) return calls;
    const isAnswer = (message: ModelMessage): message is AssistantModelMessage =>
      message.role === 'assistant';
    const content = (await result.responseMessages).find(isAnswer)?.content;
    if (content !== undefined && typeof content !== 'string') this.#memory.remember(text, calls, content);
    return calls;
  }
}

/** The SDK writes warnings to stderr unless told not to, which it is by a global. */
async function loadSdk(): Promise<Sdk> {
  const sdk = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return sdk;
}

function declare(sdk: Sdk, { description, parameters }: ToolDeclaration): ToolSet[string] {
  return sdk.tool({ description, inputSchema: sdk.jsonSchema(parameters) });
}

type Instructions = NonNullable<Parameters<typeof streamText>[0]['instructions']>;

function instructions(system: string, { cacheOptions }: Provider): { readonly instructions?: Instructions } {
  if (system.trim() === '') return {};
  const content = system.toWellFormed();
  if (cacheOptions === undefined) return { instructions: content };
  return { instructions: { role: 'system', content, providerOptions: cacheOptions } };
}

/** Marks the last message, so that the provider keeps what it read up to there. */
function withCacheMark(messages: ModelMessage[], { cacheOptions }: Provider): ModelMessage[] {
  const last = messages.at(-1);
  if (cacheOptions === undefined || last === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, providerOptions: cacheOptions }];
}
