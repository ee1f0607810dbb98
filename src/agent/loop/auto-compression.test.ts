import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../gate/index.ts';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import type { CompressionSettings } from '../compression/index.ts';
import type { ModelRequest } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import { type AgentParts, Conversation, compressConversation } from './index.ts';
import { benchTool, createTurnBench, problemsOf, scriptedCall, type TurnBench } from './turn-bench.ts';

let folder = '';
let path = '';
let agents: TurnBench[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herma-compress-'));
  path = join(folder, 'state.db');
});
afterEach(() => {
  for (const agent of agents) agent.store.close();
  agents = [];
  rmSync(folder, { recursive: true, force: true });
});

const settings: CompressionSettings = { enabled: true, threshold: 0.5, keepFirst: 1, keepLastTurns: 1 };

/** `n` tokens, about. */
const words = (n: number): string => 'word'.repeat(n);

/** Answers with that many tokens. */
const print = benchTool('print', ({ args }) => ({ status: 'ok', result: words(Number(args['n'] ?? 1)) }));

function bench(script: object, parts: Partial<AgentParts> = {}, tools: readonly Tool[] = [print]): TurnBench {
  const agent = createTurnBench({
    path,
    script: { context_window: 1000, ...script },
    tools,
    parts: { compression: settings, ...parts },
  });
  agents.push(agent);
  return agent;
}

const isSummary = ({ tools }: ModelRequest): boolean => tools.length === 0;
const summaries = ({ requests }: TurnBench) => requests.filter(isSummary);
const lastMessages = ({ requests }: TurnBench) =>
  requests.findLast((request) => !isSummary(request))?.messages ?? [];
const texts = (messages: readonly Message[]) => messages.map(({ text }) => text);
const compressed = ({ events }: TurnBench) => events.filter(({ type }) => type === 'compressed');

describe('history over the threshold', () => {
  it('is condensed before the next turn, in a new session of the same lineage', async () => {
    const agent = bench({ steps: [words(200), words(200), words(200), 'fine'], auxiliary: ['They talked.'] });
    const first = agent.conversation.sessionId;
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    expect(compressed(agent)).toEqual([]);
    await agent.turn('four');
    expect(compressed(agent)).toEqual([{ type: 'compressed', before: 6, after: 4 }]);
    expect(texts(lastMessages(agent))).toEqual([
      'one',
      expect.stringMatching(/^\[Summary .*\]\nThey talked\.$/),
      'three',
      words(200),
      'four',
    ]);
    expect(agent.conversation.sessionId).not.toBe(first);
    expect(agent.conversation.rootSessionId).toBe(first);
    expect(valueOrThrow(agent.store.get(first))).toMatchObject({ endReason: 'compression', messageCount: 6 });
    expect(texts(agent.stored())).toEqual([...texts(lastMessages(agent)), 'fine']);
  });

  it('is counted with what the person has just written', async () => {
    const agent = bench({ steps: [words(200), words(100), 'fine'], auxiliary: ['They talked.'] });
    await agent.turn('one');
    await agent.turn('two');
    await agent.turn(words(300));
    expect(compressed(agent).length).toBe(1);
  });

  it('is told by what the provider counted', async () => {
    const usage = { input_tokens: 490, output_tokens: 5 };
    const agent = bench({
      steps: [words(60), words(60), { text: words(60), usage }, 'fine'],
      auxiliary: ['They talked.'],
    });
    for (const text of ['one', 'two', 'three', 'four']) await agent.turn(text);
    expect(compressed(agent).length).toBe(1);
  });

  it('keeps the lineage when it is resumed, and what came after', async () => {
    const agent = bench({
      steps: [words(200), words(200), words(200), 'fine', 'well'],
      auxiliary: ['They talked.'],
    });
    const first = agent.conversation.sessionId;
    for (const text of ['one', 'two', 'three', 'four']) await agent.turn(text);
    const before = agent.conversation.messages;
    agent.conversation = valueOrThrow(Conversation.resume(agent.store, first, agent.parts.toolBox));
    expect(agent.conversation.messages).toEqual(before);
    expect(agent.conversation.rootSessionId).toBe(first);
    expect(agent.conversation.parentSessionId).toBeUndefined();
    await agent.turn('five');
    expect(texts(lastMessages(agent)).at(-2)).toBe('fine');
  });

  it('is left alone when compression is off', async () => {
    const agent = bench(
      { steps: [words(300), words(300), words(300), 'fine'], auxiliary: [] },
      { compression: { ...settings, enabled: false } },
    );
    for (const text of ['one', 'two', 'three', 'four']) await agent.turn(text);
    expect(summaries(agent)).toEqual([]);
    expect(lastMessages(agent).length).toBe(7);
  });

  it('can be condensed by hand though compression is off', async () => {
    const agent = bench(
      { steps: [words(30), words(30), words(30)], auxiliary: ['They talked.'] },
      { compression: { ...settings, enabled: false } },
    );
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    const done = await compressConversation(agent.parts, agent.conversation, {
      signal: new AbortController().signal,
    });
    expect(done.ok && texts(done.value.messages)).toEqual([
      'one',
      expect.stringContaining('They talked.'),
      'three',
      words(30),
    ]);
    expect(texts(agent.stored())).toEqual(done.ok && texts(done.value.messages));
  });

  it('adds what the summary cost to the usage of the turn', async () => {
    const usage = (input: number, output: number) => ({
      usage: { input_tokens: input, output_tokens: output },
    });
    const agent = bench({
      steps: [words(200), words(200), words(200), { text: 'fine', ...usage(10, 1) }],
      auxiliary: [{ text: 'They talked.', ...usage(1000, 100) }],
    });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    expect((await agent.turn('four')).usage).toEqual({ inputTokens: 1010, outputTokens: 101 });
  });
});

