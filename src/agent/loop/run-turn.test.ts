import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HermaError } from '../../kernel/errors/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { Message } from '../sessions/index.ts';
import {
  scriptedCall as call,
  createTurnBench,
  echoTool as echo,
  problemsOf,
  type TurnBench,
  type TurnBenchOptions,
  benchTool as tool,
} from './turn-bench.ts';

let folder = '';
let path = '';
let open: TurnBench[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-turn-'));
  path = join(folder, 'state.db');
  open = [];
});
afterEach(() => {
  for (const bench of open) bench.store.close();
  rmSync(folder, { recursive: true, force: true });
});

function bench(script: unknown, options: Omit<TurnBenchOptions, 'path' | 'script'> = {}): TurnBench {
  const created = createTurnBench({ path, script, ...options });
  open.push(created);
  return created;
}

/** The messages of the file, read by somebody else. */
function rowsOnDisk(): {
  role: string;
  content: string;
  tool_calls: string | null;
  tool_call_id: string | null;
}[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      'SELECT role, content, tool_calls, tool_call_id FROM messages WHERE retired_by IS NULL ORDER BY id',
    )
    .all();
  database.close();
  return rows as never;
}

const results = (messages: readonly Message[]) => messages.filter((message) => message.role === 'tool');
const lastRequest = (from: TurnBench) => from.requests.at(-1)?.messages ?? [];

