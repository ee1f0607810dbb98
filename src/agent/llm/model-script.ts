import { fail, type Result, succeed, suggest } from '../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../kernel/json/index.ts';
import type { ModelErrorCode, ModelEvent, TokenUsage } from './chat-model.ts';
import { listIn } from './json-list.ts';

/** A call a scripted reply asks for. */
export interface ScriptedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: JsonObject | null;
  readonly rawArgs: string;
}

/** One reply of a script. */
export interface ScriptStep {
  /** Where it stands in the file: `steps[3]`. */
  readonly place: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  readonly usage: TokenUsage | undefined;
  readonly delayMs: number;
  /** Pieces the text is streamed in. */
  readonly chunks: number | undefined;
  readonly finishReason: Extract<ModelEvent, { readonly type: 'finished' }>['reason'] | undefined;
  /** The request fails with it, after the text. */
  readonly error: ScriptedError | undefined;
  readonly expect: ScriptedExpectation | undefined;
}

export interface ScriptedError {
  readonly code: ModelErrorCode;
  readonly message: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
}

export interface ScriptedExpectation {
  readonly lastUserContains: string | undefined;
  readonly lastToolContains: readonly string[];
}

/** Steps for the requests of one conversation, known by its first message. */
export interface ScriptBranch {
  readonly firstUserContains: string;
  readonly steps: readonly ScriptStep[];
}

export interface ModelScript {
  readonly steps: readonly ScriptStep[];
  /** Steps for requests that offer no tools; undefined when those take the ordinary ones. */
  readonly auxiliary: readonly ScriptStep[] | undefined;
  readonly branches: readonly ScriptBranch[];
  /** Tokens. */
  readonly contextWindow: number | undefined;
}

/**
 * Reads the text of a script: a JSON array of replies, or `{steps, auxiliary?, branches?, context_window?}`. A reply
 * is a text, or `{text?, tool_calls?: [{id?, name, args}], usage?: {input_tokens, output_tokens}, delay_ms?, chunks?,
 * finish_reason?, error?: {code, message, status?, retry_after_ms?}, expect?: {last_user_contains?,
 * last_tool_contains?}}`. `args` is an object, or a text that is sent as it is. A branch is `{first_user_contains,
 * steps}`.
 *
 * Fails with the place of the first mistake; unknown keys are mistakes.
 */
export function readScript(text: string, name: string): Result<ModelScript, 'bad_script'> {
  const parsed = parseJson(text);
  if (!parsed.ok)
    return fail('bad_script', `The script ${name} is no JSON: ${parsed.message.replace(/\s+/g, ' ')}.`);
  try {
    return succeed(scriptIn(parsed.value));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return fail('bad_script', `The script ${name} has a mistake at ${error.place}: ${error.message}.`);
  }
}

