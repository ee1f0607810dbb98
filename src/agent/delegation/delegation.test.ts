import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ApprovalPrompt,
  ApprovalStore,
  askGuard,
  Gate,
  hookAudience,
  PersonApprover,
  type Tool,
  type ToolOutcome,
  type ToolRun,
} from '../../gate/index.ts';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { EventName } from '../../kernel/events/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject, parseJson } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { randomId } from '../../platform/random/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { type ChatModel, type ModelRequest, readScript, ScriptedModel } from '../llm/index.ts';
import { type AgentParts, Conversation, runTurn, type TurnEvent, type TurnResult } from '../loop/index.ts';
import {
  type AcquiredSession,
  acquireSession,
  openSessionStore,
  type SessionStore,
} from '../sessions/index.ts';
import { createToolBox } from '../tools/index.ts';
import { type Child, createDelegation } from './index.ts';

let folder = '';
let stores: SessionStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-delegation-'));
});
afterEach(() => {
  for (const store of stores) store.close();
  stores = [];
  rmSync(folder, { recursive: true, force: true });
});

function tool(
  name: string,
  work: (call: ToolCall, run: ToolRun) => Promise<ToolOutcome> | ToolOutcome,
): Tool {
  return {
    name,
    description: name,
    parameters: { type: 'object' },
    effect: 'none',
    idempotent: true,
    pathArguments: ['path'],
    execute: async ({ call }, run) => work(call, run),
  };
}

const echo = tool('echo', ({ args }) => ({ status: 'ok', result: `echo ${JSON.stringify(args)}` }));
const clarify = tool('clarify', () => ({ status: 'ok', result: 'asked' }));

interface HouseOptions {
  readonly steps: readonly unknown[];
  /** Steps of the children, by a word of their goal. */
  readonly children?: Readonly<Record<string, readonly unknown[]>>;
  readonly tools?: readonly Tool[];
  readonly maxDepth?: number;
  readonly maxChildren?: number;
  readonly parts?: Partial<AgentParts>;
  /** Whom echo has to be approved by; nobody has to approve it when absent. */
  readonly approval?: Approval;
  readonly hold?: (sessionId: string) => Promise<AcquiredSession>;
  readonly agentFor?: (child: Child, parts: AgentParts) => AgentParts | Promise<AgentParts>;
}

interface House {
  readonly store: SessionStore;
  readonly callbacks: CallbackRegistry;
  readonly clock: FakeClock;
  readonly conversation: Conversation;
  readonly events: TurnEvent[];
  readonly requests: ModelRequest[];
  readonly children: Child[];
  readonly turn: (signal?: AbortSignal) => Promise<TurnResult>;
}

interface Approval {
  readonly prompt?: ApprovalPrompt | undefined;
  readonly yolo: boolean;
}

function approverOf(
  { prompt, yolo }: Approval,
  clock: FakeClock,
  callbacks: CallbackRegistry,
): PersonApprover {
  return new PersonApprover({
    ...(prompt === undefined ? {} : { prompt }),
    yolo,
    store: new ApprovalStore({
      path: join(folder, 'approvals.json'),
      lockPath: join(folder, 'approvals.lock'),
      clock,
      newId: () => randomId('apr'),
    }),
    projectOf: (cwd) => cwd,
    describe: ({ tool: name }) => name,
    timeoutMs: 300_000,
    clock,
    callbacks,
    surface: 'test',
    onWarning: (text) => expect.fail(text),
  });
}