describe('a turn of text', () => {
  it('ends with the answer, which is stored', async () => {
    const agent = bench(['Hello there.']);
    const result = await agent.turn('hi');
    expect(result).toMatchObject({
      end: 'completed',
      final: 'Hello there.',
      requests: 1,
      capped: false,
      calls: [],
    });
    expect(agent.stored()).toEqual([
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: 'Hello there.', calls: [] },
    ]);
    expect(agent.requests[0]).toMatchObject({
      system: 'You are a test.',
      messages: [{ role: 'user', text: 'hi' }],
    });
  });

  it('tells what happens in order', async () => {
    const agent = bench([{ text: 'abcdef', chunks: 2 }]);
    await agent.turn('hi');
    expect(agent.events).toEqual([
      { type: 'request-started', attempt: 1 },
      { type: 'text-delta', text: 'abc' },
      { type: 'text-delta', text: 'def' },
      { type: 'message-completed', text: 'abcdef', final: true },
    ]);
  });

  it('stores the words of the person before the first request', async () => {
    const agent = bench(['x']);
    let seen: unknown;
    agent.callbacks.register('pre_api_request', { name: 'look' }, () => {
      seen = rowsOnDisk().map(({ role }) => role);
    });
    await agent.turn('hi');
    expect(seen).toEqual(['user']);
  });

  it('goes on where the last one ended', async () => {
    const agent = bench(['one', 'two']);
    await agent.turn('a');
    await agent.turn('b');
    expect(lastRequest(agent).map(({ text }) => text)).toEqual(['a', 'one', 'b']);
  });

  it('says so when the answer is empty', async () => {
    const agent = bench([{ text: '' }, 'better']);
    expect(await agent.turn('a')).toMatchObject({ end: 'completed', final: '' });
    expect(agent.warnings()).toEqual(['The model answered with nothing.']);
    await agent.turn('b');
    expect(lastRequest(agent).map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('says so when a filter cut the answer off', async () => {
    const agent = bench([{ text: 'and so', finish_reason: 'content-filter' }]);
    expect(await agent.turn('a')).toMatchObject({ end: 'completed', final: 'and so' });
    expect(agent.warnings()).toEqual(['The reply was cut off by a content filter of the provider.']);
  });

  it('says so when the answer was cut off', async () => {
    const agent = bench([{ text: 'and so', finish_reason: 'length' }]);
    expect(await agent.turn('a')).toMatchObject({ end: 'completed', final: 'and so' });
    expect(agent.warnings()).toEqual(['The reply was cut off at the length limit of the model.']);
  });
});

describe('a turn with calls', () => {
  it('runs them and hands the results to the model', async () => {
    const agent = bench(
      [
        { text: 'I look.', tool_calls: [call('echo', { n: 1 })] },
        { text: 'Done.', expect: { last_tool_contains: ['echo {"n":1}'] } },
      ],
      { tools: [echo] },
    );
    const result = await agent.turn('go');
    expect(result).toMatchObject({ end: 'completed', final: 'Done.', requests: 2 });
    expect(result.calls).toMatchObject([{ tool: 'echo', status: 'ok', executed: true }]);
    expect(agent.events.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      'request-started',
      'message-completed',
      'call-started',
      'call-finished',
      'request-started',
      'message-completed',
    ]);
    expect(agent.remaining()).toEqual([]);
  });

  it('offers the tools it has', async () => {
    const agent = bench(['x'], { tools: [echo] });
    await agent.turn('go');
    expect(agent.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(agent.requests[0]?.tools[0]).not.toHaveProperty('execute');
  });

  it('has the message with the calls in the file before the first of them starts', async () => {
    let seen: ReturnType<typeof rowsOnDisk> = [];
    const look = tool('look', () => {
      seen = rowsOnDisk();
      return { status: 'ok', result: 'looked' };
    });
    const agent = bench([{ text: 'Looking.', tool_calls: [call('look', {}, 'c1')] }, 'ok'], {
      tools: [look],
    });
    await agent.turn('go');
    expect(seen.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(seen[1]?.content).toBe('Looking.');
    expect(seen[1]?.tool_calls).toContain('"c1"');
  });

  it('lets the calls of one message overlap', async () => {
    const arrived: (() => void)[] = [];
    const meet = tool('meet', async () => {
      await new Promise<void>((resolve) => {
        arrived.push(resolve);
        if (arrived.length === 3) for (const go of arrived) go();
      });
      return { status: 'ok', result: 'met' };
    });
    const agent = bench([{ tool_calls: [call('meet'), call('meet'), call('meet')] }, 'all met'], {
      tools: [meet],
    });
    expect(await agent.turn('go')).toMatchObject({ end: 'completed', final: 'all met' });
  });

  it('runs no more than 16 of them at once, and answers every one of a thousand in its place', async () => {
    let running = 0;
    let most = 0;
    const busy = tool('busy', async ({ args }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return { status: 'ok', result: JSON.stringify(args) };
    });
    const calls = Array.from({ length: 1000 }, (_, n) => call('busy', { n }, `c${n}`));
    const agent = bench([{ tool_calls: calls }, 'ok'], { tools: [busy] });
    const result = await agent.turn('go');
    expect(most).toBe(16);
    expect(result.calls.map(({ text }) => text)).toEqual(calls.map((_, n) => `{"n":${n}}`));
    expect(results(lastRequest(agent)).map(({ text }) => text)).toEqual(calls.map((_, n) => `{"n":${n}}`));
    expect(problemsOf(lastRequest(agent))).toEqual([]);
  });

  it('stores each result as soon as it is there, and sends them in the order of the calls', async () => {
    const fastIsStored = Promise.withResolvers<void>();
    const fast = tool('fast', () => ({ status: 'ok', result: 'fast' }));
    let seen: ReturnType<typeof rowsOnDisk> = [];
    const slow = tool('slow', async () => {
      await fastIsStored.promise;
      seen = rowsOnDisk();
      return { status: 'ok', result: 'slow' };
    });
    const agent = bench([{ tool_calls: [call('slow', {}, 's'), call('fast', {}, 'f')] }, 'ok'], {
      tools: [fast, slow],
    });
    agent.watch = (event) => {
      if (event.type === 'call-finished' && event.report.tool === 'fast') fastIsStored.resolve();
    };
    const result = await agent.turn('go');
    expect(seen.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual(['user', 'assistant', 'f']);
    expect(results(agent.stored()).map(({ text }) => text)).toEqual(['fast', 'slow']);
    expect(results(lastRequest(agent)).map(({ text }) => text)).toEqual(['slow', 'fast']);
    expect(result.calls.map(({ tool: name }) => name)).toEqual(['slow', 'fast']);
  });

  it('numbers the calls of a turn, and gives every call its ids', async () => {
    const seen: Pick<ToolCall, 'ordinal' | 'turnId' | 'sessionId' | 'rootSessionId' | 'origin'>[] = [];
    const note = tool('note', ({ ordinal, turnId, sessionId, rootSessionId, origin }) => {
      seen.push({ ordinal, turnId, sessionId, rootSessionId, origin });
      return { status: 'ok', result: '' };
    });
    const agent = bench(
      [
        { tool_calls: [call('note'), call('note')] },
        { tool_calls: [call('note')] },
        'ok',
        { tool_calls: [call('note')] },
        'ok',
      ],
      { tools: [note] },
    );
    const { turnId } = await agent.turn('go');
    await agent.turn('again');
    expect(seen.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 0]);
    expect(seen[2]).toMatchObject({
      turnId,
      sessionId: agent.conversation.sessionId,
      rootSessionId: agent.conversation.rootSessionId,
      origin: { kind: 'herma', surface: 'test' },
    });
    expect(seen[3]?.turnId).not.toBe(turnId);
  });

  it('passes on what a tool says of its progress', async () => {
    const talk = tool('talk', (_, { onProgress }) => {
      onProgress('half');
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('talk', {}, 't')] }, 'ok'], { tools: [talk] });
    await agent.turn('go');
    expect(agent.events).toContainEqual({ type: 'call-progress', callId: 't', text: 'half' });
  });

  it('tells the model of a tool that failed, and goes on', async () => {
    const fails = tool('fails', () => ({ status: 'error', errorType: 'Broken', message: 'it is broken' }));
    const throws = tool('throws', () => {
      throw new Error('a bug');
    });
    const agent = bench([{ tool_calls: [call('fails'), call('throws')] }, 'I see.'], {
      tools: [fails, throws],
    });
    expect(await agent.turn('go')).toMatchObject({ end: 'completed' });
    expect(results(lastRequest(agent)).map(({ text, status }) => [status, text])).toEqual([
      ['error', 'it is broken'],
      ['error', 'throws failed: a bug'],
    ]);
  });

  it('sums the tokens of its requests', async () => {
    const usage = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
    const agent = bench(
      [
        { tool_calls: [call('echo')], usage: usage(10, 1) },
        { text: 'ok', usage: usage(20, 2) },
      ],
      { tools: [echo] },
    );
    expect((await agent.turn('go')).usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  });

  it('ends at its limit of requests, with the last words there were', async () => {
    const agent = bench(
      [
        { text: 'first', tool_calls: [call('echo')] },
        { tool_calls: [call('echo')] },
        'never asked for',
        'next',
      ],
      { tools: [echo], parts: { maxIterations: 2 } },
    );
    const result = await agent.turn('go');
    expect(result).toMatchObject({ end: 'iteration_limit', capped: true, requests: 2, final: 'first' });
    expect(agent.warnings()).toEqual(['The turn was ended after 2 model requests (agent.max_iterations).']);
    expect(await agent.turn('go on')).toMatchObject({ end: 'completed', final: 'never asked for' });
    expect(problemsOf(lastRequest(agent))).toEqual([]);
  });
});

describe('strange calls', () => {
  const ids = (messages: readonly Message[]) =>
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ callId }) => callId) : [],
    );

  it('get ids of their own when one message gives an id twice or none', async () => {
    const agent = bench(
      [
        {
          tool_calls: [call('echo', { n: 1 }, 'a'), call('echo', { n: 2 }, 'a'), call('echo', { n: 3 }, '')],
        },
        'ok',
      ],
      { tools: [echo] },
    );
    const { calls } = await agent.turn('go');
    expect(calls.map(({ text }) => text)).toEqual(['echo {"n":1}', 'echo {"n":2}', 'echo {"n":3}']);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
    expect(calls[0]?.callId).toBe('a');
    expect(ids(agent.stored())).toEqual(calls.map(({ callId }) => callId));
    expect(problemsOf(lastRequest(agent))).toEqual([]);
    expect(results(lastRequest(agent)).map(({ text }) => text)).toEqual(calls.map(({ text }) => text));
  });

  it('get ids of their own when a later message of the turn repeats one', async () => {
    const agent = bench(
      [{ tool_calls: [call('echo', { n: 1 }, 'a')] }, { tool_calls: [call('echo', { n: 2 }, 'a')] }, 'ok'],
      { tools: [echo] },
    );
    const { calls } = await agent.turn('go');
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
    expect(problemsOf(lastRequest(agent))).toEqual([]);
    expect(results(lastRequest(agent)).map(({ text }) => text)).toEqual(['echo {"n":1}', 'echo {"n":2}']);
  });

  it('keep the id of the provider in another turn, and are sent under ids that differ', async () => {
    const agent = bench(
      [
        { tool_calls: [call('echo', { n: 1 }, 'a')] },
        'ok',
        { tool_calls: [call('echo', { n: 2 }, 'a')] },
        'ok',
      ],
      { tools: [echo] },
    );
    await agent.turn('go');
    expect((await agent.turn('again')).calls[0]?.callId).toBe('a');
    expect(problemsOf(lastRequest(agent))).toEqual([]);
    expect(results(lastRequest(agent)).map(({ text }) => text)).toEqual(['echo {"n":1}', 'echo {"n":2}']);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'ech0'])(
    'of a tool that is not there (%j) are answered as such',
    async (name) => {
      const agent = bench([{ tool_calls: [{ name, args: {} }] }, 'I see.'], { tools: [echo] });
      const result = await agent.turn('go');
      expect(result).toMatchObject({ end: 'completed', final: 'I see.' });
      expect(result.calls).toMatchObject([{ status: 'error', executed: false, errorType: 'unknown_tool' }]);
      expect(results(lastRequest(agent))[0]?.text).toContain(`There is no tool "${name}"`);
      expect(problemsOf(lastRequest(agent))).toEqual([]);
    },
  );

  it.each(['{"path": "a', '[1, 2]', '"text"', 'null', ''])(
    'with arguments that are no JSON object (%j) are shown to the model',
    async (args) => {
      const agent = bench([{ tool_calls: [{ name: 'echo', args }] }, 'I see.'], { tools: [echo] });
      const result = await agent.turn('go');
      expect(result.calls).toMatchObject([{ status: 'error', executed: false, errorType: 'bad_arguments' }]);
      expect(results(lastRequest(agent))[0]?.text).toContain(JSON.stringify(args));
      expect(agent.stored()[1]).toMatchObject({ calls: [{ args: null, rawArgs: args }] });
    },
  );

  it('with arguments that do not fit are told why', async () => {
    const agent = bench([{ tool_calls: [call('echo', { n: 'one' })] }, 'I see.'], { tools: [echo] });
    expect((await agent.turn('go')).calls).toMatchObject([{ status: 'error', errorType: 'bad_arguments' }]);
    expect(results(lastRequest(agent))[0]?.text).toContain('args.n must be number');
  });
});

