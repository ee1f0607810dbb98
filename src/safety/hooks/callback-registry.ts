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
import { BesideQueue } from './beside-queue.ts';
import type { Callback, CallbackOptions } from './callback.ts';
import { readReported } from './reported-answer.ts';
import { readToolCallAnswer } from './tool-call-answer.ts';
import { readVerifyAnswer } from './verify-answer.ts';

/** A text after all transforms of an event, and one line per transform that failed. */
export interface Transformed {
  readonly text: string;
  readonly warnings: readonly string[];
}

interface Entry {
  readonly options: CallbackOptions;
  readonly callback: (payload: never, signal: AbortSignal) => unknown;
  /** For events that nobody waits for. */
  beside?: BesideQueue<() => Promise<void>>;
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

  /**
   * Tells all observers, one after another; those that are `isConcurrent` and stand next to each other run side by side.
   * The value is one line per failure, in the order of registration.
   *
   * @param payload or what makes it, which is not called when nobody listens.
   */
  async observe<E extends EventName>(
    event: E,
    payload: LazyPayload<E>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (!this.has(event)) return NO_LINES;
    const told = payloadOf(payload);
    const warnings: string[] = [];
    for (const batch of batchesOf(this.#of(event))) {
      // Each gets a payload of its own: what one writes into it is not what the next is told.
      const answers = await Promise.all(
        batch.map(async (entry) => this.#call(event, entry, { ...told }, signal)),
      );
      warnings.push(...answers.flatMap((answer) => answer.warnings));
    }
    return warnings;
  }

  /** Passes a text through all transforms in turn: each sees what the one before it made. */
  async transform<E extends EventName>(
    event: E,
    payloadFor: (text: string) => EventPayload<E>,
    text: string,
    signal: AbortSignal,
  ): Promise<Transformed> {
    const warnings: string[] = [];
    let current = text;
    for (const entry of this.#of(event)) {
      const answer = await this.#call(event, entry, payloadFor(current), signal);
      warnings.push(...answer.warnings);
      if (typeof answer.value === 'string') current = answer.value;
    }
    return { text: current, warnings };
  }

  /**
   * What the callbacks want the model to read: every non-blank string or `{context}`, in order.
   *
   * @param payload or what makes it, which is not called when nobody listens.
   */
  async inject<E extends EventName>(
    event: E,
    payload: LazyPayload<E>,
    signal: AbortSignal,
  ): Promise<{ readonly texts: readonly string[]; readonly warnings: readonly string[] }> {
    if (!this.has(event)) return { texts: NO_LINES, warnings: NO_LINES };
    const told = payloadOf(payload);
    const texts: string[] = [];
    const warnings: string[] = [];
    for (const entry of this.#of(event)) {
      const answer = await this.#call(event, entry, { ...told }, signal);
      warnings.push(...answer.warnings);
      texts.push(...contextOf(answer.value));
    }
    return { texts, warnings };
  }

  /**
   * Tells all observers of an event that nobody waits for: returns at once. Each gets its events in order; one that is slow
   * loses its own oldest ones.
   *
   * @param onWarning gets one line for each callback that failed.
   */
  post<E extends EventName>(
    event: E,
    payload: LazyPayload<E>,
    onWarning: (lines: readonly string[]) => void,
  ): void {
    if (!this.has(event)) return;
    const told = payloadOf(payload);
    for (const entry of this.#of(event)) {
      entry.beside ??= new BesideQueue(async (tell) => tell());
      entry.beside.add(async () => {
        const { warnings } = await this.#call(event, entry, { ...told }, new AbortController().signal);
        if (warnings.length > 0) onWarning(warnings);
      });
    }
  }

  /**
   * Asks whether a turn that is about to end has to go on: what the model is to be told, of all callbacks that say so, in
   * order; undefined when none does.
   */
  async verify(
    payload: LazyPayload<'pre_verify'>,
    signal: AbortSignal,
  ): Promise<{ readonly message: string | undefined; readonly warnings: readonly string[] }> {
    if (!this.has('pre_verify')) return { message: undefined, warnings: NO_LINES };
    const told = payloadOf(payload);
    const messages: string[] = [];
    const warnings: string[] = [];
    for (const entry of this.#of('pre_verify')) {
      const answer = await this.#call('pre_verify', entry, { ...told }, signal);
      warnings.push(...answer.warnings);
      const message = readVerifyAnswer(answer.value);
      if (message !== undefined) messages.push(message);
    }
    return { message: messages.length === 0 ? undefined : messages.join('\n\n'), warnings };
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
        const { value, warnings } = readReported(await invoke(callback, payload, signal));
        const answer = readToolCallAnswer(value, call.args);
        return warnings.length === 0 ? answer : { ...answer, warnings };
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
  ): Promise<{ readonly value: unknown; readonly warnings: readonly string[] }> {
    const limitMs = options.timeLimitMs ?? EVENTS[event].timeLimitMs;
    const failed = (what: string): { readonly value: undefined; readonly warnings: readonly string[] } => ({
      value: undefined,
      warnings: [`${options.name} (${event}) ${what}`],
    });
    try {
      const outcome = await within(this.#clock, limitMs, signal, async (limited) =>
        invoke(callback, payload, limited),
      );
      if (outcome.inTime) return readReported(outcome.value);
      return failed(`did not answer within ${String((limitMs ?? 0) / 1000)} s`);
    } catch (error) {
      return failed(`failed: ${messageOf(error)}`);
    }
  }
}

const NO_LINES: readonly string[] = [];

/** The payload as it is, or what makes it. */
export type LazyPayload<E extends EventName> = EventPayload<E> | (() => EventPayload<E>);

function payloadOf<E extends EventName>(payload: LazyPayload<E>): EventPayload<E> {
  return typeof payload === 'function' ? payload() : payload;
}

/** Plain callbacks one by one, concurrent ones that stand together in one batch. */
function batchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  for (const entry of entries) {
    const last = batches.at(-1);
    if (entry.options.isConcurrent === true && last?.at(-1)?.options.isConcurrent === true) last.push(entry);
    else batches.push([entry]);
  }
  return batches;
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