/** A person's agent that may delegate. */
function house(options: HouseOptions): House {
  const { steps, children = {}, tools = [echo, clarify], maxDepth = 2, maxChildren = 3, approval } = options;
  const clock = new FakeClock();
  const callbacks = new CallbackRegistry(clock);
  const store = valueOrThrow(openSessionStore({ path: join(folder, 'state.db'), clock }));
  stores.push(store);
  const branches = Object.entries(children).map(([word, branch]) => ({
    first_user_contains: word,
    steps: branch,
  }));
  const requests: ModelRequest[] = [];
  const started: Child[] = [];
  const delegateTask = createDelegation({
    store,
    callbacks,
    clock,
    model: 'test',
    maxDepth,
    maxChildren,
    ...(options.hold === undefined ? {} : { hold: options.hold }),
    agentFor: (child) => {
      started.push(child);
      return options.agentFor?.(child, parts) ?? parts;
    },
  });
  const toolBox = valueOrThrow(
    createToolBox([...tools, ...(delegateTask === undefined ? [] : [delegateTask])]),
  );
  const parts: AgentParts = {
    model: recorded({ steps, branches }, clock, requests),
    gate: new Gate({
      catalog: toolBox,
      unknownTools: 'refuse',
      guards: () => [...callbacks.guards(), ...(approval === undefined ? [] : [askGuard(['echo'])])],
      approver: approverOf({ prompt: undefined, yolo: false, ...approval }, clock, callbacks),
      audience: hookAudience(callbacks),
      clock,
      newTicketId: () => randomId('tkt'),
    }),
    toolBox,
    callbacks,
    clock,
    newId: randomId,
    system: 'You are a test.',
    cwd: folder,
    surface: 'test',
    maxIterations: 10,
    verify: [],
    maxVerifyNudges: 0,
    isCodeProject: false,
    compression: { enabled: false, threshold: 0.5, keepFirst: 2, keepLastTurns: 4 },
    ...options.parts,
  };
  const conversation = valueOrThrow(Conversation.start(store, { source: 'test', cwd: folder }));
  const events: TurnEvent[] = [];
  return {
    store,
    callbacks,
    clock,
    conversation,
    events,
    requests,
    children: started,
    turn: (signal = new AbortController().signal) =>
      runTurn(parts, { conversation, text: 'begin', signal, onEvent: (event) => events.push(event) }),
  };
}

