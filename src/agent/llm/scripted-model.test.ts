import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fail, succeed } from '../../kernel/errors/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import type { Message } from '../sessions/index.ts';
import type { ModelEvent, ModelRequest } from './chat-model.ts';
import { readScript, resolveModel, ScriptedModel, streamWithRetry } from './index.ts';

const tool: ToolDeclaration = {
  name: 't',
  description: '',
  parameters: { type: 'object' },
  effect: 'none',
  idempotent: true,
  pathArguments: [],
};

function modelOf(script: unknown, clock = new FakeClock(), startAt = 0): ScriptedModel {
  const read = readScript(JSON.stringify(script), 'demo.json');
  if (!read.ok) throw new Error(read.message);
  const model = ScriptedModel.create({ script: read.value, label: 'scripted:demo.json', clock, startAt });
  if (!model.ok) throw new Error(model.message);
  return model.value;
}

const request = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'system',
  messages: [{ role: 'user', text: 'hello' }],
  tools: [tool],
  signal: new AbortController().signal,
  ...parts,
});

async function eventsOf(model: ScriptedModel, parts: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request(parts))) events.push(event);
  return events;
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

describe('a scripted model', () => {
  it('plays its steps in order, and says which are left', async () => {
    const model = modelOf([
      'one',
      { tool_calls: [{ name: 'a' }, { id: 'mine', name: 'b', args: { x: 1 } }] },
      'three',
    ]);
    expect(textOf(await eventsOf(model))).toBe('one');
    expect(model.remaining()).toEqual(['steps[1]', 'steps[2]']);
    expect(await eventsOf(model)).toMatchObject([
      { type: 'tool-call', callId: 'call_2_1', tool: 'a', args: {}, rawArgs: '{}' },
      { type: 'tool-call', callId: 'mine', tool: 'b', args: { x: 1 } },
      { type: 'finished', reason: 'tool-calls' },
    ]);
    expect(textOf(await eventsOf(model))).toBe('three');
    expect(model.remaining()).toEqual([]);
  });

  it('fails on a request beyond its last step, and says what it was asked', async () => {
    const model = modelOf(['one']);
    await eventsOf(model);
    const [failed] = await eventsOf(model, { messages: [{ role: 'user', text: 'and then?' }] });
    expect(failed).toMatchObject({ type: 'failed', failure: { code: 'script_exhausted', retryable: false } });
    expect(failed?.type === 'failed' && failed.failure.message).toBe(
      'scripted:demo.json has no step left (1 played); it was asked after user: "and then?".',
    );
  });

  it('starts where it is told, with the ids it would have given', async () => {
    const steps = ['one', { tool_calls: [{ name: 'a' }] }, { tool_calls: [{ name: 'a' }] }];
    const whole = modelOf(steps);
    await eventsOf(whole);
    await eventsOf(whole);
    const resumed = modelOf(steps, new FakeClock(), 2);
    expect(resumed.remaining()).toEqual(['steps[2]']);
    expect(await eventsOf(resumed)).toEqual(await eventsOf(whole));
    expect(modelOf(steps, new FakeClock(), 3).remaining()).toEqual([]);
    expect(() => modelOf(steps, new FakeClock(), 4)).toThrow('starts at step 4, and the script has 3 steps');
  });

  it('streams text in pieces that make the whole, never splitting a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
        fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
        async (text, chunks) => {
          const pieces = (
            await eventsOf(modelOf([{ text, ...(chunks === undefined ? {} : { chunks }) }]))
          ).slice(0, -1);
          expect(textOf(pieces)).toBe(text);
          for (const piece of pieces) expect(textOf([piece]).isWellFormed()).toBe(true);
          if (chunks !== undefined) expect(pieces.length).toBeLessThanOrEqual(chunks);
        },
      ),
      { numRuns: 50 },
    );
    expect(await eventsOf(modelOf([{ text: 'abcdef', chunks: 3 }]))).toMatchObject([
      { text: 'ab' },
      { text: 'cd' },
      { text: 'ef' },
      { type: 'finished', reason: 'stop' },
    ]);
  });

  it('fails as its script says, also after some text, and as retryable as the code is', async () => {
    const model = modelOf([
      { error: { code: 'rate_limited', status: 429, retry_after_ms: 5 } },
      { text: 'half', error: { code: 'network', message: 'cut' } },
      { error: { code: 'unauthorized', message: 'no' } },
    ]);
    expect(await eventsOf(model)).toEqual([
      {
        type: 'failed',
        failure: {
          code: 'rate_limited',
          message: 'The script answers with rate_limited.',
          statusCode: 429,
          retryAfterMs: 5,
          retryable: true,
        },
      },
    ]);
    expect(await eventsOf(model)).toMatchObject([
      { text: 'half' },
      { failure: { code: 'network', retryable: true } },
    ]);
    expect(await eventsOf(model)).toMatchObject([{ failure: { code: 'unauthorized', retryable: false } }]);
  });

  it('is retried like any other', async () => {
    const model = modelOf([{ text: 'ha', error: { code: 'network', retry_after_ms: 0 } }, 'whole']);
    const clock = new FakeClock();
    const events: unknown[] = [];
    const running = (async () => {
      for await (const event of streamWithRetry(model, request(), { clock })) events.push(event);
    })();
    await clock.whenPending(1);
    await clock.advance(0);
    await running;
    expect(events).toMatchObject([
      { text: 'ha' },
      { type: 'restarted' },
      { text: 'whole' },
      { type: 'finished' },
    ]);
  });

  it('says what it used: what the script says, else an estimate', async () => {
    const model = modelOf([{ text: 'x', usage: { input_tokens: 100, output_tokens: 3 } }, 'x'.repeat(400)]);
    expect((await eventsOf(model)).at(-1)).toMatchObject({ usage: { inputTokens: 100, outputTokens: 3 } });
    const last = (await eventsOf(model, { messages: [{ role: 'user', text: 'y'.repeat(4000) }] })).at(-1);
    expect(last).toMatchObject({ usage: { outputTokens: 100 } });
    expect(last?.type === 'finished' && last.usage.inputTokens).toBeGreaterThan(1000);
  });

  it('has the context window of its file, else the usual one', () => {
    expect(modelOf({ steps: [], context_window: 700 }).contextWindow).toBe(700);
    expect(modelOf([]).contextWindow).toBe(128_000);
  });

  it('waits as long as a step says, unless it is cancelled', async () => {
    const clock = new FakeClock();
    const model = modelOf(
      [
        { text: 'late', delay_ms: 500 },
        { text: 'never', delay_ms: 500 },
      ],
      clock,
    );
    const late = eventsOf(model);
    await clock.whenPending(1);
    await clock.advance(500);
    expect(textOf(await late)).toBe('late');
    const controller = new AbortController();
    const never = eventsOf(model, { signal: controller.signal });
    await clock.whenPending(1);
    controller.abort();
    expect(await never).toMatchObject([{ type: 'failed', failure: { code: 'cancelled' } }]);
    expect(clock.pending).toBe(0);
  });

  it('stops amid its text when it is cancelled', async () => {
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of modelOf([{ text: 'abc', chunks: 3 }]).stream(
      request({ signal: controller.signal }),
    )) {
      events.push(event);
      controller.abort();
    }
    expect(events).toMatchObject([{ text: 'a' }, { type: 'failed', failure: { code: 'cancelled' } }]);
  });

  it('answers requests without tools from its auxiliary steps, where it has any', async () => {
    const bare = modelOf(['one', 'two']);
    expect(textOf(await eventsOf(bare, { tools: [] }))).toBe('one');
    const model = modelOf({ steps: ['one'], auxiliary: ['summary'] });
    expect(textOf(await eventsOf(model, { tools: [] }))).toBe('summary');
    expect(model.remaining()).toEqual(['steps[0]']);
    expect(await eventsOf(model, { tools: [] })).toMatchObject([{ failure: { code: 'script_exhausted' } }]);
    expect(textOf(await eventsOf(model))).toBe('one');
  });

  it('answers each conversation of its branches from its own steps', async () => {
    const model = modelOf({
      steps: ['parent'],
      branches: [
        { first_user_contains: 'task A', steps: [{ tool_calls: [{ name: 'a' }] }, 'a2'] },
        { first_user_contains: 'task B', steps: ['b1'] },
      ],
    });
    const of = (text: string): Partial<ModelRequest> => ({ messages: [{ role: 'user', text }] });
    expect(textOf(await eventsOf(model, of('do task B')))).toBe('b1');
    expect((await eventsOf(model, of('do task A')))[0]).toMatchObject({ callId: 'call_branch0_1_1' });
    expect(textOf(await eventsOf(model, of('hello')))).toBe('parent');
    expect(model.remaining()).toEqual(['branches[0].steps[1]']);
  });
});

