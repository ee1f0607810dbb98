import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { EventName } from '../../kernel/events/index.ts';
import { Conversation } from './index.ts';
import {
  benchTool,
  createTurnBench,
  echoTool,
  problemsOf,
  scriptedCall,
  type TurnBench,
} from './turn-bench.ts';

let folder = '';
let agent: TurnBench | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-hooks-'));
});
afterEach(() => {
  agent?.store.close();
  rmSync(folder, { recursive: true, force: true });
});

function bench(script: unknown): TurnBench {
  agent = createTurnBench({ path: join(folder, 'state.db'), script, tools: [echoTool] });
  return agent;
}

/** The events that are fired, with their payloads. */
function watch(from: TurnBench, ...events: readonly EventName[]): [EventName, Record<string, unknown>][] {
  const seen: [EventName, Record<string, unknown>][] = [];
  for (const event of events) {
    from.callbacks.register(event, { name: 'watch' }, (payload) => {
      seen.push([event, { ...payload }]);
    });
  }
  return seen;
}

const oneCall = { tool_calls: [scriptedCall('echo', { n: 1 }, 'c1')] };
const error = (code: string, more: object = {}) => ({ error: { code, message: `it says ${code}`, ...more } });

describe('the events of a turn', () => {
  it('are fired in the documented order', async () => {
    const from = bench([oneCall, 'done']);
    const seen = watch(
      from,
      'on_session_start',
      'pre_llm_call',
      'pre_api_request',
      'post_api_request',
      'pre_tool_call',
      'post_tool_call',
      'transform_tool_result',
      'transform_llm_output',
      'post_llm_call',
      'on_session_end',
    );
    await from.turn('go');
    expect(seen.map(([event]) => event)).toEqual([
      'on_session_start',
      'pre_llm_call',
      'pre_api_request',
      'post_api_request',
      'pre_tool_call',
      'post_tool_call',
      'transform_tool_result',
      'pre_api_request',
      'post_api_request',
      'transform_llm_output',
      'post_llm_call',
      'on_session_end',
    ]);
  });

  it('that fail are reported and change nothing', async () => {
    const from = bench(['done']);
    for (const event of [
      'on_session_start',
      'pre_llm_call',
      'transform_llm_output',
      'on_session_end',
    ] as const) {
      from.callbacks.register(event, { name: 'broken' }, () => {
        throw new Error('no');
      });
    }
    expect(await from.turn('go')).toMatchObject({ end: 'completed', final: 'done' });
    expect(from.warnings()).toEqual([
      'broken (on_session_start) failed: no',
      'broken (pre_llm_call) failed: no',
      'broken (transform_llm_output) failed: no',
      'broken (on_session_end) failed: no',
    ]);
  });
});

describe('an interruption', () => {
  it('is no failure of the callbacks it cuts short', async () => {
    const from = bench(['never']);
    for (const event of ['pre_llm_call', 'pre_api_request'] as const) {
      const controller = new AbortController();
      const unregister = from.callbacks.register(event, { name: 'slow' }, () => {
        controller.abort();
        return new Promise(() => undefined);
      });
      expect(await from.turn('go', controller.signal)).toMatchObject({ end: 'interrupted' });
      unregister();
    }
    expect(from.warnings()).toEqual([]);
    expect(from.stored().map(({ text }) => text)).toEqual(['go', 'go']);
  });
});

describe('on_session_start', () => {
  it('is fired in the first turn of a new session only', async () => {
    const from = bench(['a', 'b', 'c']);
    const seen = watch(from, 'on_session_start');
    await from.turn('1');
    await from.turn('2');
    from.conversation = valueOrThrow(
      Conversation.resume(from.store, from.conversation.sessionId, from.parts.toolBox),
    );
    await from.turn('3');
    expect(seen).toEqual([
      ['on_session_start', { sessionId: from.conversation.sessionId, model: 'test', platform: 'test' }],
    ]);
  });
});