function recorded(script: object, clock: FakeClock, requests: ModelRequest[]): ChatModel {
  const read = valueOrThrow(readScript(JSON.stringify(script), 'test'));
  const model = valueOrThrow(ScriptedModel.create({ script: read, label: 'scripted:test', clock }));
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

const delegate = (args: unknown) => ({ tool_calls: [{ name: 'delegate_task', args }] });
const call = (name: string, args: unknown = {}) => ({ tool_calls: [{ name, args }] });

function objectIn(text: string): JsonObject {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

/** What the parent reads of its children, of its first call. */
const reportsIn = ({ calls }: TurnResult) => getOwn(objectIn(calls[0]?.text ?? ''), 'results');

function watch(from: House, ...events: readonly EventName[]): [EventName, Record<string, unknown>][] {
  const seen: [EventName, Record<string, unknown>][] = [];
  for (const event of events) {
    from.callbacks.register(event, { name: 'watch' }, (payload) => {
      seen.push([event, { ...payload }]);
    });
  }
  return seen;
}

describe('delegate_task', () => {
  it('runs a child in a session of its own, and gives back its report alone', async () => {
    const from = house({
      steps: [delegate({ goal: 'count the files', context: 'in src' }), 'Thanks.'],
      children: { 'count the files': [{ text: 'Counting.', ...call('echo', { n: 1 }) }, 'There are 7.'] },
    });
    const result = await from.turn();
    expect(result).toMatchObject({ end: 'completed', final: 'Thanks.' });
    const sessionId = from.children[0]?.conversation.sessionId;
    expect(result.calls[0]?.status).toBe('ok');
    expect(reportsIn(result)).toEqual([
      {
        goal: 'count the files',
        status: 'completed',
        summary: 'There are 7.',
        session_id: sessionId,
        tool_calls: 1,
      },
    ]);
    expect(from.requests[1]?.messages).toEqual([{ role: 'user', text: 'count the files\n\nin src' }]);
    expect(JSON.stringify(from.requests.at(-1)?.messages)).not.toContain('Counting.');
    expect(valueOrThrow(from.store.get(sessionId ?? ''))).toMatchObject({
      parentSessionId: from.conversation.sessionId,
      rootSessionId: sessionId,
      source: 'subagent',
      title: 'count the files',
      cwd: folder,
      messageCount: 4,
      endReason: 'completed',
    });
    expect(valueOrThrow(from.store.list()).map(({ id }) => id)).toEqual([from.conversation.sessionId]);
  });

  it('runs several children at once, and reports in the order of the tasks', async () => {
    const arrived: (() => void)[] = [];
    const meet = tool('meet', async () => {
      await new Promise<void>((resolve) => {
        arrived.push(resolve);
        if (arrived.length === 3) for (const go of arrived) go();
      });
      return { status: 'ok', result: 'met' };
    });
    const from = house({
      tools: [meet],
      steps: [
        delegate({
          context: 'be quick',
          tasks: [{ goal: 'AAA' }, { goal: 'BBB', context: 'own' }, { goal: 'CCC' }],
        }),
        'ok',
      ],
      children: { AAA: [call('meet'), 'a'], BBB: [call('meet'), 'b'], CCC: [call('meet'), 'c'] },
    });
    const result = await from.turn();
    expect(reportsIn(result)).toMatchObject([{ summary: 'a' }, { summary: 'b' }, { summary: 'c' }]);
    const tasks = from.children.map(({ conversation }) => conversation.messages[0]?.text);
    expect(tasks).toEqual(['AAA\n\nbe quick', 'BBB\n\nown', 'CCC\n\nbe quick']);
    expect(from.events.filter(({ type }) => type === 'call-progress')).toContainEqual(
      expect.objectContaining({ text: 'child 2: meet' }),
    );
  });

  it.each([
    [{}, /needs "goal", or "tasks"/],
    [{ goal: 'x', tasks: [{ goal: 'y' }] }, /not both/],
    [{ goal: '  ' }, /goal of task 1 is blank/],
    [{ tasks: [{ goal: 'x' }, { goal: ' ' }] }, /goal of task 2 is blank/],
    [{ goal: '' }, /args.goal/],
    [{ tasks: [] }, /args.tasks/],
    [{ tasks: [{}] }, /goal/],
    [{ tasks: ['x'] }, /args.tasks/],
    [{ tasks: [{ goal: 'x' }, { goal: 'x' }, { goal: 'x' }, { goal: 'x' }] }, /args.tasks/],
    [{ goal: 'x', role: 'boss' }, /role/],
    [{ goal: 'x', toolsets: ['all'] }, /toolsets/],
  ])('refuses %j and starts nothing', async (args, message) => {
    const from = house({ steps: [delegate(args), 'ok'] });
    const { calls } = await from.turn();
    expect(calls).toMatchObject([{ status: 'error', errorType: 'bad_arguments' }]);
    expect(calls[0]?.text).toMatch(message);
    expect(from.children).toEqual([]);
    expect(valueOrThrow(from.store.list({ everything: true })).length).toBe(1);
  });

  it('is an effect on the world like any other, which a guard can block', async () => {
    const from = house({ steps: [delegate({ goal: 'x' }), 'ok'] });
    from.callbacks.register('pre_tool_call', { name: 'guard' }, ({ toolName }) => ({
      action: 'block',
      message: `no ${toolName}`,
    }));
    expect((await from.turn()).calls).toMatchObject([{ status: 'blocked', message: 'no delegate_task' }]);
    expect(from.children).toEqual([]);
  });

  it('does not exist where delegation is switched off', async () => {
    const from = house({ maxDepth: 0, steps: [delegate({ goal: 'x' }), 'ok'] });
    expect((await from.turn()).calls).toMatchObject([{ errorType: 'unknown_tool' }]);
    expect(from.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'clarify']);
  });
});

describe('the tools of a child', () => {
  const toolsOf = (from: House, word: string) =>
    from.requests.find(({ messages }) => messages[0]?.text.includes(word))?.tools.map(({ name }) => name);

  it('are those of its parent without clarify and delegate_task', async () => {
    const from = house({ steps: [delegate({ goal: 'LEAF' }), 'ok'], children: { LEAF: ['done'] } });
    await from.turn();
    expect(toolsOf(from, 'begin')).toEqual(['echo', 'clarify', 'delegate_task']);
    expect(toolsOf(from, 'LEAF')).toEqual(['echo']);
  });

  it.each(['clarify', 'delegate_task', 'constructor'])(
    'do not run others that it asks for all the same (%s)',
    async (name) => {
      const from = house({
        steps: [delegate({ goal: 'LEAF' }), 'ok'],
        children: { LEAF: [call(name, { goal: 'more' }), 'I cannot.'] },
      });
      const history = watch(from, 'subagent_stop');
      const consulted = watch(from, 'post_tool_call');
      from.callbacks.register('pre_tool_call', { name: 'watch' }, (payload) => {
        consulted.push(['pre_tool_call', { ...payload }]);
      });
      await from.turn();
      const sessions = consulted.map(([, { sessionId }]) => sessionId);
      expect(new Set(sessions)).toEqual(new Set([from.conversation.sessionId]));
      expect(history[0]?.[1]['toolCallHistory']).toMatchObject([{ tool_name: name, status: 'error' }]);
      expect(from.children.length).toBe(1);
    },
  );

  it('include delegate_task for an orchestrator, as deep as is allowed', async () => {
    const from = house({
      steps: [delegate({ goal: 'UPPER', role: 'orchestrator' }), 'ok'],
      children: {
        UPPER: [delegate({ goal: 'LOWER', role: 'orchestrator' }), 'upper done'],
        LOWER: ['lower done'],
      },
    });
    const seen = watch(from, 'subagent_start');
    const result = await from.turn();
    expect(reportsIn(result)).toMatchObject([{ summary: 'upper done', tool_calls: 1 }]);
    expect(toolsOf(from, 'UPPER')).toEqual(['echo', 'delegate_task']);
    expect(toolsOf(from, 'LOWER')).toEqual(['echo']);
    expect(seen.map(([, { childGoal, childRole }]) => [childGoal, childRole])).toEqual([
      ['UPPER', 'orchestrator'],
      ['LOWER', 'leaf'],
    ]);
    expect(from.children.map(({ depth, role }) => [depth, role])).toEqual([
      [1, 'orchestrator'],
      [2, 'leaf'],
    ]);
    const [upper, lower] = from.children.map(({ conversation }) => conversation);
    expect(upper?.parentSessionId).toBe(from.conversation.sessionId);
    expect(lower?.parentSessionId).toBe(upper?.sessionId);
  });

  it('pass the same guards, which are told whose child asks', async () => {
    const from = house({
      steps: [delegate({ goal: 'LEAF' }), 'ok'],
      children: { LEAF: [call('echo', { n: 1 }), 'I was stopped.'] },
    });
    const seen: unknown[] = [];
    from.callbacks.register(
      'pre_tool_call',
      { name: 'guard' },
      ({ toolName, sessionId, parentSessionId, cwd }) => {
        seen.push([toolName, sessionId, parentSessionId, cwd]);
        return toolName === 'echo' ? { action: 'block', message: 'not here' } : undefined;
      },
    );
    const stops = watch(from, 'subagent_stop');
    await from.turn();
    expect(seen).toEqual([
      ['delegate_task', from.conversation.sessionId, undefined, folder],
      ['echo', from.children[0]?.conversation.sessionId, from.conversation.sessionId, folder],
    ]);
    expect(stops[0]?.[1]['toolCallHistory']).toMatchObject([{ tool_name: 'echo', status: 'blocked' }]);
  });

  it('start where the call that delegates does', async () => {
    const cwds: string[] = [];
    const where = tool('where', ({ cwd }) => {
      cwds.push(cwd);
      return { status: 'ok', result: cwd };
    });
    const from = house({
      tools: [where],
      steps: [delegate({ goal: 'LEAF' }), 'ok'],
      children: { LEAF: [call('where'), 'done'] },
      agentFor: (_, parts) => ({ ...parts, cwd: '/elsewhere' }),
    });
    await from.turn();
    expect(cwds).toEqual([folder]);
  });
});

describe('how a child ended', () => {
  const run = async (child: readonly unknown[], parts: Partial<AgentParts> = {}) => {
    const from = house({
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: child },
      agentFor: (_, own) => ({ ...own, ...parts }),
    });
    return { from, result: await from.turn() };
  };

  it('by an error of the provider is a failure, with what there was', async () => {
    const { result } = await run([
      { text: 'I found it', ...call('echo') },
      { error: { code: 'unauthorized', message: 'no key' } },
    ]);
    expect(result.calls[0]).toMatchObject({
      status: 'error',
      errorType: 'DelegationError',
      message: 'No child completed its task.',
    });
    expect(reportsIn(result)).toMatchObject([
      { status: 'failed', summary: '[The child failed: no key]\n\nI found it', tool_calls: 1 },
    ]);
  });

  it('at its limit of requests is a failure', async () => {
    const { result, from } = await run([{ text: 'I begin.', ...call('echo') }], { maxIterations: 1 });
    expect(reportsIn(result)).toMatchObject([
      {
        status: 'failed',
        summary: expect.stringMatching(
          /^\[The child was stopped after 1 model requests .*\]\n\nI begin\.$/,
        ) as string,
      },
    ]);
    expect(valueOrThrow(from.store.get(from.children[0]?.conversation.sessionId ?? '')).endReason).toBe(
      'failed',
    );
  });

  it('without words says so', async () => {
    const { result } = await run([call('echo'), { text: ' ' }]);
    expect(reportsIn(result)).toMatchObject([
      { status: 'completed', summary: '[The child ended without a report, after 1 tool calls.]' },
    ]);
  });

  it('with many words is cut', async () => {
    const { result } = await run(['word '.repeat(5000)]);
    const [report] = reportsIn(result) as JsonObject[];
    const summary = getString(report ?? {}, 'summary') ?? '';
    expect(summary.length).toBeLessThanOrEqual(8000);
    expect(summary).toMatch(/\[… the rest of the report is left out …\]$/);
  });

  it('is an error when it could not be run, and the others go on', async () => {
    const from = house({
      steps: [delegate({ tasks: [{ goal: 'GOOD' }, { goal: 'BAD' }] }), 'ok'],
      children: { GOOD: ['fine'], BAD: ['never'] },
      agentFor: (child, parts) =>
        child.task.goal === 'BAD' ? Promise.reject(new Error('no server')) : parts,
    });
    const stops = watch(from, 'subagent_stop');
    const result = await from.turn();
    expect(result.calls[0]?.status).toBe('ok');
    expect(reportsIn(result)).toMatchObject([
      { goal: 'GOOD', status: 'completed', summary: 'fine' },
      { goal: 'BAD', status: 'error', summary: '[The child could not be run: no server]' },
    ]);
    expect(new Set(stops.map(([, { childStatus }]) => childStatus))).toEqual(new Set(['completed', 'error']));
  });

  it('amid its work, because it could not be stored, does not pass for one that never ran', async () => {
    const act = tool('act', () => {
      const database = new DatabaseSync(join(folder, 'state.db'));
      database.exec(
        `CREATE TRIGGER refuse BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      );
      database.close();
      return { status: 'ok', result: 'acted' };
    });
    const from = house({
      tools: [act],
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: [call('act'), 'never'] },
    });
    const stops = watch(from, 'subagent_stop');
    await expect(from.turn()).rejects.toThrow('the disk is full');
    expect(stops[0]?.[1]).toMatchObject({
      childStatus: 'failed',
      childSummary: expect.stringMatching(
        /^\[The child broke off: .*disk is full.* What it did so far stands\.\]$/,
      ),
    });
  });

  it('whose session cannot be marked as ended still gives its report', async () => {
    const act = tool('act', () => {
      const database = new DatabaseSync(join(folder, 'state.db'));
      database.exec(
        `CREATE TRIGGER refuse BEFORE UPDATE OF end_reason ON sessions WHEN NEW.end_reason IS NOT NULL
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      );
      database.close();
      return { status: 'ok', result: 'acted' };
    });
    const from = house({
      tools: [act],
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: [call('act'), 'I acted.'] },
    });
    expect(reportsIn(await from.turn())).toMatchObject([
      { status: 'completed', summary: 'I acted.', tool_calls: 1 },
    ]);
    const progress = from.events.flatMap((event) => (event.type === 'call-progress' ? [event.text] : []));
    expect(progress.join()).toContain('the disk is full');
  });

  it('with checks that still fail is told', async () => {
    const edit: Tool = { ...tool('edit', () => ({ status: 'ok', result: 'edited' })), effect: 'write' };
    const from = house({
      tools: [edit],
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: [call('edit'), 'All done.'] },
      agentFor: (_, own) => ({ ...own, verify: ['npm test'] }),
    });
    expect(reportsIn(await from.turn())).toMatchObject([
      {
        status: 'completed',
        summary: '[The checks of agent.verify still failed when the child ended.]\n\nAll done.',
      },
    ]);
  });
});