describe('guarded calls', () => {
  it('do not run when a callback blocks them, and the model is told', async () => {
    let runs = 0;
    const counted = tool('counted', () => {
      runs += 1;
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('counted')] }, 'I see.'], { tools: [counted] });
    agent.callbacks.register('pre_tool_call', { name: 'guard' }, () => ({
      action: 'block',
      message: 'not today',
    }));
    expect((await agent.turn('go')).calls).toMatchObject([
      { status: 'blocked', executed: false, by: 'guard' },
    ]);
    expect(runs).toBe(0);
    expect(results(lastRequest(agent))).toMatchObject([
      { status: 'blocked', text: 'BLOCKED by guard: not today' },
    ]);
  });

  it('run with the arguments a callback made of theirs', async () => {
    const agent = bench([{ tool_calls: [call('echo', { n: 1, path: 'a' })] }, 'ok'], { tools: [echo] });
    agent.callbacks.register('pre_tool_call', { name: 'rewrite' }, () => ({
      action: 'modify',
      args: { n: 2 },
    }));
    const { calls } = await agent.turn('go');
    expect(calls[0]).toMatchObject({ args: { n: 2, path: 'a' }, text: 'echo {"n":2,"path":"a"}' });
  });

  it('show the model what a transform made of a result', async () => {
    const agent = bench([{ tool_calls: [call('echo')] }, 'ok'], { tools: [echo] });
    agent.callbacks.register('transform_tool_result', { name: 'shout' }, ({ result }) =>
      result.toUpperCase(),
    );
    await agent.turn('go');
    expect(results(agent.stored())[0]?.text).toBe('ECHO {}');
  });
});

