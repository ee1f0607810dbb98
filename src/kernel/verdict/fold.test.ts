import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldOpinions, type Opinion, type Verdict } from './index.ts';

const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant<Verdict>({ type: 'abstain' }),
  fc.record(
    { type: fc.constant('ask' as const), message: fc.string(), ruleKey: fc.constantFrom('a', 'b', 'c & a') },
    { requiredKeys: ['type', 'message'] },
  ),
  fc.record({ type: fc.constant('block' as const), message: fc.string() }),
);
const opinions: fc.Arbitrary<Opinion[]> = fc.array(fc.record({ by: fc.string({ minLength: 1 }), verdict }));
const rank = { abstain: 0, ask: 1, block: 2 } as const;

describe('foldOpinions', () => {
  it('is as strict as the strictest opinion, whatever the order', () => {
    fc.assert(
      fc.property(opinions, (given) => {
        const strictest = Math.max(0, ...given.map((opinion) => rank[opinion.verdict.type]));
        expect(rank[foldOpinions(given).type]).toBe(strictest);
        expect(rank[foldOpinions(given.toReversed()).type]).toBe(strictest);
      }),
    );
  });

  it('never becomes laxer by another opinion', () => {
    fc.assert(
      fc.property(opinions, opinions, (some, more) => {
        expect(rank[foldOpinions([...some, ...more]).type]).toBeGreaterThanOrEqual(
          rank[foldOpinions(some).type],
        );
      }),
    );
  });

  it('can fold in parts: the fold of a part stands for the part', () => {
    fc.assert(
      fc.property(opinions, opinions, (some, more) => {
        const part = foldOpinions(some);
        const standIn: Opinion[] = part.type === 'abstain' ? [] : [{ by: part.by, verdict: part }];
        expect(foldOpinions([...standIn, ...more])).toEqual(foldOpinions([...some, ...more]));
      }),
    );
  });

  it('lets the first block in order speak', () => {
    const blocked = foldOpinions([
      { by: 'a', verdict: { type: 'ask', message: 'sure?' } },
      { by: 'b', verdict: { type: 'block', message: 'no' } },
      { by: 'c', verdict: { type: 'block', message: 'never' } },
    ]);
    expect(blocked).toEqual({ type: 'block', by: 'b', message: 'no' });
  });

  it('folds a block of a guard whose name is only spaces to the same again', () => {
    const once = foldOpinions([{ by: ' ', verdict: { type: 'block', message: '' } }]);
    expect(once).toEqual({ type: 'block', by: ' ', message: 'blocked by' });
    expect(once.type === 'block' && foldOpinions([{ by: ' ', verdict: once }])).toEqual(once);
  });

  it('names the guard of a block without a message', () => {
    const blocked = foldOpinions([{ by: 'guard.sh', verdict: { type: 'block', message: '  ' } }]);
    expect(blocked).toEqual({ type: 'block', by: 'guard.sh', message: 'blocked by guard.sh' });
  });

  const asking = (by: string, message: string, ruleKey?: string): Opinion => ({
    by,
    verdict: ruleKey === undefined ? { type: 'ask', message } : { type: 'ask', message, ruleKey },
  });

  it('puts the questions of all guards, in the name of the first', () => {
    expect(foldOpinions([asking('a', 'deletes'), asking('b', ''), asking('c', 'sends')])).toEqual({
      type: 'ask',
      by: 'a',
      message: 'deletes; b asks for approval; sends',
    });
  });

  it('binds an answer to the rules of all who ask, whatever their order', () => {
    const one = asking('a', 'x', 'delete');
    const other = asking('b', 'y', 'send');
    expect(foldOpinions([one, other])).toMatchObject({ ruleKey: 'delete & send' });
    expect(foldOpinions([other, one, other])).toMatchObject({ ruleKey: 'delete & send' });
    expect(foldOpinions([one])).toMatchObject({ ruleKey: 'delete' });
  });

  it('binds an answer to no rule when somebody asks without one', () => {
    expect(foldOpinions([asking('a', 'x', 'delete'), asking('b', 'y')])).not.toHaveProperty('ruleKey');
    expect(foldOpinions([asking('b', 'y'), asking('a', 'x', 'delete')])).not.toHaveProperty('ruleKey');
  });

  it('abstains when nobody is asked', () => {
    expect(foldOpinions([])).toEqual({ type: 'abstain' });
  });
});