describe('the session of a child', () => {
  const hold = async (sessionId: string) => acquireSession(sessionId, { locks: join(folder, 'locks') });

  it('has this process as its one writer while the child runs, and no longer', async () => {
    const seen: unknown[] = [];
    const look = tool('look', async ({ sessionId }) => {
      const other = await hold(sessionId);
      seen.push(other.ok || [other.code, 'pid' in other && other.pid]);
      return { status: 'ok', result: 'looked' };
    });
    const from = house({
      tools: [look],
      hold,
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: [call('look'), 'done'] },
    });
    expect(reportsIn(await from.turn())).toMatchObject([{ status: 'completed' }]);
    expect(seen).toEqual([['held', process.pid]]);
    const after = await hold(from.children[0]?.conversation.sessionId ?? '');
    expect(after.ok).toBe(true);
    if (after.ok) await after.value.release();
  });

  it('that somebody else writes to is left alone: the child does not run', async () => {
    const from = house({
      hold: async (sessionId) => {
        await hold(sessionId);
        return hold(sessionId);
      },
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: ['never'] },
    });
    expect(reportsIn(await from.turn())).toMatchObject([
      { status: 'error', summary: expect.stringMatching(/could not be run: Session .+ is in use/) },
    ]);
    expect(from.children).toEqual([]);
  });

  it('is free again when the child could not be run', async () => {
    const held: string[] = [];
    const from = house({
      hold: async (sessionId) => {
        held.push(sessionId);
        return hold(sessionId);
      },
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      agentFor: () => Promise.reject(new Error('no server')),
    });
    expect(reportsIn(await from.turn())).toMatchObject([{ status: 'error' }]);
    const after = await hold(held[0] ?? '');
    expect(after.ok).toBe(true);
    if (after.ok) await after.value.release();
  });
});