describe('pre_llm_call', () => {
  it('is told of the turn, once', async () => {
    const from = bench(['a', oneCall, 'b']);
    const seen = watch(from, 'pre_llm_call');
    await from.turn('1');
    const { turnId } = await from.turn('2');
    expect(seen.length).toBe(2);
    expect(seen[0]?.[1]).toMatchObject({ isFirstTurn: true, userMessage: '1', conversationHistory: [] });
    expect(seen[1]?.[1]).toEqual({
      sessionId: from.conversation.sessionId,
      turnId,
      model: 'test',
      platform: 'test',
      userMessage: '2',
      isFirstTurn: false,
      conversationHistory: [
        { role: 'user', content: '1' },
        { role: 'assistant', content: 'a', tool_calls: [] },
      ],
    });
  });

  it('adds to the message of the person, never to the system prompt', async () => {
    const from = bench(['a', 'b']);
    let turn = 0;
    from.callbacks.register('pre_llm_call', { name: 'first' }, () => `fact ${String((turn += 1))}`);
    from.callbacks.register('pre_llm_call', { name: 'second' }, () => ({ context: 'and more' }));
    await from.turn('hi');
    await from.turn('ho');
    expect(from.requests[0]?.messages).toEqual([{ role: 'user', text: 'hi', context: 'fact 1\n\nand more' }]);
    expect(from.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      text: 'ho',
      context: 'fact 2\n\nand more',
    });
    expect(new Set(from.requests.map(({ system }) => system))).toEqual(new Set(['You are a test.']));
    expect(from.requests[1]?.messages[0]).toEqual(from.requests[0]?.messages[0]);
  });

  it('adds nothing when nothing is returned', async () => {
    const from = bench(['a']);
    from.callbacks.register('pre_llm_call', { name: 'quiet' }, () => '  ');
    await from.turn('hi');
    expect(from.stored()[0]).toEqual({ role: 'user', text: 'hi' });
  });
});

describe('transform_llm_output', () => {
  it('changes what is stored, delivered and told to post_llm_call', async () => {
    const from = bench(['the secret is 123']);
    from.callbacks.register('transform_llm_output', { name: 'mask' }, ({ responseText }) =>
      responseText.replace('123', '***'),
    );
    const seen = watch(from, 'post_llm_call');
    const result = await from.turn('hi');
    expect(result.final).toBe('the secret is ***');
    expect(from.stored().at(-1)?.text).toBe('the secret is ***');
    expect(from.events).toContainEqual({ type: 'message-completed', text: 'the secret is ***', final: true });
    expect(seen[0]?.[1]).toMatchObject({
      userMessage: 'hi',
      assistantResponse: 'the secret is ***',
      conversationHistory: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'the secret is ***' },
      ],
    });
  });

  it('leaves the answer as it is when it makes nothing of it', async () => {
    const from = bench(['words']);
    from.callbacks.register('transform_llm_output', { name: 'empty' }, () => '');
    expect((await from.turn('hi')).final).toBe('words');
  });

  it('is not asked about an answer without words, nor about one that was interrupted', async () => {
    const from = bench([{ text: '' }, { text: 'a long text', chunks: 3 }]);
    const seen = watch(from, 'transform_llm_output');
    await from.turn('hi');
    const controller = new AbortController();
    from.watch = (event) => {
      if (event.type === 'request-started') controller.abort();
    };
    await from.turn('hi', controller.signal);
    expect(seen).toEqual([]);
  });
});

describe('post_llm_call', () => {
  it('is fired only for turns that ended with an answer', async () => {
    const from = bench([error('unauthorized'), { text: '' }, 'yes']);
    const seen = watch(from, 'post_llm_call');
    await from.turn('1');
    await from.turn('2');
    await from.turn('3', AbortSignal.abort());
    expect(seen).toEqual([]);
    await from.turn('4');
    expect(seen.map(([, { userMessage }]) => userMessage)).toEqual(['4']);
  });
});

describe('on_session_end', () => {
  const outcome = (completed: boolean, failed: boolean, interrupted: boolean, turnExitReason: string) => ({
    completed,
    failed,
    interrupted,
    turnExitReason,
  });

  it('is fired at the end of every turn, with its outcome', async () => {
    const from = bench(['fine', error('unauthorized')]);
    const seen = watch(from, 'on_session_end');
    const { turnId } = await from.turn('1');
    await from.turn('2');
    await from.turn('3', AbortSignal.abort());
    expect(seen[0]?.[1]).toEqual({
      sessionId: from.conversation.sessionId,
      turnId,
      model: 'test',
      platform: 'test',
      ...outcome(true, false, false, 'completed'),
    });
    expect(seen.slice(1).map(([, payload]) => payload)).toMatchObject([
      outcome(false, true, false, 'unauthorized'),
      outcome(false, false, true, 'interrupted'),
    ]);
  });

  it('says when the turn ended at its limit', async () => {
    agent = createTurnBench({
      path: join(folder, 'state.db'),
      script: [oneCall],
      tools: [echoTool],
      parts: { maxIterations: 1 },
    });
    const seen = watch(agent, 'on_session_end');
    await agent.turn('1');
    expect(seen[0]?.[1]).toMatchObject(outcome(false, false, false, 'iteration_limit'));
  });
});

