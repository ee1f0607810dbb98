import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../kernel/events/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { CallbackRegistry } from './index.ts';
import { ReportedAnswer } from './reported-answer.ts';

const signal = new AbortController().signal;
const never = new Promise<never>(() => undefined);
function withoutPrototype(members: object): object {
  return Object.setPrototypeOf({ ...members }, null) as object;
}

const started = { sessionId: 's', model: 'm', platform: 'cli' };
const call: ToolCall = {
  tool: 'terminal',
  args: { command: 'ls', timeout: 5 },
  effect: 'execute',
  paths: [],
  fingerprint: 'f',
  cwd: '/p',
  callId: 'c',
  sessionId: 's',
  rootSessionId: 's',
  parentSessionId: 'parent',
  turnId: 't',
  ordinal: 0,
  origin: { kind: 'herma', surface: 'test' },
};

function registry(): { readonly callbacks: CallbackRegistry; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, callbacks: new CallbackRegistry(clock) };
}

describe('observers', () => {
  it('all run, in order, and a failing one is reported and stops nobody', async () => {
    const { callbacks } = registry();
    const seen: string[] = [];
    callbacks.register('on_session_start', { name: 'a' }, () => seen.push('a'));
    callbacks.register('on_session_start', { name: 'b' }, () => {
      throw new Error('broken');
    });
    callbacks.register('on_session_start', { name: 'c' }, async () => Promise.resolve(seen.push('c')));
    expect(await callbacks.observe('on_session_start', started, signal)).toEqual([
      'b (on_session_start) failed: broken',
    ]);
    expect(seen).toEqual(['a', 'c']);
  });

  it('that hang are left behind after their time, and reported', async () => {
    const { callbacks, clock } = registry();
    callbacks.register('on_session_start', { name: 'slow', timeLimitMs: 50 }, async () => never);
    const pending = callbacks.observe('on_session_start', started, signal);
    await clock.advance(50);
    expect(await pending).toEqual(['slow (on_session_start) did not answer within 0.05 s']);
  });

  it('get a payload of their own: what one writes into it the next does not read', async () => {
    const { callbacks } = registry();
    const seen: string[] = [];
    callbacks.register('on_session_start', { name: 'a' }, (payload) => {
      Object.assign(payload, { sessionId: 'another' });
    });
    callbacks.register('on_session_start', { name: 'b' }, ({ sessionId }) => seen.push(sessionId));
    await callbacks.observe('on_session_start', started, signal);
    expect([seen, started.sessionId]).toEqual([['s'], 's']);
  });

  it('of an event that does not exist cannot be registered', () => {
    const { callbacks } = registry();
    for (const event of ['pre_tool_cal', 'constructor', '__proto__']) {
      expect(() => callbacks.register(event as 'pre_tool_call', { name: 'g' }, () => undefined)).toThrow(
        `g cannot be registered: there is no event "${event}".`,
      );
    }
    expect(() =>
      callbacks.register('pre_tool_cal' as 'pre_tool_call', { name: 'g' }, () => undefined),
    ).toThrow('Did you mean "pre_tool_call"?');
  });

  it('can be taken away again', async () => {
    const { callbacks } = registry();
    const seen: string[] = [];
    const remove = callbacks.register('on_session_start', { name: 'a' }, () => seen.push('a'));
    expect(callbacks.has('on_session_start')).toBe(true);
    remove();
    remove();
    await callbacks.observe('on_session_start', started, signal);
    expect([seen, callbacks.has('on_session_start')]).toEqual([[], false]);
  });
});

describe('concurrent observers', () => {
  it('that stand together run side by side, plain ones before and after them alone', async () => {
    const { callbacks } = registry();
    const log: string[] = [];
    const observe = (name: string, isConcurrent: boolean): void => {
      callbacks.register('on_session_start', { name, isConcurrent }, async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
        throw new Error(name);
      });
    };
    for (const name of ['p', 'C', 'D', 'q', 'E']) observe(name, name === name.toUpperCase());
    const warnings = await callbacks.observe('on_session_start', started, signal);
    expect(warnings.map((line) => line[0]).join('')).toBe('pCDqE');
    expect(log).toEqual([
      'p begins',
      'p ends',
      'C begins',
      'D begins',
      'C ends',
      'D ends',
      'q begins',
      'q ends',
      'E begins',
      'E ends',
    ]);
  });
});