/** A mistake in a script; never leaves this file. */
class Mistake extends Error {
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

function scriptIn(value: JsonValue): ModelScript {
  if (Array.isArray(value))
    return { steps: stepsIn(value, 'steps'), auxiliary: undefined, branches: [], contextWindow: undefined };
  const file = new Fields(value, 'the top', ['steps', 'auxiliary', 'branches', 'context_window']);
  const auxiliary = file.list('auxiliary');
  return {
    steps: stepsIn(file.list('steps') ?? file.lacks('steps'), 'steps'),
    auxiliary: auxiliary === undefined ? undefined : stepsIn(auxiliary, 'auxiliary'),
    branches: (file.list('branches') ?? []).map((branch, index) => branchIn(branch, `branches[${index}]`)),
    contextWindow: file.number('context_window', 1),
  };
}

function branchIn(value: JsonValue, place: string): ScriptBranch {
  const branch = new Fields(value, place, ['first_user_contains', 'steps']);
  return {
    firstUserContains: branch.text('first_user_contains') ?? branch.lacks('first_user_contains'),
    steps: stepsIn(branch.list('steps') ?? branch.lacks('steps'), `${place}.steps`),
  };
}

function stepsIn(values: readonly JsonValue[], place: string): readonly ScriptStep[] {
  return values.map((value, index) => stepIn(value, `${place}[${index}]`));
}

const STEP_KEYS = ['text', 'tool_calls', 'usage', 'delay_ms', 'chunks', 'finish_reason', 'error', 'expect'];

function stepIn(value: JsonValue, place: string): ScriptStep {
  const step = new Fields(typeof value === 'string' ? { text: value } : value, place, STEP_KEYS);
  const calls = step.list('tool_calls') ?? [];
  if (!step.has('text') && !step.has('error') && calls.length === 0)
    throw new Mistake(place, 'it has neither text, nor tool_calls, nor error');
  return {
    place,
    text: step.text('text') ?? '',
    calls: calls.map((call, index) => callIn(call, `${place}.tool_calls[${index}]`)),
    usage: usageIn(step),
    delayMs: step.number('delay_ms', 0) ?? 0,
    chunks: step.number('chunks', 1),
    finishReason: step.oneOf('finish_reason', [
      'stop',
      'tool-calls',
      'length',
      'content-filter',
      'other',
    ] as const),
    error: errorIn(step),
    expect: expectationIn(step),
  };
}

function callIn(value: JsonValue, place: string): ScriptedCall {
  const call = new Fields(value, place, ['id', 'name', 'args']);
  const args = call.get('args') ?? {};
  const rawArgs = typeof args === 'string' ? args : JSON.stringify(args);
  const parsed = parseJson(rawArgs);
  return {
    id: call.text('id'),
    name: call.text('name') ?? call.lacks('name'),
    args: parsed.ok && isJsonObject(parsed.value) ? parsed.value : null,
    rawArgs,
  };
}

function usageIn(step: Fields): TokenUsage | undefined {
  const usage = step.object('usage', ['input_tokens', 'output_tokens']);
  if (usage === undefined) return undefined;
  return {
    inputTokens: usage.number('input_tokens', 0) ?? 0,
    outputTokens: usage.number('output_tokens', 0) ?? 0,
  };
}

const ERROR_CODES = [
  'unauthorized',
  'model_not_found',
  'rate_limited',
  'server_error',
  'network',
  'bad_response',
  'context_too_long',
  'bad_request',
] as const satisfies readonly ModelErrorCode[];

function errorIn(step: Fields): ScriptedError | undefined {
  const error = step.object('error', ['code', 'message', 'status', 'retry_after_ms']);
  if (error === undefined) return undefined;
  const code = error.oneOf('code', ERROR_CODES) ?? error.lacks('code');
  return {
    code,
    message: error.text('message') ?? `The script answers with ${code}.`,
    status: error.number('status', 100),
    retryAfterMs: error.number('retry_after_ms', 0),
  };
}

function expectationIn(step: Fields): ScriptedExpectation | undefined {
  const expectation = step.object('expect', ['last_user_contains', 'last_tool_contains']);
  if (expectation === undefined) return undefined;
  const place = `${expectation.place}.last_tool_contains`;
  return {
    lastUserContains: expectation.text('last_user_contains'),
    lastToolContains: (expectation.list('last_tool_contains') ?? []).map((text, index) => {
      if (typeof text !== 'string') throw new Mistake(`${place}[${index}]`, 'it must be a text');
      return text;
    }),
  };
}

/** The members of an object of the file; reading one of the wrong type is a {@link Mistake} with its place. */
class Fields {
  readonly place: string;
  readonly #object: JsonObject;

  constructor(value: JsonValue, place: string, known: readonly string[]) {
    if (!isJsonObject(value)) throw new Mistake(place, 'it must be an object');
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      const near = suggest(unknown, known);
      const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"`;
      throw new Mistake(place, `"${unknown}" is not known; ${hint}`);
    }
    this.place = place;
    this.#object = value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get(key: string): JsonValue | undefined {
    return getOwn(this.#object, key);
  }

  lacks(key: string): never {
    throw new Mistake(this.place, `it lacks "${key}"`);
  }

  text(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'string') return value;
    throw new Mistake(`${this.place}.${key}`, 'it must be a text');
  }

  number(key: string, least: number): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
    throw new Mistake(`${this.place}.${key}`, `it must be a whole number, at least ${least}`);
  }

  list(key: string): readonly JsonValue[] | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const list = listIn(value);
    if (list !== undefined) return list;
    throw new Mistake(`${this.place}.${key}`, 'it must be a list');
  }

  object(key: string, known: readonly string[]): Fields | undefined {
    const value = this.get(key);
    return value === undefined ? undefined : new Fields(value, `${this.place}.${key}`, known);
  }

  oneOf<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(key);
    const choice = choices.find((each) => each === value);
    if (value !== undefined && choice === undefined)
      throw new Mistake(`${this.place}.${key}`, `it must be one of ${choices.join(', ')}`);
    return choice;
  }
}