describe('calls that push a turn over the threshold', () => {
  it('are condensed only when all of them have ended, and never without their results', async () => {
    const twoStored = Promise.withResolvers<void>();
    let requestsMeanwhile: unknown;
    const slow = benchTool('slow', async () => {
      await twoStored.promise;
      requestsMeanwhile = agent.requests.length;
      return { status: 'ok', result: 'slow is done' };
    });
    const agent: TurnBench = bench(
      {
        steps: [
          { tool_calls: [scriptedCall('print', { n: 100 }, 'p0')] },
          {
            tool_calls: [
              scriptedCall('slow', {}, 's'),
              scriptedCall('print', { n: 300 }, 'p1'),
              scriptedCall('print', { n: 300 }, 'p2'),
            ],
          },
          'fine',
        ],
        auxiliary: ['It printed.'],
      },
      {},
      [print, slow],
    );
    let finished = 0;
    const order: string[] = [];
    agent.watch = (event) => {
      if (event.type === 'compressed') order.push('compressed');
      if (event.type !== 'call-finished') return;
      order.push(event.report.callId);
      finished += 1;
      if (finished === 3) twoStored.resolve();
    };
    expect(await agent.turn('go')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(requestsMeanwhile).toBe(2);
    expect(order).toEqual(['p0', 'p1', 'p2', 's', 'compressed']);
    const sent = lastMessages(agent);
    expect(problemsOf(sent)).toEqual([]);
    expect(texts(sent)).toEqual([
      'go',
      expect.stringContaining('It printed.'),
      '',
      'slow is done',
      words(300),
      words(300),
    ]);
    expect(agent.conversation.sessionId).not.toBe(agent.conversation.rootSessionId);
  });

  it('run on in the new session, with the same root', async () => {
    const seen: string[][] = [];
    const note = benchTool('note', ({ sessionId, rootSessionId }) => {
      seen.push([sessionId, rootSessionId]);
      return { status: 'ok', result: '' };
    });
    const agent = bench(
      {
        steps: [
          { tool_calls: [scriptedCall('note')] },
          { tool_calls: [scriptedCall('print', { n: 300 })] },
          { tool_calls: [scriptedCall('print', { n: 300 })] },
          { tool_calls: [scriptedCall('note')] },
          'fine',
        ],
        auxiliary: ['It printed.'],
      },
      {},
      [print, note],
    );
    const root = agent.conversation.sessionId;
    await agent.turn('go');
    expect(seen).toEqual([
      [root, root],
      [agent.conversation.sessionId, root],
    ]);
    expect(agent.conversation.sessionId).not.toBe(root);
  });

  it('of unknown effect stay word for word', async () => {
    const agent = bench({ steps: [words(200), words(200), 'fine'], auxiliary: ['They talked.'] });
    await agent.turn('one');
    const call = { callId: 'u', tool: 'deploy', args: { n: 1 } };
    agent.conversation.append({ role: 'user', text: 'deploy' }, 't');
    agent.conversation.append({ role: 'assistant', text: 'I deploy.', calls: [call] }, 't');
    agent.conversation = valueOrThrow(
      Conversation.resume(agent.store, agent.conversation.sessionId, agent.parts.toolBox),
    );
    await agent.turn(words(100));
    await agent.turn('three');
    expect(compressed(agent).length).toBe(1);
    expect(texts(lastMessages(agent))).toEqual([
      'one',
      expect.stringContaining('They talked.'),
      'I deploy.',
      expect.stringContaining('its effect is unknown'),
      words(100),
      words(200),
      'three',
    ]);
    expect(problemsOf(lastMessages(agent))).toEqual([]);
  });
});

describe('a summary that cannot be made', () => {
  const talk = [words(200), words(200), words(200)];

  async function failing(auxiliary: readonly unknown[]): Promise<TurnBench> {
    const agent = bench({ steps: [...talk, 'fine'], auxiliary });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    expect(await agent.turn('four')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(compressed(agent)).toEqual([]);
    expect(lastMessages(agent).length).toBe(7);
    expect(agent.conversation.sessionId).toBe(agent.conversation.rootSessionId);
    expect(valueOrThrow(agent.store.list({ everything: true })).length).toBe(1);
    return agent;
  }

  it('by a failure of the model leaves the history as it was, and warns', async () => {
    const agent = await failing([{ error: { code: 'unauthorized', message: 'no key' } }]);
    expect(agent.warnings()).toEqual(['The history could not be condensed and stays as it is: no key']);
  });

  it('because it is empty leaves the history as it was, and warns', async () => {
    const agent = await failing([{ text: ' \n' }]);
    expect(agent.warnings()).toEqual([
      'The history could not be condensed and stays as it is: The model answered with an empty summary.',
    ]);
  });

  it('because it is no shorter leaves the history as it was, and warns', async () => {
    const agent = await failing([words(500)]);
    expect(agent.warnings()).toEqual([expect.stringContaining('no shorter than what it replaces')]);
  });

  it('because it could not be stored leaves the history as it was, and warns', async () => {
    const agent = bench({ steps: [...talk, 'fine'], auxiliary: ['They talked.'] });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TRIGGER refuse BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    );
    database.close();
    expect(await agent.turn('four')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(agent.warnings()).toEqual([expect.stringContaining('stays as it is')]);
    expect(lastMessages(agent).length).toBe(7);
    expect(agent.conversation.sessionId).toBe(agent.conversation.rootSessionId);
  });

  it('is tried again by the retries of a request', async () => {
    const agent = bench({
      steps: [...talk, 'fine'],
      auxiliary: [{ text: 'They ta', error: { code: 'network' } }, 'They talked.'],
    });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    const turn = agent.turn('four');
    await agent.clock.whenPending(1);
    await agent.clock.advance(60_000);
    await turn;
    expect(lastMessages(agent)[1]?.text).toMatch(/\nThey talked\.$/);
  });

  it('because the turn was interrupted ends the turn, without a warning', async () => {
    const agent = bench({ steps: [...talk, 'fine'], auxiliary: [{ error: { code: 'network' } }] });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    const controller = new AbortController();
    const turn = agent.turn('four', controller.signal);
    await agent.clock.whenPending(1);
    controller.abort();
    expect(await turn).toMatchObject({ end: 'interrupted', requests: 0 });
    expect(agent.warnings()).toEqual([]);
    expect(agent.conversation.messages.length).toBe(7);
  });
});

describe('history that cannot be made small enough', () => {
  it('is not tried again with every request', async () => {
    const small = Array.from({ length: 12 }, () => ({ tool_calls: [scriptedCall('print', { n: 1 })] }));
    const agent = bench({
      steps: [{ tool_calls: [scriptedCall('print', { n: 600 }, 'huge')] }, ...small, 'fine'],
      auxiliary: ['A.', 'B.', 'C.', 'D.'],
    });
    expect(await agent.turn(words(40))).toMatchObject({ end: 'completed', final: 'fine', requests: 14 });
    expect(compressed(agent).length).toBe(1);
    expect(agent.warnings()).toEqual([]);
  });

  it('is not tried again with every request when the summary fails', async () => {
    const small = Array.from({ length: 12 }, () => ({ tool_calls: [scriptedCall('print', { n: 1 })] }));
    const error = { error: { code: 'unauthorized', message: 'no key' } };
    const agent = bench({
      steps: [
        { tool_calls: [scriptedCall('print', { n: 250 })] },
        { tool_calls: [scriptedCall('print', { n: 250 })] },
        ...small,
        'fine',
      ],
      auxiliary: [error, error, error, error],
    });
    await agent.turn('go');
    expect(summaries(agent).length).toBeGreaterThan(0);
    expect(summaries(agent).length).toBeLessThan(4);
  });

  it('is not condensed again when only the summary is left to summarise', async () => {
    const agent = bench({
      steps: ['ok', 'ok', words(600), 'fine', 'well'],
      auxiliary: ['They talked.', 'again'],
    });
    await agent.turn('one');
    await agent.turn(words(100));
    for (const text of ['three', 'four', 'five']) await agent.turn(text);
    expect(summaries(agent).length).toBeLessThan(3);
    expect(
      agent.conversation.messages.filter((each) => each.role === 'user' && each.synthetic === 'summary')
        .length,
    ).toBe(1);
  });
});

describe('history that the provider refuses as too long', () => {
  const tooLong = { error: { code: 'context_too_long', message: 'too many tokens' } };

  it('is condensed once, and the turn goes on', async () => {
    const agent = bench({
      steps: [words(90), words(90), words(90), { text: 'half', ...tooLong }, 'fine'],
      auxiliary: ['They talked.'],
    });
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    expect(await agent.turn('four')).toMatchObject({ end: 'completed', final: 'fine', requests: 2 });
    expect(compressed(agent).length).toBe(1);
    expect(texts(lastMessages(agent))).toContain('four');
    const types = agent.events.map(({ type }) => type);
    expect(types.lastIndexOf('restarted')).toBeGreaterThan(types.indexOf('compressed'));
    expect(texts(agent.stored())).not.toContain('half');
  });

  it('ends the turn when it is refused again, though more could be condensed', async () => {
    const small = Array.from({ length: 18 }, () => ({ tool_calls: [scriptedCall('print', { n: 5 })] }));
    const agent = bench({ steps: [...small, tooLong, tooLong, 'never'], auxiliary: ['S.', 'S.'] });
    expect(await agent.turn('go')).toMatchObject({ end: 'failed', failure: { code: 'context_too_long' } });
    expect(summaries(agent).length).toBe(1);
    const again = await compressConversation(agent.parts, agent.conversation, {
      signal: new AbortController().signal,
      targetTokens: agent.conversation.tokens / 2,
    });
    expect(again.ok).toBe(true);
  });

  it('ends the turn when nothing can be condensed', async () => {
    const agent = bench({ steps: [tooLong], auxiliary: [] });
    expect(await agent.turn(words(50))).toMatchObject({
      end: 'failed',
      failure: { code: 'context_too_long' },
    });
  });

  it('is left alone when compression is off, and the turn ends', async () => {
    const agent = bench(
      { steps: [words(90), words(90), words(90), tooLong], auxiliary: ['never'] },
      { compression: { ...settings, enabled: false } },
    );
    for (const text of ['one', 'two', 'three']) await agent.turn(text);
    expect(await agent.turn('four')).toMatchObject({ end: 'failed', failure: { code: 'context_too_long' } });
    expect(summaries(agent)).toEqual([]);
  });

  it('gets shorter though it is well within the window that is configured', async () => {
    const long = Array.from({ length: 6 }, () => ({ tool_calls: [scriptedCall('print', { n: 300 })] }));
    const agent = bench({
      context_window: 100_000,
      steps: [...long, tooLong, 'fine'],
      auxiliary: ['It printed.'],
    });
    expect(await agent.turn('go')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(agent.conversation.tokens).toBeLessThan(900);
  });

  it('can be taken up again when the first message alone fills the window', async () => {
    const agent = bench({ steps: [tooLong, tooLong, 'fine'], auxiliary: ['A long letter.'] });
    expect(await agent.turn(words(2000))).toMatchObject({ end: 'failed' });
    expect(await agent.turn('go on')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(texts(lastMessages(agent))).toEqual([expect.stringContaining('A long letter.'), 'go on']);
  });

  it('can be taken up again when one result alone fills the window', async () => {
    const agent = bench({
      steps: [{ tool_calls: [scriptedCall('print', { n: 2000 })] }, tooLong, tooLong, 'fine'],
      auxiliary: ['It printed a lot.'],
    });
    expect(await agent.turn('print')).toMatchObject({ end: 'failed' });
    expect(await agent.turn('go on')).toMatchObject({ end: 'completed', final: 'fine' });
    expect(texts(lastMessages(agent))).not.toContain(words(2000));
    expect(problemsOf(lastMessages(agent))).toEqual([]);
  });
});

describe('whatever the model does', () => {
  const reply = fc.oneof(
    { weight: 3, arbitrary: fc.nat(120).map((n) => ({ text: words(n + 1) })) },
    {
      weight: 5,
      arbitrary: fc
        .array(
          fc.record({
            name: fc.constantFrom('print', 'print', 'print', 'gone', 'fails'),
            args: fc.oneof(
              fc.nat(150).map((n) => ({ n })),
              fc.constant('{"n": '),
            ),
            id: fc.constantFrom('a', 'b', 'c', '', 'a_2'),
          }),
          { minLength: 1, maxLength: 4 },
        )
        .map((tool_calls) => ({ tool_calls })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('unauthorized', 'context_too_long', 'bad_request')
        .map((code) => ({ text: 'partial', error: { code } })),
    },
  );
  const summary = fc.oneof(
    fc.constant<unknown>('A summary.'),
    fc.constant({ text: '' }),
    fc.constant({ error: { code: 'bad_request' } }),
  );

  it('every list that is sent is well-formed, and every call has run at most once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { maxLength: 14 }),
        fc.array(summary, { maxLength: 6 }),
        fc.record({ keepFirst: fc.nat(3), keepLastTurns: fc.integer({ min: 1, max: 3 }) }),
        async (steps, auxiliary, keep) => {
          let runs = 0;
          const counted = benchTool('print', ({ args }) => {
            runs += 1;
            return { status: 'ok', result: words(Number(args['n'] ?? 1)) };
          });
          const fails = benchTool('fails', () => {
            runs += 1;
            throw new Error('broken');
          });
          const agent = createTurnBench({
            path: join(folder, `${String(systemClock.monotonicMs())}.db`),
            script: { context_window: 400, steps, auxiliary },
            tools: [counted, fails],
            parts: { compression: { ...settings, ...keep }, maxIterations: 5 },
          });
          try {
            const ended = [];
            for (const text of ['one', words(60), 'three', 'four']) ended.push(await agent.turn(text));
            for (const { messages } of agent.requests) expect(problemsOf(messages)).toEqual([]);
            const executed = ended.flatMap(({ calls }) => calls).filter((call) => call.executed);
            expect(runs).toBe(executed.length);
            expect(agent.stored()).toEqual(agent.conversation.messages);
          } finally {
            agent.store.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
