import { describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import {
  type ChatModel,
  estimateTokens,
  type ModelRequest,
  readScript,
  ScriptedModel,
} from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import { type CompressionSettings, compress, isOverThreshold } from './index.ts';

const settings: CompressionSettings = { enabled: true, threshold: 0.5, keepFirst: 1, keepLastTurns: 1 };
const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const talk = (size: number): readonly Message[] =>
  ['one', 'two', 'three'].flatMap((text) => [user(text), answer('word'.repeat(size))]);

function scripted(
  replies: readonly unknown[],
  contextWindow = 1000,
): ChatModel & { requests: ModelRequest[] } {
  const script = valueOrThrow(readScript(JSON.stringify(replies), 'test'));
  const model = valueOrThrow(
    ScriptedModel.create({ script, label: 'scripted:test', clock: new FakeClock(), contextWindow }),
  );
  const requests: ModelRequest[] = [];
  return {
    label: model.label,
    provider: model.provider,
    model: model.model,
    contextWindow,
    requests,
    stream: (request) => {
      requests.push(request);
      return model.stream(request);
    },
  };
}

async function run(
  messages: readonly Message[],
  model: ChatModel,
  more: { targetTokens?: number; worthTokens?: number } = {},
) {
  const signal = new AbortController().signal;
  return compress(messages, { model, clock: new FakeClock(), settings, signal, ...more });
}

describe('isOverThreshold', () => {
  it.each([
    [500, true, false],
    [501, true, true],
    [501, false, false],
  ])('%d tokens of 1000, enabled %j: %j', (tokens, enabled, expected) => {
    expect(isOverThreshold(tokens, scripted([]), { ...settings, enabled })).toBe(expected);
  });
});

describe('compress', () => {
  it.each(['length', 'content-filter'])('says in the summary that it was cut off (%s)', async (reason) => {
    const model = scripted([{ text: 'They talked ab', finish_reason: reason }]);
    const [, summary] = valueOrThrow(await run(talk(100), model)).messages;
    expect(summary?.text).toMatch(/\nThey talked ab\n\[The summary was cut off here; .+\]$/);
  });

  it('puts a summary in the place of the middle', async () => {
    const model = scripted(['  They talked.\n']);
    const messages = talk(100);
    const done = valueOrThrow(await run(messages, model));
    expect(done.messages).toEqual([
      messages[0],
      {
        role: 'user',
        synthetic: 'summary',
        text: '[Summary of earlier work in this session, which is no longer shown in full]\nThey talked.',
      },
      ...messages.slice(4),
    ]);
    expect(done.usage.outputTokens).toBeGreaterThan(0);
    expect(estimateTokens(done.messages)).toBeLessThan(estimateTokens(messages));
  });

  it('asks the model without offering tools, about the middle alone', async () => {
    const model = scripted(['They talked.']);
    await run(
      [user('first'), answer('middle one'.repeat(20)), user('middle two'), answer('x'), user('last')],
      model,
    );
    expect(model.requests.length).toBe(1);
    expect(model.requests[0]?.tools).toEqual([]);
    const [request] = model.requests[0]?.messages ?? [];
    expect(request?.text).toContain('middle one');
    expect(request?.text).toContain('middle two');
    expect(request?.text).not.toContain('first');
    expect(request?.text).not.toContain('last');
  });

  it('asks nothing that the window of the model cannot hold', async () => {
    const model = scripted(['They talked.'], 2000);
    await run([user('a'), answer('word'.repeat(20_000)), user('b'), answer('c')], model);
    const [asked] = model.requests;
    expect(estimateTokens(asked?.messages ?? []) + estimateTokens(asked?.system ?? '')).toBeLessThan(2000);
  });

  it('aims at a size below the share of the window when it is told to', async () => {
    const messages = talk(100);
    const kept = (settled: Awaited<ReturnType<typeof run>>) => valueOrThrow(settled).messages.length;
    expect(kept(await run(messages, scripted(['Short.'], 100_000)))).toBe(4);
    expect(kept(await run(messages, scripted(['Short.'], 100_000), { targetTokens: 120 }))).toBe(4);
    const tools = [user('a'), answer('x'.repeat(400)), answer('y'.repeat(400)), answer('z')];
    expect((await run(tools, scripted(['Short.'], 100_000))).ok).toBe(false);
    expect(kept(await run(tools, scripted(['Short.'], 100_000), { targetTokens: 120 }))).toBeLessThan(4);
  });

  it.each([
    ['nothing is between what is kept', [user('a'), answer('b')], ['never'], 'nothing_to_compress'],
    ['there are no messages', [], ['never'], 'nothing_to_compress'],
    ['the summary is empty', talk(100), [{ text: ' ' }], 'empty_summary'],
    ['the summary is longer', talk(10), ['word'.repeat(200)], 'no_gain'],
    ['the model fails', talk(100), [{ error: { code: 'unauthorized' } }], 'unauthorized'],
    [
      'the model calls a tool instead',
      talk(100),
      [{ tool_calls: [{ name: 'x', args: {} }] }],
      'empty_summary',
    ],
  ])('fails when %s', async (_, messages, replies, code) => {
    expect(await run(messages, scripted(replies))).toMatchObject({ ok: false, code });
  });

  it('ends when it is cancelled', async () => {
    const done = await compress(talk(100), {
      model: scripted(['never']),
      clock: new FakeClock(),
      settings,
      signal: AbortSignal.abort(),
    });
    expect(done).toMatchObject({ ok: false, code: 'cancelled' });
  });
});
