import { describe, expect, it } from 'vitest';
import { type Clock, FakeClock } from '../../platform/clock/index.ts';
import type { ChatModel, ModelEvent, ModelFailure, ModelRequest } from './chat-model.ts';
import { type AttemptObserver, type RetriedModelEvent, type Retry, streamWithRetry } from './index.ts';

const usage = { inputTokens: 1, outputTokens: 2 };
const say = (text: string): ModelEvent => ({ type: 'text-delta', text });
const call = (callId: string): ModelEvent => ({
  type: 'tool-call',
  callId,
  tool: 't',
  args: {},
  rawArgs: '{}',
});
const done: ModelEvent = { type: 'finished', reason: 'stop', usage };
const fail = (parts: Partial<ModelFailure> = {}): ModelEvent => ({
  type: 'failed',
  failure: { code: 'server_error', message: 'broken', retryable: true, ...parts },
});

/** Plays one list of events per attempt; a function among them is called on the way. */
function play(...attempts: (ModelEvent | (() => void))[][]): ChatModel & { readonly started: () => number } {
  let started = 0;
  return {
    label: 'fake:model',
    provider: 'fake',
    model: 'model',
    baseUrl: 'http://127.0.0.1:1/v1',
    contextWindow: 1000,
    started: () => started,
    async *stream({ signal }) {
      const events = attempts[started] ?? [];
      started += 1;
      for (const event of events) {
        await Promise.resolve();
        if (signal.aborted) {
          yield fail({ code: 'cancelled', retryable: false });
          return;
        }
        if (typeof event === 'function') event();
        else yield event;
      }
    },
  };
}

const request = (signal = new AbortController().signal): ModelRequest => ({
  system: 'abc',
  messages: [{ role: 'user', text: 'hi' }],
  tools: [],
  signal,
});

interface Run {
  readonly events: RetriedModelEvent[];
  readonly retries: Retry[];
}

/** Runs to the end, letting every wait pass at once. */
async function run(
  model: ChatModel,
  options: {
    readonly signal?: AbortSignal;
    readonly observer?: AttemptObserver;
    readonly maxRetries?: number;
    readonly jitter?: number;
  } = {},
): Promise<Run> {
  const clock = new FakeClock();
  const sleep: Clock['sleep'] = async (delayMs, signal) => {
    const sleeping = FakeClock.prototype.sleep.call(clock, delayMs, signal);
    await clock.advance(delayMs);
    return sleeping;
  };
  const { signal, jitter = 0.5, ...rest } = options;
  const outcome: Run = { events: [], retries: [] };
  for await (const event of streamWithRetry(model, request(signal), {
    clock: Object.assign(Object.create(clock) as Clock, {
      sleep,
      monotonicMs: () => clock.monotonicMs(),
      now: () => clock.now(),
    }),
    onRetry: (retry) => outcome.retries.push(retry),
    jitter: () => jitter,
    ...rest,
  }))
    outcome.events.push(event);
  expect(clock.pending).toBe(0);
  return outcome;
}