describe('an event nobody listens to', () => {
  it('builds no payload', async () => {
    const { callbacks } = registry();
    const build = (): never => {
      throw new Error('built');
    };
    expect(await callbacks.observe('post_llm_call', build, signal)).toEqual([]);
    expect(await callbacks.inject('pre_llm_call', build, signal)).toEqual({ texts: [], warnings: [] });
    expect(await callbacks.transform('transform_llm_output', build, 'text', signal)).toEqual({
      text: 'text',
      warnings: [],
    });
  });

  it('builds one as soon as somebody does', async () => {
    const { callbacks } = registry();
    const seen: string[] = [];
    callbacks.register('on_session_start', { name: 'a' }, ({ sessionId }) => seen.push(sessionId));
    callbacks.register('on_session_start', { name: 'b' }, ({ sessionId }) => seen.push(sessionId));
    let built = 0;
    await callbacks.observe(
      'on_session_start',
      () => {
        built += 1;
        return started;
      },
      signal,
    );
    expect([seen, built]).toEqual([['s', 's'], 1]);
  });
});

describe('an answer with warnings', () => {
  it('is read like the answer without them, and they are passed on', async () => {
    const { callbacks } = registry();
    callbacks.register('transform_llm_output', { name: 't' }, () => new ReportedAnswer('new', ['w1']));
    callbacks.register('on_session_start', { name: 'o' }, () => new ReportedAnswer(undefined, ['w2']));
    callbacks.register(
      'pre_tool_call',
      { name: 'g' },
      () => new ReportedAnswer({ action: 'block', message: 'm' }, ['w3']),
    );
    const payloadFor = (responseText: string): EventPayload<'transform_llm_output'> => ({
      ...started,
      responseText,
    });
    expect(await callbacks.transform('transform_llm_output', payloadFor, 'old', signal)).toEqual({
      text: 'new',
      warnings: ['w1'],
    });
    expect(await callbacks.observe('on_session_start', started, signal)).toEqual(['w2']);
    expect(await callbacks.guards()[0]?.consult(call, { recheck: false, signal })).toEqual({
      verdict: { type: 'block', message: 'm' },
      warnings: ['w3'],
    });
  });
});

describe('transforms', () => {
  const payloadOf = (responseText: string): EventPayload<'transform_llm_output'> => ({
    ...started,
    responseText,
  });

  it('each see what the one before made', async () => {
    const { callbacks } = registry();
    callbacks.register('transform_llm_output', { name: 'a' }, ({ responseText }) => `${responseText}a`);
    callbacks.register('transform_llm_output', { name: 'none' }, () => undefined);
    callbacks.register('transform_llm_output', { name: 'b' }, ({ responseText }) => `${responseText}b`);
    expect(await callbacks.transform('transform_llm_output', payloadOf, '-', signal)).toEqual({
      text: '-ab',
      warnings: [],
    });
  });

  it('that fail leave the text as it was', async () => {
    const { callbacks } = registry();
    callbacks.register('transform_llm_output', { name: 'a' }, () => {
      throw new Error('no');
    });
    const transformed = await callbacks.transform('transform_llm_output', payloadOf, 'text', signal);
    expect(transformed).toEqual({ text: 'text', warnings: ['a (transform_llm_output) failed: no'] });
  });
});

