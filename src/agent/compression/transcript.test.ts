import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../llm/index.ts';
import type { Message } from '../sessions/index.ts';
import { transcriptOf } from './transcript.ts';

const conversation: readonly Message[] = [
  { role: 'user', text: 'list the files', context: 'it is Monday' },
  {
    role: 'assistant',
    text: 'I look.',
    calls: [
      { callId: 'c1', tool: 'terminal', args: { command: 'ls' } },
      { callId: 'c2', tool: 'terminal', args: null, rawArgs: '{"command' },
    ],
  },
  { role: 'tool', callId: 'c1', tool: 'terminal', text: 'a.txt', status: 'ok' },
  { role: 'tool', callId: 'c2', tool: 'terminal', text: 'no JSON', status: 'error' },
  { role: 'assistant', text: 'There is a.txt.', calls: [] },
];

describe('transcriptOf', () => {
  it('tells who said what, and how calls ended', () => {
    expect(transcriptOf(conversation, 1000)).toBe(
      [
        '[user]\nlist the files\nit is Monday',
        '[assistant]\nI look.\ncalls terminal (c1) with {"command":"ls"}\ncalls terminal (c2) with {"command',
        '[result of terminal (c1), ok]\na.txt',
        '[result of terminal (c2), error]\nno JSON',
        '[assistant]\nThere is a.txt.',
      ].join('\n\n'),
    );
  });

  it('shortens long messages before it drops any', () => {
    const long = conversation.map((message) => ({ ...message, text: `<${message.text.repeat(4000)}>` }));
    const text = transcriptOf(long, 1500);
    expect(text.match(/^\[(user|assistant|result)/gm)?.length).toBe(conversation.length);
    expect(text).toContain('characters left out …]');
  });

  it('fits, whatever it is made of', () => {
    const message = fc.record({
      role: fc.constant('user' as const),
      text: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.nat(30_000).map((n) => '漢'.repeat(n)),
        fc.nat(30_000).map((n) => '😀'.repeat(n)),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 60 }),
        fc.integer({ min: 100, max: 5000 }),
        (messages, maxTokens) => {
          const text = transcriptOf(messages, maxTokens);
          expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
        },
      ),
    );
  });

  it('says how much it left out', () => {
    const text = transcriptOf([{ role: 'user', text: 'x'.repeat(10_000) }], 3000);
    expect(text).toBe(`[user]\n${'x'.repeat(4000)}\n[… 2000 characters left out …]\n${'x'.repeat(4000)}`);
  });
});