describe('the expectation of a step', () => {
  const results: Message[] = [
    { role: 'user', text: 'go', context: 'mind the gap' },
    { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 't', args: {} }] },
    { role: 'tool', callId: 'a', tool: 't', text: 'result one', status: 'ok' },
    { role: 'tool', callId: 'b', tool: 't', text: 'result two', status: 'ok' },
  ];

  it.each([
    [{ last_user_contains: 'go' }],
    [{ last_user_contains: 'mind the gap' }],
    [{ last_tool_contains: ['one', 'two'] }],
    [{ last_tool_contains: [] }],
  ])('is met: %j', async (expectation) => {
    const events = await eventsOf(modelOf([{ text: 'ok', expect: expectation }]), { messages: results });
    expect(textOf(events)).toBe('ok');
  });

  it.each([
    [
      { last_user_contains: 'stop' },
      results,
      'the last user message to contain "stop"; it is "go\\n\\nmind the gap"',
    ],
    [
      { last_tool_contains: ['one', 'three'] },
      results,
      'a result of the last calls to contain "three"; they are "result one", "result two"',
    ],
    [
      { last_tool_contains: ['one'] },
      [...results, { role: 'assistant' as const, text: 'x', calls: [] }],
      'a result of the last calls to contain "one"; there is none',
    ],
  ])('that is not met fails the step: %j', async (expectation, messages, message) => {
    const events = await eventsOf(modelOf([{ text: 'ok', expect: expectation }]), { messages });
    expect(events).toMatchObject([{ type: 'failed', failure: { code: 'bad_request', retryable: false } }]);
    expect(events[0]?.type === 'failed' && events[0].failure.message).toContain(
      `steps[0] expects ${message}`,
    );
  });
});

