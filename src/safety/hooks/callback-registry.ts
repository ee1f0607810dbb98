import { messageOf, suggest } from '../../kernel/errors/index.ts';
import {
  EVENT_NAMES,
  EVENTS,
  type EventName,
  type EventPayload,
  isEventName,
} from '../../kernel/events/index.ts';
import { isJsonObject } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { CallGuard } from '../../kernel/verdict/index.ts';
import { type Clock, within } from '../../platform/clock/index.ts';
import type { Callback, CallbackOptions } from './callback.ts';
import { readToolCallAnswer } from './tool-call-answer.ts';

/** A text after all transforms of an event, and one line per transform that failed. */
export interface Transformed {
  readonly text: string;
  readonly warnings: readonly string[];
}

interface Entry {
  readonly options: CallbackOptions;
  readonly callback: (payload: never, signal: AbortSignal) => unknown;
}

/**
 * The callbacks of one runtime, by event. All callbacks of an event run, in the order of registration; one that
 * throws or exceeds its time neither stops the others nor the agent, but is always reported.
 */
export class CallbackRegistry {
  readonly #clock: Clock;
  readonly #entries = new Map<EventName, Entry[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds a callback behind those already there. The function it returns takes it away again.
   *
   * @throws for an event that does not exist: a guard of a misspelt event would guard nothing.
   */
  register<E extends EventName>(event: E, options: CallbackOptions, callback: Callback<E>): () => void {
    if (!isEventName(event)) throw unknownEvent(event, options);
    const entry: Entry = { options, callback };
    const entries = this.#entries.get(event) ?? [];
    entries.push(entry);
    this.#entries.set(event, entries);
    return () => {
      const index = entries.indexOf(entry);
      if (index >= 0) entries.splice(index, 1);
    };
  }

  /** Whether anybody listens, for payloads that are expensive to build. */
  has(event: EventName): boolean {
    return (this.#entries.get(event)?.length ?? 0) > 0;
  }

  /** Tells all observers, one after another; the value is one line per failure. */
  async observe<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const entry of this.#of(event)) {
      // Each gets a payload of its own: what one writes into it is not what the next is told.
      const outcome = await this.#call(event, entry, { ...payload }, signal);
      if (!outcome.ok) warnings.push(outcome.warning);
    }
    return warnings;
  }

  /** Passes a text through all transforms in turn: each sees what the one before it made. */
  async transform<E extends EventName>(
    event: E,
    payloadOf: (text: string) => EventPayload<E>,
    text: string,
    signal: AbortSignal,
  ): Promise<Transformed> {
    const warnings: string[] = [];
    let current = text;
    for (const entry of this.#of(event)) {
      const outcome = await this.#call(event, entry, payloadOf(current), signal);
      if (!outcome.ok) warnings.push(outcome.warning);
      else if (typeof outcome.value === 'string') current = outcome.value;
    }
    return { text: current, warnings };
  }

  /** What the callbacks want the model to read: every non-blank string or `{context}`, in order. */
  async inject<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    signal: AbortSignal,
  ): Promise<{ readonly texts: readonly string[]; readonly warnings: readonly string[] }> {
    const texts: string[] = [];
    const warnings: string[] = [];
    for (const entry of this.#of(event)) {
      const outcome = await this.#call(event, entry, { ...payload }, signal);
      if (!outcome.ok) warnings.push(outcome.warning);
      else texts.push(...contextOf(outcome.value));
    }
    return { texts, warnings };
  }

  /** The callbacks of `pre_tool_call`, as the gate asks them. */
  guards(): readonly CallGuard[] {
    const { onFailure, timeLimitMs } = EVENTS.pre_tool_call;
    return this.#of('pre_tool_call').map(({ options, callback }) => ({
      name: options.name,
      onFailure: options.onFailure ?? onFailure,
      timeLimitMs: options.timeLimitMs ?? timeLimitMs,
      recheck: options.recheck ?? true,
      consult: async (call, { recheck, signal }) => {
        const payload: EventPayload<'pre_tool_call'> = {
          ...callFields(call),
          ...(recheck ? { recheck: true } : {}),
        };
        return readToolCallAnswer(await invoke(callback, payload, signal), call.args);
      },
    }));
  }

  #of(event: EventName): readonly Entry[] {
    return [...(this.#entries.get(event) ?? [])];
  }

  async #call<E extends EventName>(
    event: E,
    { options, callback }: Entry,
    payload: EventPayload<E>,
    signal: AbortSignal,
  ): Promise<
    { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly warning: string }
  > {
    const limitMs = options.timeLimitMs ?? EVENTS[event].timeLimitMs;
    try {
      const outcome = await within(this.#clock, limitMs, signal, async (limited) =>
        invoke(callback, payload, limited),
      );
      if (outcome.inTime) return { ok: true, value: outcome.value };
      return {
        ok: false,
        warning: `${options.name} (${event}) did not answer within ${String((limitMs ?? 0) / 1000)} s`,
      };
    } catch (error) {
      return { ok: false, warning: `${options.name} (${event}) failed: ${messageOf(error)}` };
    }
  }
}

function unknownEvent(event: string, { name }: CallbackOptions): Error {
  const near = suggest(event, EVENT_NAMES);
  const remedy =
    near === undefined ? `The events are: ${EVENT_NAMES.join(', ')}.` : `Did you mean "${near}"?`;
  return new Error(`${name} cannot be registered: there is no event "${event}". ${remedy}`);
}

/** The fields every tool event carries of its call. */
export function callFields(call: ToolCall): Omit<EventPayload<'pre_tool_call'>, 'recheck'> {
  return {
    toolName: call.tool,
    args: call.args,
    sessionId: call.sessionId,
    ...(call.parentSessionId === undefined ? {} : { parentSessionId: call.parentSessionId }),
    turnId: call.turnId,
    toolCallId: call.callId,
    cwd: call.cwd,
  };
}

/** An entry was stored under the event whose payload it takes, which its type no longer says. */
async function invoke(callback: Entry['callback'], payload: object, signal: AbortSignal): Promise<unknown> {
  return await Reflect.apply(callback, undefined, [payload, signal]);
}

function contextOf(returned: unknown): readonly string[] {
  const text = isJsonObject(returned) ? returned['context'] : returned;
  return typeof text === 'string' && text.trim() !== '' ? [text] : [];
}