describe('the request events', () => {
  it('are fired for every attempt', async () => {
    const from = bench([
      error('rate_limited', { status: 429 }),
      oneCall,
      error('unauthorized', { status: 401 }),
    ]);
    const seen = watch(from, 'pre_api_request', 'post_api_request', 'api_request_error');
    const turn = from.turn('go');
    await from.clock.whenPending(1);
    await from.clock.advance(60_000);
    const { turnId } = await turn;
    expect(seen.map(([event, { apiCallCount, retryCount }]) => [event, apiCallCount, retryCount])).toEqual([
      ['pre_api_request', 1, 0],
      ['api_request_error', 1, 0],
      ['pre_api_request', 1, 1],
      ['post_api_request', 1, 1],
      ['pre_api_request', 2, 0],
      ['api_request_error', 2, 0],
    ]);
    const common = {
      sessionId: from.conversation.sessionId,
      turnId,
      model: 'test',
      platform: 'test',
      provider: 'scripted',
    };
    expect(seen[0]?.[1]).toMatchObject({ ...common, messageCount: 1, toolCount: 1 });
    expect(seen[0]?.[1]['requestCharCount']).toBeGreaterThan(10);
    expect(seen[1]?.[1]).toMatchObject({
      ...common,
      statusCode: 429,
      maxRetries: 3,
      retryable: true,
      error: { type: 'rate_limited', message: 'it says rate_limited' },
    });
    expect(seen[3]?.[1]).toMatchObject({ ...common, finishReason: 'tool-calls', assistantToolCallCount: 1 });
    expect(seen[3]?.[1]['usage']).toMatchObject({ output_tokens: expect.any(Number) as number });
    expect(seen[5]?.[1]).toMatchObject({ ...common, statusCode: 401, retryable: false });
    const ids = seen.map(([, { apiRequestId }]) => apiRequestId);
    expect(new Set(ids.slice(0, 4)).size).toBe(1);
    expect(ids[4]).not.toBe(ids[0]);
  });
});

describe('pre_tool_call', () => {
  it('carries the ids of the call, and of the session that delegated', async () => {
    const from = bench([oneCall, 'done']);
    from.conversation = valueOrThrow(
      Conversation.start(from.store, {
        source: 'subagent',
        cwd: '/',
        parentSessionId: from.conversation.sessionId,
      }),
    );
    const seen = watch(from, 'pre_tool_call', 'pre_llm_call');
    const { turnId } = await from.turn('go');
    expect(seen.find(([event]) => event === 'pre_tool_call')?.[1]).toEqual({
      toolName: 'echo',
      args: { n: 1 },
      sessionId: from.conversation.sessionId,
      parentSessionId: from.conversation.parentSessionId,
      turnId,
      toolCallId: 'c1',
      cwd: '/',
    });
    expect(seen[0]?.[1]).toMatchObject({ parentSessionId: from.conversation.parentSessionId });
    expect(problemsOf(from.requests.at(-1)?.messages ?? [])).toEqual([]);
  });
});