describe('what a person approved', () => {
  it('for the session of a parent is asked again for its child, under the ids of the child', async () => {
    const asked: ToolCall[] = [];
    const prompt: ApprovalPrompt = ({ call: one }) => {
      asked.push(one);
      return Promise.resolve('session');
    };
    const from = approving(prompt, false);
    await from.turn();
    const child = from.children[0]?.conversation.sessionId;
    const parent = from.conversation.sessionId;
    expect(asked.map(({ rootSessionId }) => rootSessionId)).toEqual([parent, child]);
    expect(asked.map(({ parentSessionId }) => parentSessionId)).toEqual([undefined, parent]);
  });

  it('for the session of a child does not hold for its parent', async () => {
    const answers: ('deny' | 'session')[] = ['deny', 'session', 'deny'];
    const prompt: ApprovalPrompt = () => Promise.resolve(answers.shift() ?? 'deny');
    const from = approving(prompt, false);
    const { calls } = await from.turn();
    expect(calls.map(({ tool: name, status }) => [name, status])).toEqual([
      ['echo', 'blocked'],
      ['delegate_task', 'ok'],
      ['echo', 'blocked'],
    ]);
    expect(answers).toEqual([]);
  });

  it('by --yolo holds for a child, except for what is blocked', async () => {
    const from = approving(undefined, true);
    let calls = 0;
    from.callbacks.register('pre_tool_call', { name: 'guard' }, ({ toolName, parentSessionId }) => {
      if (toolName === 'echo' && parentSessionId !== undefined) calls += 1;
      return calls === 2 ? { action: 'block', message: 'not that' } : undefined;
    });
    await from.turn();
    const child = valueOrThrow(from.store.load(from.children[0]?.conversation.sessionId ?? ''));
    expect(child.flatMap(({ message }) => (message.role === 'tool' ? [message.status] : []))).toEqual([
      'ok',
      'blocked',
    ]);
  });

  /** The parent calls echo, has a child that does the same twice, and calls echo again; always a person is to be asked. */
  function approving(prompt: ApprovalPrompt | undefined, yolo: boolean): House {
    return house({
      approval: { yolo, ...(prompt === undefined ? {} : { prompt }) },
      steps: [call('echo', { n: 1 }), delegate({ goal: 'CHILD' }), call('echo', { n: 1 }), 'ok'],
      children: { CHILD: [call('echo', { n: 1 }), call('echo', { n: 1 }), 'done'] },
    });
  }
});