describe('failures of the provider', () => {
  const error = (code: string, more: object = {}) => ({
    error: { code, message: `it says ${code}`, ...more },
  });

  it.each(['rate_limited', 'server_error', 'network'])('%s is tried again', async (code) => {
    const agent = bench([error(code), error(code), 'at last']);
    const turn = agent.turn('hi');
    await agent.clock.whenPending(1);
    await agent.clock.advance(60_000);
    expect(await turn).toMatchObject({ end: 'completed', final: 'at last', requests: 1 });
    expect(agent.events.filter(({ type }) => type === 'retrying')).toMatchObject([
      { attempt: 2, failure: { code } },
      { attempt: 3, failure: { code } },
    ]);
  });

  it.each(['unauthorized', 'model_not_found', 'bad_request'])(
    '%s ends the turn with what it says',
    async (code) => {
      const agent = bench([error(code), 'later']);
      const result = await agent.turn('hi');
      expect(result).toMatchObject({
        end: 'failed',
        failure: { code, message: `it says ${code}` },
        requests: 1,
      });
      expect(agent.stored()).toEqual([{ role: 'user', text: 'hi' }]);
      expect(await agent.turn('again')).toMatchObject({ end: 'completed', final: 'later' });
      expect(lastRequest(agent).map(({ text }) => text)).toEqual(['hi', 'again']);
    },
  );

  it('the end of a script ends the turn', async () => {
    const agent = bench([{ tool_calls: [call('echo')] }], { tools: [echo] });
    expect(await agent.turn('hi')).toMatchObject({
      end: 'failed',
      failure: { code: 'script_exhausted' },
      requests: 2,
    });
    expect(results(agent.stored()).length).toBe(1);
  });

  it('text of an attempt that broke off is void', async () => {
    const agent = bench([{ text: 'half an ans', ...error('network') }, 'whole']);
    const turn = agent.turn('hi');
    await agent.clock.whenPending(1);
    await agent.clock.advance(60_000);
    expect(await turn).toMatchObject({ end: 'completed', final: 'whole' });
    const types = agent.events.map(({ type }) => type);
    expect(types.indexOf('restarted')).toBeGreaterThan(types.indexOf('text-delta'));
    expect(agent.stored().at(-1)).toEqual({ role: 'assistant', text: 'whole', calls: [] });
    expect(agent.stored().length).toBe(2);
  });

  it('text before a final failure is kept', async () => {
    const agent = bench([{ text: 'half an answer', ...error('bad_request') }]);
    expect(await agent.turn('hi')).toMatchObject({ end: 'failed', final: 'half an answer' });
    expect(agent.stored().at(-1)).toEqual({ role: 'assistant', text: 'half an answer', calls: [] });
  });

  it('too long a context ends the turn when compression is off', async () => {
    const agent = bench([error('context_too_long')]);
    expect(await agent.turn('hi')).toMatchObject({
      end: 'failed',
      failure: { code: 'context_too_long' },
      requests: 1,
    });
  });
});

