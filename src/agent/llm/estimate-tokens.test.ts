import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../sessions/index.ts';
import { estimateTokens } from './index.ts';

describe('estimateTokens', () => {
  it('counts four ASCII characters, or 1.4 others, as a token', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a'.repeat(400))).toBe(100);
    expect(estimateTokens('世'.repeat(140))).toBe(100);
    expect(estimateTokens('a'.repeat(400) + '世'.repeat(140))).toBe(200);
  });

  it('counts everything a message sends', () => {
    const long = 'x'.repeat(4000);
    const messages: Message[] = [
      { role: 'user', text: long },
      { role: 'user', text: '', context: long },
      { role: 'assistant', text: long, calls: [] },
      { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 't', args: { text: long } }] },
      { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 't', args: null, rawArgs: long }] },
      { role: 'tool', callId: 'a', tool: 't', text: long, status: 'ok' },
    ];
    for (const message of messages) {
      const tokens = estimateTokens([message]);
      expect(tokens).toBeGreaterThanOrEqual(1000);
      expect(tokens).toBeLessThan(1020);
    }
    expect(estimateTokens(messages)).toBeGreaterThan(6000);
    expect(estimateTokens([])).toBe(0);
  });

  it('never shrinks when text is added, and is about the sum of its parts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (a, b) => {
        const whole = estimateTokens(a + b);
        expect(whole).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(Math.abs(whole - estimateTokens(a) - estimateTokens(b))).toBeLessThanOrEqual(1);
      }),
    );
  });
});