describe('injectors', () => {
  it('add every text and context that is not blank', async () => {
    const { callbacks } = registry();
    const payload = {
      ...started,
      turnId: 't',
      userMessage: 'hi',
      conversationHistory: [],
      isFirstTurn: true,
    };
    for (const value of ['one', { context: 'two' }, '', { context: ' ' }, 7, undefined, { other: 'x' }]) {
      callbacks.register('pre_llm_call', { name: 'i' }, () => value);
    }
    expect(await callbacks.inject('pre_llm_call', payload, signal)).toEqual({
      texts: ['one', 'two'],
      warnings: [],
    });
  });
});

describe('guards', () => {
  async function consult(returned: unknown): Promise<unknown> {
    const { callbacks } = registry();
    callbacks.register('pre_tool_call', { name: 'g' }, () => returned);
    return callbacks.guards()[0]?.consult(call, { recheck: false, signal });
  }

  it.each<[unknown, unknown]>([
    [undefined, { verdict: { type: 'abstain' } }],
    [null, { verdict: { type: 'abstain' } }],
    [{}, { verdict: { type: 'abstain' } }],
    [{ action: undefined }, { verdict: { type: 'abstain' } }],
    [Object.create(null), { verdict: { type: 'abstain' } }],
    [{ action: 'approve', message: 'sure?', rule_key: ' ' }, { verdict: { type: 'ask', message: 'sure?' } }],
    [{ action: 'block', message: 'no' }, { verdict: { type: 'block', message: 'no' } }],
    [{ action: 'block' }, { verdict: { type: 'block', message: '' } }],
    [
      { action: 'approve', message: 'sure?', rule_key: 'k' },
      { verdict: { type: 'ask', message: 'sure?', ruleKey: 'k' } },
    ],
    [
      { action: 'approve', args: { timeout: 9 } },
      { verdict: { type: 'ask', message: '' }, args: { command: 'ls', timeout: 9 } },
    ],
    [
      { action: 'modify', args: { timeout: 9 } },
      { verdict: { type: 'abstain' }, args: { command: 'ls', timeout: 9 } },
    ],
  ])('%j is read as %j', async (returned, answer) => {
    expect(await consult(returned)).toEqual(answer);
  });

  it.each([
    ['deny'],
    [true],
    [['block']],
    [{ action: 'deny' }],
    [{ decision: 'block' }],
    [{ action: 'modify' }],
    [{ action: 'approve', args: 'x' }],
    [{ action: 'modify', args: 'x' }],
    [new Map([['action', 'block']])],
    [new Error('not allowed')],
    [
      new (class {
        get action(): string {
          return 'block';
        }
      })(),
    ],
    [Object.create({ action: 'block' })],
    [Object.create(withoutPrototype({ action: 'block' }))],
    [{ block: () => true }],
    [{ [Symbol('action')]: 'block' }],
    [[]],
  ])('%j is no verdict and fails', async (returned) => {
    await expect(consult(returned)).rejects.toThrow();
  });

  it('are told of the call, of its parent session, and of a second look', async () => {
    const { callbacks } = registry();
    const seen: unknown[] = [];
    callbacks.register('pre_tool_call', { name: 'g' }, (payload) => void seen.push(payload));
    await callbacks.guards()[0]?.consult(call, { recheck: true, signal });
    expect(seen).toEqual([
      {
        toolName: 'terminal',
        args: call.args,
        sessionId: 's',
        parentSessionId: 'parent',
        turnId: 't',
        toolCallId: 'c',
        cwd: '/p',
        recheck: true,
      },
    ]);
  });

  it('fail closed unless they are registered to be ignored', () => {
    const { callbacks } = registry();
    callbacks.register('pre_tool_call', { name: 'a' }, () => undefined);
    callbacks.register(
      'pre_tool_call',
      { name: 'b', onFailure: 'ignore', timeLimitMs: 5, recheck: false },
      () => undefined,
    );
    expect(
      callbacks
        .guards()
        .map(({ name, onFailure, timeLimitMs, recheck }) => [name, onFailure, timeLimitMs, recheck]),
    ).toEqual([
      ['a', 'block', 30_000, true],
      ['b', 'ignore', 5, false],
    ]);
  });
});