describe('an interruption', () => {
  const nextTurnIsWellFormed = async (agent: TurnBench) => {
    await agent.turn('next');
    expect(problemsOf(lastRequest(agent))).toEqual([]);
    expect(lastRequest(agent).at(-1)).toEqual({ role: 'user', text: 'next' });
  };

  it('before anything happened keeps the words of the person', async () => {
    const agent = bench(['later']);
    expect(await agent.turn('hi', AbortSignal.abort())).toMatchObject({ end: 'interrupted', requests: 0 });
    expect(agent.stored()).toEqual([{ role: 'user', text: 'hi' }]);
    expect(agent.warnings()).toEqual([]);
    await nextTurnIsWellFormed(agent);
  });

  it('while text streams keeps what there was of it', async () => {
    const agent = bench([{ text: 'a long answer', chunks: 4 }, 'later']);
    const controller = new AbortController();
    agent.watch = (event) => {
      if (event.type === 'text-delta') controller.abort();
    };
    const result = await agent.turn('hi', controller.signal);
    expect(result.end).toBe('interrupted');
    expect(result.final).not.toBe('');
    expect('a long answer'.startsWith(result.final)).toBe(true);
    expect(result.failure).toBeUndefined();
    expect(agent.stored().at(-1)).toEqual({ role: 'assistant', text: result.final, calls: [] });
    await nextTurnIsWellFormed(agent);
  });

  it('while it waits to try again ends at once', async () => {
    const agent = bench([{ error: { code: 'network' } }, 'later']);
    const controller = new AbortController();
    const turn = agent.turn('hi', controller.signal);
    await agent.clock.whenPending(1);
    controller.abort();
    expect(await turn).toMatchObject({ end: 'interrupted', final: '' });
    expect(agent.clock.pending).toBe(0);
    await nextTurnIsWellFormed(agent);
  });

  it('while a tool runs waits for its end, and keeps its result', async () => {
    const started = Promise.withResolvers<void>();
    const long = tool(
      'long',
      async (_, { signal }) => {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { status: 'cancelled', message: 'stopped half-way' };
      },
      'execute',
    );
    const agent = bench([{ tool_calls: [call('long', {}, 'l'), call('echo', {}, 'e')] }, 'later'], {
      tools: [long, echo],
    });
    const controller = new AbortController();
    const turn = agent.turn('hi', controller.signal);
    await started.promise;
    controller.abort();
    expect(await turn).toMatchObject({ end: 'interrupted', requests: 1 });
    expect(results(agent.stored()).map(({ callId, status }) => [callId, status])).toEqual(
      expect.arrayContaining([
        ['l', 'cancelled'],
        ['e', 'ok'],
      ]),
    );
    await nextTurnIsWellFormed(agent);
  });

  it('while a person is asked leaves the call unrun', async () => {
    const asked = Promise.withResolvers<void>();
    let runs = 0;
    const counted = tool('counted', () => {
      runs += 1;
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('counted')] }, 'later'], {
      tools: [counted],
      approver: {
        decide: (_, signal) => {
          asked.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('withdrawn')));
          });
        },
      },
    });
    agent.callbacks.register('pre_tool_call', { name: 'ask' }, () => ({
      action: 'approve',
      message: 'sure?',
    }));
    const controller = new AbortController();
    const turn = agent.turn('hi', controller.signal);
    await asked.promise;
    controller.abort();
    expect(await turn).toMatchObject({
      end: 'interrupted',
      calls: [{ status: 'cancelled', executed: false }],
    });
    expect(runs).toBe(0);
    await nextTurnIsWellFormed(agent);
  });

  it('between a reply and its calls keeps both, and runs none', async () => {
    let runs = 0;
    const counted = tool('counted', () => {
      runs += 1;
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('counted', {}, 'c')] }, 'later'], { tools: [counted] });
    const controller = new AbortController();
    agent.watch = (event) => {
      if (event.type === 'message-completed') controller.abort();
    };
    expect(await agent.turn('hi', controller.signal)).toMatchObject({ end: 'interrupted' });
    expect(runs).toBe(0);
    expect(results(agent.stored())).toMatchObject([{ callId: 'c', status: 'cancelled' }]);
    await nextTurnIsWellFormed(agent);
  });

  it('during the last request that is allowed is no iteration limit', async () => {
    const controller = new AbortController();
    const stop = tool('stop', () => {
      controller.abort();
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('stop')] }], { tools: [stop], parts: { maxIterations: 1 } });
    expect(await agent.turn('hi', controller.signal)).toMatchObject({ end: 'interrupted', capped: false });
  });
});

