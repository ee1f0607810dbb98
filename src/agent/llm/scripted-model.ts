import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Message } from '../sessions/index.ts';
import type { ChatModel, ModelEvent, ModelFailure, ModelRequest, TokenUsage } from './chat-model.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { CANCELLED } from './model-failure.ts';
import type { ModelScript, ScriptedError, ScriptedExpectation, ScriptStep } from './model-script.ts';

export interface ScriptedModelOptions {
  readonly script: ModelScript;
  /** `scripted:demo.json`. */
  readonly label: string;
  readonly clock: Clock;
  /** The first step that is played, from 0. By default 0. */
  readonly startAt?: number;
  readonly contextWindow?: number | undefined;
}

/** Characters of one streamed piece of text, where the script says nothing. */
const CHUNK_CHARS = 16;

const DEFAULT_CONTEXT_WINDOW = 128_000;

/**
 * A model that plays a script: each request takes the next step, in the order in which requests begin. Requests that
 * offer no tools take the `auxiliary` steps where the script has any; requests whose first message holds the text of
 * a branch take the steps of that branch.
 */
export class ScriptedModel implements ChatModel {
  readonly label: string;
  readonly provider = 'scripted';
  readonly model: string;
  readonly contextWindow: number;
  readonly #clock: Clock;
  readonly #script: ModelScript;
  readonly #main: Reel;
  readonly #auxiliary: Reel | undefined;
  readonly #branches: readonly Reel[];

  private constructor({ script, label, clock, startAt = 0, contextWindow }: ScriptedModelOptions) {
    this.label = label;
    this.model = label.slice(label.indexOf(':') + 1);
    this.contextWindow = contextWindow ?? script.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
    this.#clock = clock;
    this.#script = script;
    this.#main = new Reel('', script.steps, startAt);
    this.#auxiliary = script.auxiliary === undefined ? undefined : new Reel('aux', script.auxiliary);
    this.#branches = script.branches.map(({ steps }, index) => new Reel(`branch${index}`, steps));
  }

  /** Fails when the script has no step to start at. */
  static create(options: ScriptedModelOptions): Result<ScriptedModel, 'bad_script'> {
    const { script, label, startAt = 0 } = options;
    const count = script.steps.length;
    if (startAt <= count) return succeed(new ScriptedModel(options));
    return fail(
      'bad_script',
      `${label} starts at step ${startAt}, and the script has ${count} steps.`,
      `Steps are counted from 0; the last one is ${count - 1}.`,
    );
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const reel = this.#reelFor(request);
    const taken = reel.next();
    if (request.signal.aborted) yield { type: 'failed', failure: CANCELLED };
    else if (taken === undefined) yield { type: 'failed', failure: this.#exhausted(request, reel) };
    else yield* this.#play(taken, request);
  }

  /** The steps that were not played, by their place in the file. */
  remaining(): readonly string[] {
    const reels = [
      this.#main,
      ...(this.#auxiliary === undefined ? [] : [this.#auxiliary]),
      ...this.#branches,
    ];
    return reels.flatMap((reel) => reel.remaining());
  }

  async *#play({ step, callIdBase }: Taken, request: ModelRequest): AsyncGenerator<ModelEvent> {
    const unmet = step.expect === undefined ? undefined : unmetExpectation(step.expect, request.messages);
    if (unmet !== undefined) {
      const message = `${this.label}: ${step.place} expects ${unmet}.`;
      yield { type: 'failed', failure: { code: 'bad_request', message, retryable: false } };
      return;
    }
    let isCancelled = await this.#isCancelledWithin(step.delayMs, request.signal);
    for (const text of piecesOf(step)) {
      if (isCancelled) break;
      yield { type: 'text-delta', text };
      isCancelled = request.signal.aborted;
    }
    if (isCancelled || step.error !== undefined) {
      yield {
        type: 'failed',
        failure: isCancelled || step.error === undefined ? CANCELLED : failureIn(step.error),
      };
      return;
    }
    for (const [index, { id, name, args, rawArgs }] of step.calls.entries())
      yield { type: 'tool-call', callId: id ?? `${callIdBase}_${index + 1}`, tool: name, args, rawArgs };
    yield {
      type: 'finished',
      reason: step.finishReason ?? (step.calls.length > 0 ? 'tool-calls' : 'stop'),
      usage: step.usage ?? estimateUsage(step, request),
    };
  }

  #reelFor(request: ModelRequest): Reel {
    const first = request.messages.find(({ role }) => role === 'user')?.text ?? '';
    const index = this.#script.branches.findIndex(({ firstUserContains }) =>
      first.includes(firstUserContains),
    );
    const branch = this.#branches[index];
    if (branch !== undefined) return branch;
    return request.tools.length === 0 && this.#auxiliary !== undefined ? this.#auxiliary : this.#main;
  }

  #exhausted(request: ModelRequest, reel: Reel): ModelFailure {
    const last = request.messages.at(-1);
    const asked = last === undefined ? 'nothing' : `${last.role}: ${JSON.stringify(last.text.slice(0, 80))}`;
    return {
      code: 'script_exhausted',
      message: `${this.label} has no step left (${reel.count} played); it was asked after ${asked}.`,
      remedy: 'Add a step to the script, or find out why the model was asked once more.',
      retryable: false,
    };
  }

  /** Waits as long as the step wants; true when that was cut short. */
  async #isCancelledWithin(delayMs: number, signal: AbortSignal): Promise<boolean> {
    if (delayMs === 0) return signal.aborted;
    try {
      await this.#clock.sleep(delayMs, signal);
      return false;
    } catch (error) {
      if (signal.aborted) return true;
      throw error;
    }
  }
}