describe('streamWithRetry', () => {
  it('passes a good attempt on, calls right before the end', async () => {
    const model = play([say('a'), call('1'), say('b'), call('2'), done]);
    expect((await run(model)).events).toEqual([say('a'), say('b'), call('1'), call('2'), done]);
    expect(model.started()).toBe(1);
  });

  it('tries again what may pass, and nothing else', async () => {
    expect((await run(play([fail()], [fail({ code: 'rate_limited' })], [say('a'), done]))).events).toEqual([
      say('a'),
      done,
    ]);
    const final = fail({ code: 'unauthorized', retryable: false });
    expect((await run(play([final], [say('a'), done]))).events).toEqual([final]);
  });

  it('gives up after so many attempts, with the last failure', async () => {
    const model = play(...Array.from({ length: 9 }, (_, index) => [fail({ message: String(index) })]));
    expect((await run(model)).events).toEqual([fail({ message: '3' })]);
    expect(model.started()).toBe(4);
    const once = play([fail()], [done]);
    expect((await run(once, { maxRetries: 0 })).events).toEqual([fail()]);
  });

  it('waits twice as long each time, spread by jitter', async () => {
    const failing = (): ChatModel => play([fail()], [fail()], [fail()], [done]);
    expect((await run(failing(), { jitter: 0 })).retries.map(({ delayMs }) => delayMs)).toEqual([
      250, 500, 1000,
    ]);
    expect((await run(failing(), { jitter: 0.999999 })).retries.map(({ delayMs }) => delayMs)).toEqual([
      500, 1000, 2000,
    ]);
    const many = play(...Array.from({ length: 12 }, () => [fail()]), [done]);
    const { retries } = await run(many, { maxRetries: 12, jitter: 0.999999 });
    expect(Math.max(...retries.map(({ delayMs }) => delayMs))).toBe(30_000);
    expect(retries.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 2),
    );
  });

  it('waits as long as the provider asks, up to a minute', async () => {
    const model = play(
      [fail({ retryAfterMs: 1500 })],
      [fail({ retryAfterMs: 0 })],
      [fail({ retryAfterMs: 3_600_000 })],
      [done],
    );
    expect((await run(model)).retries.map(({ delayMs }) => delayMs)).toEqual([1500, 0, 60_000]);
  });

  it('declares void what a broken attempt said, and never shows its calls', async () => {
    const model = play([say('half'), call('lost'), fail()], [fail()], [say('whole'), call('1'), done]);
    expect((await run(model)).events).toEqual([
      say('half'),
      { type: 'restarted' },
      say('whole'),
      call('1'),
      done,
    ]);
  });

  it('leaves what a last attempt said', async () => {
    const final = fail({ retryable: false });
    expect((await run(play([say('half'), final]))).events).toEqual([say('half'), final]);
  });

  it('takes a model that ends without an end for one that failed', async () => {
    const { events, retries } = await run(play([say('a')], [say('b'), done]));
    expect(events).toEqual([say('a'), { type: 'restarted' }, say('b'), done]);
    expect(retries[0]?.failure).toMatchObject({
      code: 'bad_response',
      message: 'fake:model ended without an answer.',
    });
  });

  it('makes no attempt when it is cancelled beforehand', async () => {
    const model = play([done]);
    const { events } = await run(model, { signal: AbortSignal.abort() });
    expect(events).toMatchObject([{ type: 'failed', failure: { code: 'cancelled', retryable: false } }]);
    expect(model.started()).toBe(0);
  });

  it('ends when it is cancelled amid an attempt', async () => {
    const controller = new AbortController();
    const model = play([say('a'), () => controller.abort(), say('b'), done], [done]);
    expect((await run(model, { signal: controller.signal })).events).toMatchObject([
      say('a'),
      { type: 'failed', failure: { code: 'cancelled' } },
    ]);
    expect(model.started()).toBe(1);
  });

  it('does not try again what failed while it was being cancelled', async () => {
    const controller = new AbortController();
    const stubborn: ChatModel = {
      ...play(),
      async *stream() {
        await Promise.resolve();
        controller.abort();
        yield fail();
      },
    };
    const { events, retries } = await run(stubborn, { signal: controller.signal });
    expect(events).toEqual([fail()]);
    expect(retries).toEqual([]);
  });

  it('ends at once when it is cancelled amid a wait, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const model = play([fail({ retryAfterMs: 60_000 })], [done]);
    const events: RetriedModelEvent[] = [];
    const running = (async () => {
      for await (const event of streamWithRetry(model, request(controller.signal), { clock }))
        events.push(event);
    })();
    await clock.whenPending(1);
    controller.abort();
    await running;
    expect(events).toMatchObject([{ type: 'failed', failure: { code: 'cancelled' } }]);
    expect([model.started(), clock.pending]).toEqual([1, 0]);
  });

  it('leaves the attempt when its consumer leaves', async () => {
    const left = Promise.withResolvers<void>();
    const endless: ChatModel = {
      ...play(),
      async *stream() {
        try {
          for (;;) {
            await Promise.resolve();
            yield say('x');
          }
        } finally {
          left.resolve();
        }
      },
    };
    for await (const event of streamWithRetry(endless, request(), { clock: new FakeClock() })) {
      expect(event).toEqual(say('x'));
      break;
    }
    await left.promise;
  });

  it('tells its observer of every attempt, in order, and waits for it', async () => {
    const log: unknown[] = [];
    const later = async (...entry: unknown[]): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push(entry);
    };
    const observer: AttemptObserver = {
      preRequest: ({ retryCount }) => later('pre', retryCount),
      postRequest: ({ retryCount }, outcome) => later('post', retryCount, outcome),
      requestError: ({ retryCount }, { failure, willRetry, maxRetries }) =>
        later('error', retryCount, failure.code, willRetry, maxRetries),
    };
    await run(play([fail()], [call('1'), call('2'), done]), { observer });
    await run(play([fail({ code: 'bad_request', retryable: false })]), { observer, maxRetries: 7 });
    expect(log).toEqual([
      ['pre', 0],
      ['error', 0, 'server_error', true, 3],
      ['pre', 1],
      ['post', 1, { durationMs: 0, finishReason: 'stop', usage, toolCallCount: 2 }],
      ['pre', 0],
      ['error', 0, 'bad_request', false, 7],
    ]);
  });

  it('describes an attempt to its observer', async () => {
    const seen: unknown[] = [];
    await run(play([done]), { observer: { preRequest: (attempt) => void seen.push(attempt) } });
    expect(seen).toEqual([
      {
        provider: 'fake',
        model: 'model',
        baseUrl: 'http://127.0.0.1:1/v1',
        retryCount: 0,
        messageCount: 1,
        toolCount: 0,
        requestCharCount: 'abc'.length + '[{"role":"user","text":"hi"}]'.length + '[]'.length,
      },
    ]);
  });
});