describe('pre_verify', () => {
  const write = { tool_calls: [scriptedCall('write', { path: 'a.ts' }, 'w')] };
  const writeTool = benchTool('write', () => ({ status: 'ok', result: 'written' }), 'write');
  const verifying = (script: unknown, answer: (attempt: number) => unknown, more: object = {}): number[] => {
    agent = createTurnBench({
      path: join(folder, 'state.db'),
      script,
      tools: [{ ...writeTool, pathArguments: ['path'] }, echoTool],
      parts: { isCodeProject: true, ...more },
    });
    const attempts: number[] = [];
    agent.callbacks.register('pre_verify', { name: 'verify' }, ({ attempt }) => {
      attempts.push(attempt);
      return answer(attempt);
    });
    return attempts;
  };

  it('sends the model on until it says nothing; what was pushed back stays in the history and is not shown', async () => {
    const attempts = verifying([write, 'Done.', 'Really done.'], (attempt) =>
      attempt === 0 ? { action: 'continue', message: 'run the tests' } : undefined,
    );
    const result = await agent?.turn('go');
    expect(result).toMatchObject({ end: 'completed', final: 'Really done.', capped: false });
    expect(attempts).toEqual([0, 1]);
    expect(agent?.stored().map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Done.', 'run the tests', 'Really done.']),
    );
    const shown = agent?.events.flatMap((event) => (event.type === 'message-completed' ? [event.text] : []));
    expect(shown).not.toContain('Done.');
    expect(agent?.events.filter(({ type }) => type === 'text-delta')).toEqual([]);
  });

  it('ends after agent.max_verify_nudges although tools run in between, and marks the turn as capped', async () => {
    const attempts = verifying(
      [write, '1', write, '2', { tool_calls: [scriptedCall('echo', { n: 1 }, 'e')] }, '3', '4'],
      () => ({ decision: 'block', reason: 'once more' }),
    );
    const result = await agent?.turn('go');
    expect(result).toMatchObject({ end: 'completed', final: '4', capped: true });
    expect(attempts).toEqual([0, 1, 2]);
  });

  it.each([
    [undefined],
    [{}],
    [{ continue: true }],
    [{ action: 'continue', message: '' }],
    [{ action: 'continue', message: 7 }],
    [{ action: 'allow', message: 'fine' }],
    ['continue'],
  ])('costs no further request for %j', async (answer) => {
    const attempts = verifying([write, 'Done.', 'never'], () => answer);
    expect(await agent?.turn('go')).toMatchObject({ final: 'Done.', capped: false });
    expect(attempts).toEqual([0]);
  });

  it('that throws is reported, and the turn ends', async () => {
    verifying([write, 'Done.'], () => {
      throw new Error('broken');
    });
    expect(await agent?.turn('go')).toMatchObject({ end: 'completed', final: 'Done.' });
    expect(agent?.warnings().join()).toContain('verify (pre_verify) failed: broken');
  });

  it('is asked of turns that have edited files only, and of none where nudges are off', async () => {
    const idle = verifying(['Done.'], () => ({ action: 'continue', message: 'x' }));
    expect(await agent?.turn('go')).toMatchObject({ final: 'Done.' });
    agent?.store.close();
    const off = verifying([write, 'Done.'], () => ({ action: 'continue', message: 'x' }), {
      maxVerifyNudges: 0,
    });
    expect(await agent?.turn('go')).toMatchObject({ final: 'Done.', capped: false });
    expect([idle, off]).toEqual([[], []]);
  });

  it('hears all hooks: their messages reach the model together', async () => {
    verifying([write, 'Done.', 'ok'], (attempt) =>
      attempt === 0 ? { action: 'continue', message: 'one' } : undefined,
    );
    agent?.callbacks.register('pre_verify', { name: 'second' }, ({ attempt, changedPaths, coding }) =>
      attempt === 0
        ? { action: 'block', message: `two ${changedPaths.map(String).join()} ${String(coding)}` }
        : undefined,
    );
    await agent?.turn('go');
    expect(agent?.stored().map(({ text }) => text)).toContain('one\n\ntwo a.ts true');
  });
});

describe('the events of a stream', () => {
  it('are told in order, beside the turn, which waits for no slow callback', async () => {
    const from = bench([
      { ...oneCall, text: 'I look.' },
      { text: 'one two', chunks: 2 },
    ]);
    const seen = watch(from, 'on_stream_start', 'on_stream_delta', 'on_stream_end', 'on_interim_message');
    from.callbacks.register('on_stream_delta', { name: 'hangs' }, async () => new Promise(() => undefined));
    expect(await from.turn('go')).toMatchObject({ end: 'completed' });
    const last = seen.filter(([, { iteration }]) => iteration === 2);
    expect(last.map(([event]) => event)).toEqual([
      'on_stream_start',
      'on_stream_delta',
      'on_stream_delta',
      'on_stream_end',
    ]);
    expect(last.at(-1)?.[1]).toMatchObject({ finalText: 'one two', finished: true, surface: 'test' });
    expect(seen).toContainEqual([
      'on_interim_message',
      expect.objectContaining({ text: 'I look.', iteration: 1 }),
    ]);
  });
});