describe('resolveModel of a script', () => {
  const resolve = (spec: string, script: string) =>
    resolveModel(spec, {
      environment: {},
      fetch: () => Promise.reject(new Error('no network here')),
      clock: new FakeClock(),
      readScript: (path) =>
        Promise.resolve(
          path === 'dir/demo.json' ? succeed(script) : fail('missing', `There is no file ${path}.`),
        ),
    });

  it('reads the file', async () => {
    const model = await resolve('scripted:dir/demo.json', '["one"]');
    expect(model).toMatchObject({
      ok: true,
      value: { label: 'scripted:dir/demo.json', provider: 'scripted', model: 'dir/demo.json' },
    });
  });

  it('starts at the step after the #', async () => {
    const model = await resolve('scripted:dir/demo.json#1', '["one","two"]');
    expect(model.ok && model.value instanceof ScriptedModel && model.value.remaining()).toEqual(['steps[1]']);
    expect(await resolve('scripted:dir/demo.json#3', '["one"]')).toMatchObject({
      ok: false,
      code: 'bad_script',
    });
  });

  it.each([
    ['scripted:other.json', '[]', 'There is no file other.json.'],
    ['scripted:dir/demo.json', '[', 'The script dir/demo.json is no JSON'],
    ['scripted:', '[]', '"scripted:" names a provider and no model.'],
  ])('%s with %s fails clearly', async (spec, script, message) => {
    const model = await resolve(spec, script);
    expect(model.ok ? '' : model.message).toContain(message);
  });
});
