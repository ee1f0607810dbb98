import {
  type Approver,
  Gate,
  hookAudience,
  type Tool,
  type ToolOutcome,
  type ToolRun,
} from '../../gate/index.ts';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { randomId } from '../../platform/random/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { type ChatModel, type ModelRequest, readScript, ScriptedModel } from '../llm/index.ts';
import { type Message, openSessionStore, type SessionStore } from '../sessions/index.ts';
import { createToolBox } from '../tools/index.ts';
import { type AgentParts, Conversation, runTurn, type TurnEvent, type TurnResult } from './index.ts';

export interface TurnBenchOptions {
  /** The file of the sessions. */
  readonly path: string;
  /** Replies of the scripted model: what the JSON of a script may hold. */
  readonly script: unknown;
  readonly tools?: readonly Tool[];
  readonly approver?: Approver;
  readonly parts?: Partial<AgentParts>;
}

/** An agent with a scripted model, a real store and a real gate, and what it said and did. For tests only. */
export interface TurnBench {
  readonly parts: AgentParts;
  readonly clock: FakeClock;
  readonly callbacks: CallbackRegistry;
  readonly store: SessionStore;
  conversation: Conversation;
  readonly events: TurnEvent[];
  /** Told of every event, too. */
  watch: (event: TurnEvent) => void;
  /** What the model received, in order. */
  readonly requests: ModelRequest[];
  /** Steps of the script that were not played. */
  readonly remaining: () => readonly string[];
  readonly turn: (text: string, signal?: AbortSignal) => Promise<TurnResult>;
  /** The messages of the session as the file has them. */
  readonly stored: () => readonly Message[];
  readonly warnings: () => readonly string[];
}

const COMPRESSION_OFF = { enabled: false, threshold: 0.5, keepFirst: 2, keepLastTurns: 4 } as const;

const NOBODY: Approver = {
  decide: () => Promise.resolve({ type: 'refused', choice: 'unattended', message: 'nobody can be asked' }),
};

export function createTurnBench(options: TurnBenchOptions): TurnBench {
  const { path, tools = [], approver = NOBODY } = options;
  const clock = new FakeClock();
  const callbacks = new CallbackRegistry(clock);
  const toolBox = valueOrThrow(createToolBox(tools));
  const scripted = scriptedModel(options.script, clock);
  const requests: ModelRequest[] = [];
  const parts: AgentParts = {
    model: recorded(scripted, requests),
    gate: new Gate({
      catalog: toolBox,
      unknownTools: 'refuse',
      guards: () => callbacks.guards(),
      approver,
      audience: hookAudience(callbacks),
      clock,
      newTicketId: () => randomId('tkt'),
    }),
    toolBox,
    callbacks,
    clock,
    newId: randomId,
    system: 'You are a test.',
    cwd: '/',
    surface: 'test',
    maxIterations: 20,
    verify: [],
    maxVerifyNudges: 3,
    isCodeProject: false,
    compression: COMPRESSION_OFF,
    ...options.parts,
  };
  const store = valueOrThrow(openSessionStore({ path, clock }));
  const events: TurnEvent[] = [];
  const bench: TurnBench = {
    parts,
    clock,
    callbacks,
    store,
    conversation: valueOrThrow(Conversation.start(store, { source: 'test', cwd: '/' })),
    events,
    watch: () => undefined,
    requests,
    remaining: () => scripted.remaining(),
    turn: (text, signal = new AbortController().signal) =>
      runTurn(parts, {
        conversation: bench.conversation,
        text,
        signal,
        onEvent: (event) => {
          events.push(event);
          bench.watch(event);
        },
      }),
    stored: () => valueOrThrow(store.load(bench.conversation.sessionId)).map(({ message }) => message),
    warnings: () => events.flatMap((event) => (event.type === 'warning' ? [event.text] : [])),
  };
  return bench;
}

function scriptedModel(script: unknown, clock: FakeClock): ScriptedModel {
  const read = valueOrThrow(readScript(JSON.stringify(script), 'test'));
  return valueOrThrow(ScriptedModel.create({ script: read, label: 'scripted:test', clock }));
}

function recorded(model: ChatModel, requests: ModelRequest[]): ChatModel {
  const { label, provider, contextWindow } = model;
  return {
    label,
    provider,
    model: model.model,
    contextWindow,
    stream: (request) => {
      requests.push(request);
      return model.stream(request);
    },
  };
}

/** A tool that does `work`; it takes `n`, a number, `text` and `path`. */
export function benchTool(
  name: string,
  work: (call: ToolCall, run: ToolRun) => Promise<ToolOutcome> | ToolOutcome,
  effect: Tool['effect'] = 'none',
): Tool {
  const properties = {
    n: { type: 'number' },
    text: { type: 'string' },
    path: { type: 'string' },
    command: {},
  };
  return {
    name,
    description: name,
    parameters: { type: 'object', properties },
    effect,
    idempotent: true,
    pathArguments: ['path'],
    execute: async ({ call }, run) => work(call, run),
  };
}

/** Answers with its arguments. */
export const echoTool: Tool = benchTool('echo', ({ args }) => ({
  status: 'ok',
  result: `echo ${JSON.stringify(args)}`,
}));

/** A call as a script has it. */
export function scriptedCall(name: string, args: unknown = {}, id?: string): object {
  return { name, args, ...(id === undefined ? {} : { id }) };
}

/** What is wrong with a list that is sent to a model; nothing when it can be sent. */
export function problemsOf(messages: readonly Message[]): readonly string[] {
  const problems = messages[0]?.role === 'user' ? [] : ['it does not start with a user'];
  const used = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === 'tool' && !['assistant', 'tool'].includes(messages[index - 1]?.role ?? ''))
      problems.push(`result ${message.callId} follows no call`);
    if (message.role !== 'assistant') return;
    const results = messages.slice(index + 1, endOfResults(messages, index + 1));
    const answered = results.map((result) => (result.role === 'tool' ? result.callId : ''));
    const called = message.calls.map(({ callId }) => callId);
    if (JSON.stringify(answered) !== JSON.stringify(called))
      problems.push(`calls ${called.join()} are answered by ${answered.join()}`);
    for (const callId of called) {
      if (callId === '' || used.has(callId)) problems.push(`id "${callId}" is not unique`);
      used.add(callId);
    }
  });
  return problems;
}

function endOfResults(messages: readonly Message[], start: number): number {
  const end = messages.findIndex(({ role }, index) => index >= start && role !== 'tool');
  return end === -1 ? messages.length : end;
}