describe('an interruption of the parent', () => {
  it('ends its children, and nothing of theirs is lost', async () => {
    const controller = new AbortController();
    const stop = tool('stop', async (_, { signal }) => {
      controller.abort();
      await Promise.resolve();
      return signal.aborted
        ? { status: 'cancelled', message: 'stopped' }
        : { status: 'ok', result: 'not stopped' };
    });
    const from = house({
      tools: [stop, echo],
      steps: [delegate({ tasks: [{ goal: 'AAA' }, { goal: 'BBB' }] })],
      children: {
        AAA: [{ text: 'Stopping.', ...call('stop') }, 'never'],
        BBB: [{ text: 'slow', delay_ms: 1000 }],
      },
    });
    const stops = watch(from, 'subagent_stop');
    const result = await from.turn(controller.signal);
    expect(result).toMatchObject({ end: 'interrupted', calls: [{ status: 'cancelled', executed: true }] });
    expect(reportsIn(result)).toMatchObject([
      {
        status: 'interrupted',
        summary: '[The child was interrupted; what it did so far stands.]\n\nStopping.',
        tool_calls: 1,
      },
      { status: 'interrupted', summary: '[The child was interrupted; what it did so far stands.]' },
    ]);
    expect(stops.length).toBe(2);
    const stored = valueOrThrow(from.store.load(from.children[0]?.conversation.sessionId ?? ''));
    expect(stored.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'tool']);
    expect(from.clock.pending).toBe(0);
  });

  it('waits for observers of its children, but not for ever', async () => {
    const controller = new AbortController();
    const from = house({
      steps: [delegate({ goal: 'AAA' })],
      children: { AAA: ['done'] },
    });
    const hangs = Promise.withResolvers<void>();
    from.callbacks.register('subagent_stop', { name: 'hanging' }, () => {
      hangs.resolve();
      return new Promise(() => undefined);
    });
    const turn = from.turn(controller.signal);
    await hangs.promise;
    expect(from.clock.pending).toBe(0);
    controller.abort();
    await from.clock.advance(30_000);
    expect(await turn).toMatchObject({ end: 'interrupted', calls: [{ status: 'ok' }] });
    expect(from.clock.pending).toBe(0);
  });
});