interface Taken {
  readonly step: ScriptStep;
  /** Distinct for every step of a script, and the same in every process. */
  readonly callIdBase: string;
}

/** A list of steps that are played once each, in order. */
class Reel {
  readonly #name: string;
  readonly #steps: readonly ScriptStep[];
  #position: number;

  constructor(name: string, steps: readonly ScriptStep[], position = 0) {
    this.#name = name;
    this.#steps = steps;
    this.#position = position;
  }

  get count(): number {
    return this.#steps.length;
  }

  next(): Taken | undefined {
    const step = this.#steps[this.#position];
    if (step === undefined) return undefined;
    this.#position += 1;
    return { step, callIdBase: ['call', this.#name, this.#position].filter((part) => part !== '').join('_') };
  }

  remaining(): readonly string[] {
    return this.#steps.slice(this.#position).map(({ place }) => place);
  }
}

function piecesOf({ text, chunks }: ScriptStep): readonly string[] {
  const characters = Array.from(text);
  const size = chunks === undefined ? CHUNK_CHARS : Math.max(1, Math.ceil(characters.length / chunks));
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

function failureIn({ code, message, status, retryAfterMs }: ScriptedError): ModelFailure {
  return {
    code,
    message,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    retryable: code === 'rate_limited' || code === 'server_error' || code === 'network',
  };
}

/** What a request lacks of what its step expects, as the end of a sentence. */
function unmetExpectation(
  { lastUserContains, lastToolContains }: ScriptedExpectation,
  messages: readonly Message[],
): string | undefined {
  const user = messages.findLast((message) => message.role === 'user');
  const userText = user === undefined ? '' : [user.text, user.context ?? ''].join('\n\n');
  if (lastUserContains !== undefined && !userText.includes(lastUserContains))
    return `the last user message to contain ${JSON.stringify(lastUserContains)}; it is ${quote(userText)}`;
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(lastAnswer + 1).filter(({ role }) => role === 'tool');
  const missing = lastToolContains.find((text) => !results.some((result) => result.text.includes(text)));
  if (missing === undefined) return undefined;
  const found =
    results.length === 0 ? 'there is none' : `they are ${results.map(({ text }) => quote(text)).join(', ')}`;
  return `a result of the last calls to contain ${JSON.stringify(missing)}; ${found}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
}

function estimateUsage(step: ScriptStep, { system, messages }: ModelRequest): TokenUsage {
  const calls = step.calls.map(({ name, rawArgs }) => name + rawArgs).join('');
  return {
    inputTokens: estimateTokens(system) + estimateTokens(messages),
    outputTokens: estimateTokens(step.text + calls),
  };
}