describe('a session that cannot be stored', () => {
  it('starts no call when the message with the calls is not stored', async () => {
    let runs = 0;
    const counted = tool('counted', () => {
      runs += 1;
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('counted')] }, 'never'], { tools: [counted] });
    agent.callbacks.register('post_api_request', { name: 'fault' }, () => refuseWrites());
    await expect(agent.turn('hi')).rejects.toBeInstanceOf(HermaError);
    expect(runs).toBe(0);
    expect(agent.remaining()).toEqual(['steps[1]']);
    expect(agent.conversation.messages).toEqual([{ role: 'user', text: 'hi' }]);
  });

  it('waits for the calls that run, and makes no further request', async () => {
    const broken = Promise.withResolvers<void>();
    let isSlowDone = false;
    const first = tool('first', () => {
      refuseWrites();
      setImmediate(() => broken.resolve());
      return { status: 'ok', result: '' };
    });
    const slow = tool('slow', async () => {
      await broken.promise;
      isSlowDone = true;
      return { status: 'ok', result: '' };
    });
    const agent = bench([{ tool_calls: [call('first'), call('slow')] }, 'never'], { tools: [first, slow] });
    await expect(agent.turn('hi')).rejects.toBeInstanceOf(HermaError);
    expect(isSlowDone).toBe(true);
    expect(agent.remaining()).toEqual(['steps[1]']);
  });

  it('starts none of the calls that still wait when a result is not stored', async () => {
    let runs = 0;
    const counted = tool('counted', () => {
      runs += 1;
      if (runs === 1) refuseWrites();
      return { status: 'ok', result: '' };
    });
    const calls = Array.from({ length: 40 }, () => call('counted'));
    const agent = bench([{ tool_calls: calls }, 'never'], { tools: [counted] });
    await expect(agent.turn('hi')).rejects.toBeInstanceOf(HermaError);
    expect(runs).toBeLessThanOrEqual(16);
  });

  it('tells that the turn ended, and why', async () => {
    const agent = bench(['never stored']);
    const ends: unknown[] = [];
    agent.callbacks.register('on_session_end', { name: 'watch' }, ({ failed, turnExitReason }) => {
      ends.push([failed, turnExitReason]);
    });
    agent.callbacks.register('post_api_request', { name: 'fault' }, () => refuseWrites());
    const error: unknown = await agent.turn('hi').catch((thrown: unknown) => thrown);
    expect(HermaError.isInstance(error) && [[true, error.code]]).toEqual(ends);
  });

  /** Makes the file refuse every further message, as a full disk would. */
  function refuseWrites(): void {
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    );
    database.close();
  }
});

describe('a session of many calls', () => {
  it('hands the model a well-formed list every time', async () => {
    const steps = Array.from({ length: 60 }, (_, index) => ({
      tool_calls: Array.from({ length: (index % 3) + 1 }, (__, place) =>
        call('echo', { n: place }, `c${place}`),
      ),
    }));
    const agent = bench([...steps, 'ok'], { tools: [echo], parts: { maxIterations: 100 } });
    expect(await agent.turn('go')).toMatchObject({ end: 'completed', requests: 61 });
    for (const { messages } of agent.requests) expect(problemsOf(messages)).toEqual([]);
    expect(results(agent.stored()).length).toBe(120);
  });
});