describe('the events of a child', () => {
  it('come before it runs and after it has ended', async () => {
    const from = house({
      steps: [delegate({ goal: 'CHILD', context: 'c' }), 'ok'],
      children: {
        CHILD: [call('echo', { path: 'a.txt', url: 'https://me:pw@host.test/x?token=1#y' }), 'done'],
      },
    });
    const seen = watch(from, 'subagent_start', 'on_session_start', 'on_session_end', 'subagent_stop');
    const { turnId } = await from.turn();
    const childSessionId = from.children[0]?.conversation.sessionId;
    const common = {
      parentSessionId: from.conversation.sessionId,
      parentTurnId: turnId,
      childSessionId,
      childRole: 'leaf',
    };
    expect(seen.map(([event]) => event)).toEqual([
      'on_session_start',
      'subagent_start',
      'on_session_start',
      'on_session_end',
      'subagent_stop',
      'on_session_end',
    ]);
    expect(seen[1]?.[1]).toEqual({ ...common, childGoal: 'CHILD' });
    expect(seen[4]?.[1]).toEqual({
      ...common,
      childSummary: 'done',
      childStatus: 'completed',
      durationMs: 0,
      toolCallHistory: [
        {
          tool_name: 'echo',
          tool_input: { arguments: ['path', 'url'], targets: ['a.txt', 'https://host.test/x'] },
          input_bytes: expect.any(Number) as number,
          output_bytes: expect.any(Number) as number,
          status: 'ok',
        },
      ],
    });
  });

  it('at the end come one at a time, in the order in which children end', async () => {
    const isDone: Record<string, PromiseWithResolvers<void>> = {
      BBB: Promise.withResolvers(),
      CCC: Promise.withResolvers(),
    };
    const wait = tool('wait', async ({ args }) => {
      await isDone[getString(args, 'path') ?? '']?.promise;
      return { status: 'ok', result: '' };
    });
    const from = house({
      tools: [wait],
      steps: [delegate({ tasks: [{ goal: 'AAA' }, { goal: 'BBB' }, { goal: 'CCC' }] }), 'ok'],
      children: {
        AAA: [call('wait', { path: 'BBB' }), 'a'],
        BBB: [call('wait', { path: 'CCC' }), 'b'],
        CCC: ['c'],
      },
    });
    let running = 0;
    let most = 0;
    const order: string[] = [];
    from.callbacks.register('subagent_stop', { name: 'slow' }, async ({ childSummary }) => {
      running += 1;
      most = Math.max(most, running);
      order.push(childSummary);
      if (childSummary === 'c') isDone['CCC']?.resolve();
      if (childSummary === 'b') isDone['BBB']?.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    await from.turn();
    expect(order).toEqual(['c', 'b', 'a']);
    expect(most).toBe(1);
  });

  it('that fail are shown, and change nothing', async () => {
    const from = house({ steps: [delegate({ goal: 'CHILD' }), 'ok'], children: { CHILD: ['done'] } });
    for (const event of ['subagent_start', 'subagent_stop'] as const) {
      from.callbacks.register(event, { name: 'broken' }, () => {
        throw new Error('no');
      });
    }
    expect(reportsIn(await from.turn())).toMatchObject([{ status: 'completed' }]);
    expect(from.events.flatMap((event) => (event.type === 'call-progress' ? [event.text] : []))).toEqual([
      'broken (subagent_start) failed: no',
      'broken (subagent_stop) failed: no',
    ]);
  });
});

describe('a child that is condensed on its way', () => {
  it('keeps its lineage, its parent and the id it is reported with', async () => {
    const words = 'word'.repeat(150);
    const say = tool('say', () => ({ status: 'ok', result: words }));
    const from = house({
      tools: [say],
      steps: [delegate({ goal: 'CHILD' }), 'ok'],
      children: { CHILD: [call('say'), call('say'), call('say'), 'A summary.', call('say'), 'done'] },
      agentFor: (_, own) => ({
        ...own,
        model: { ...own.model, contextWindow: 900, stream: (request) => own.model.stream(request) },
        compression: { enabled: true, threshold: 0.5, keepFirst: 1, keepLastTurns: 1 },
      }),
    });
    const parents: unknown[] = [];
    from.callbacks.register('pre_tool_call', { name: 'watch' }, ({ toolName, parentSessionId }) => {
      if (toolName === 'say') parents.push(parentSessionId);
    });
    const result = await from.turn();
    const conversation = from.children[0]?.conversation;
    expect(conversation?.sessionId).not.toBe(conversation?.rootSessionId);
    expect(new Set(parents)).toEqual(new Set([from.conversation.sessionId]));
    expect(reportsIn(result)).toMatchObject([
      { status: 'completed', session_id: conversation?.rootSessionId },
    ]);
    expect(valueOrThrow(from.store.currentOf(conversation?.rootSessionId ?? '')).endReason).toBe('completed');
  });
});
