import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../sessions/index.ts';
import { type PlanOptions, planCompression, unitsOf } from './plan.ts';

const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { text }) => sum + text.length, 0);
const options: PlanOptions = {
  headBudget: 10_000,
  keepFirst: 1,
  keepLastTurns: 1,
  tailBudget: 1000,
  worthTokens: 0,
  sizeOf,
};

const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  text: '',
  calls: ids.map((callId) => ({ callId, tool: 'terminal', args: {} })),
});
const result = (callId: string, status: 'ok' | 'unknown' = 'ok', text = 'done'): Message => ({
  role: 'tool',
  callId,
  tool: 'terminal',
  text,
  status,
});

/** A repaired conversation: units of random kind, with unique ids. */
const conversation = fc
  .array(
    fc.record({
      kind: fc.constantFrom('user', 'answer', 'calls'),
      count: fc.integer({ min: 1, max: 3 }),
      size: fc.nat(200),
      unknown: fc.boolean(),
    }),
    {
      maxLength: 25,
    },
  )
  .map((kinds) =>
    kinds.flatMap(({ kind, count, size, unknown }, index): Message[] => {
      const text = 'x'.repeat(size);
      if (kind === 'user') return [user(text)];
      if (kind === 'answer') return [answer(text)];
      const ids = Array.from({ length: count }, (_, position) => `c${String(index)}_${String(position)}`);
      return [calls(...ids), ...ids.map((id) => result(id, unknown ? 'unknown' : 'ok', text))];
    }),
  );

const anyOptions = fc
  .record({
    keepFirst: fc.nat(4),
    headBudget: fc.nat(500),
    keepLastTurns: fc.integer({ min: 1, max: 4 }),
    tailBudget: fc.nat(2000),
  })
  .map((chosen): PlanOptions => ({ ...chosen, worthTokens: 0, sizeOf }));

describe('planCompression', () => {
  it('never splits a call from its results and loses no message', () => {
    fc.assert(
      fc.property(conversation, anyOptions, (messages, chosen) => {
        const plan = planCompression(messages, chosen);
        if (plan === undefined) return;
        const units = new Set(unitsOf(messages).map((unit) => JSON.stringify(unit)));
        for (const part of [plan.head, plan.middle, plan.unsettled, plan.tail]) {
          for (const unit of unitsOf(part)) expect(units.has(JSON.stringify(unit))).toBe(true);
        }
        const kept = [...plan.head, ...plan.middle, ...plan.unsettled, ...plan.tail];
        expect(new Set(kept)).toEqual(new Set(messages));
        expect(kept.length).toBe(messages.length);
      }),
    );
  });

  it('keeps every call of unknown effect and the newest request out of the summary', () => {
    fc.assert(
      fc.property(conversation, anyOptions, (messages, chosen) => {
        const plan = planCompression(messages, chosen);
        if (plan === undefined) return;
        expect(plan.middle.some((message) => message.role === 'tool' && message.status === 'unknown')).toBe(
          false,
        );
        const newest = messages.findLast(({ role }) => role === 'user');
        if (newest !== undefined) expect(plan.middle.includes(newest)).toBe(false);
      }),
    );
  });

  it('keeps the order within each part', () => {
    fc.assert(
      fc.property(conversation, anyOptions, (messages, chosen) => {
        const plan = planCompression(messages, chosen);
        if (plan === undefined) return;
        for (const part of [plan.head, plan.middle, plan.unsettled, plan.tail]) {
          const places = part.map((message) => messages.indexOf(message));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it('summarises what lies between the first messages and the last turns', () => {
    const messages = [user('a'), answer('b'), user('c'), answer('d'), user('e'), answer('f')];
    expect(planCompression(messages, options)).toEqual({
      head: [user('a')],
      middle: [answer('b'), user('c'), answer('d')],
      unsettled: [],
      tail: [user('e'), answer('f')],
    });
  });

  it('summarises inside one long turn, keeping its request', () => {
    const big = 'x'.repeat(600);
    const messages = [
      user('hello'),
      answer('hi'),
      user('work'),
      calls('1'),
      result('1', 'ok', big),
      calls('2'),
      result('2', 'ok', big),
    ];
    const plan = planCompression(messages, options);
    expect(plan?.middle).toEqual([answer('hi'), calls('1'), result('1', 'ok', big)]);
    expect(plan?.unsettled).toEqual([user('work')]);
    expect(plan?.tail).toEqual([calls('2'), result('2', 'ok', big)]);
  });

  it('has nothing to do when everything is kept', () => {
    expect(planCompression([user('a'), answer('b')], options)).toBeUndefined();
    expect(planCompression([], options)).toBeUndefined();
  });

  it('does not summarise a summary alone', () => {
    const summary: Message = { role: 'user', text: 'x'.repeat(500), synthetic: 'summary' };
    const end = [user('b'), answer('c')];
    expect(planCompression([user('a'), summary, ...end], options)).toBeUndefined();
    expect(planCompression([user('a'), summary, answer('d'), ...end], options)?.middle).toEqual([
      summary,
      answer('d'),
    ]);
  });

  it('leaves alone what is too little to be worth it, earlier summaries not counted', () => {
    const summary: Message = { role: 'user', text: 'x'.repeat(500), synthetic: 'summary' };
    const messages = [user('a'), summary, answer('d'.repeat(99)), user('b'), answer('c')];
    expect(planCompression(messages, { ...options, worthTokens: 100 })).toBeUndefined();
    expect(planCompression(messages, { ...options, worthTokens: 99 })).toBeDefined();
  });

  it('lets go of the start where that takes too much', () => {
    const messages = [
      user('a'.repeat(50)),
      answer('b'.repeat(50)),
      user('c'),
      answer('d'),
      user('e'),
      answer('f'),
    ];
    const first = (headBudget: number) =>
      planCompression(messages, { ...options, keepFirst: 2, headBudget })?.head;
    expect(first(100)).toEqual(messages.slice(0, 2));
    expect(first(99)).toEqual(messages.slice(0, 1));
    expect(first(49)).toEqual([]);
  });

  it('never lets go of the last unit, however large', () => {
    const messages = [user('a'), answer('b'), calls('1'), result('1', 'ok', 'x'.repeat(5000))];
    const plan = planCompression(messages, { ...options, keepFirst: 0 });
    expect(plan?.tail).toEqual(messages.slice(2));
    expect(plan?.unsettled).toEqual([user('a')]);
  });
});
