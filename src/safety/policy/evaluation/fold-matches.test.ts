import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIONS, type PolicyDecision } from '../rules/policy-rule.ts';
import { type FoldMatch, foldMatches } from './fold-matches.ts';

const decision = fc.constantFrom<PolicyDecision>(...DECISIONS);
const match: fc.Arbitrary<FoldMatch> = fc.record({ decision, isLiftable: fc.boolean(), isOwn: fc.boolean() });
const matches = fc.array(match, { maxLength: 6 });
const rank = (given: PolicyDecision): number => DECISIONS.indexOf(given);

describe('foldMatches', () => {
  it('is the same in every order', () => {
    const orders = matches.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(orders, decision, ([given, shuffled], fallback) => {
        expect(foldMatches(shuffled, fallback)).toBe(foldMatches(given, fallback));
      }),
    );
  });

  it('never lets an allow lower a block', () => {
    fc.assert(
      fc.property(matches, matches, decision, (some, more, fallback) => {
        const blocked = [...some, { decision: 'block' as const, isLiftable: true, isOwn: false }, ...more];
        expect(foldMatches(blocked, fallback)).toBe('block');
      }),
    );
  });

  it('never becomes laxer by a rule of the author that blocks or asks, where no rule allows', () => {
    const strict = match.filter((each) => each.decision !== 'allow');
    fc.assert(
      fc.property(fc.array(strict), strict, (some, one) => {
        expect(rank(foldMatches([...some, one], 'allow'))).toBeGreaterThanOrEqual(
          rank(foldMatches(some, 'allow')),
        );
      }),
    );
  });

  it('never lets an allow lower a question that cannot be lowered', () => {
    const question = { decision: 'ask' as const, isLiftable: false, isOwn: false };
    fc.assert(
      fc.property(matches, decision, (some, fallback) => {
        expect(rank(foldMatches([...some, question], fallback))).toBeGreaterThanOrEqual(rank('ask'));
      }),
    );
  });

  it.each<[string, readonly FoldMatch[], PolicyDecision, PolicyDecision]>([
    ['an allow lowers a question', [own('ask'), own('allow')], 'allow', 'allow'],
    ['an allow takes the place of a strict default', [own('allow')], 'block', 'allow'],
    ['a question takes the place of a strict default', [own('ask')], 'block', 'ask'],
    ['a built-in question does not take the place of a strict default', [builtin('ask')], 'block', 'block'],
    ['the default holds where nothing fits', [], 'ask', 'ask'],
  ])('%s', (_, given, fallback, expected) => {
    expect(foldMatches(given, fallback)).toBe(expected);
  });
});

function own(given: PolicyDecision): FoldMatch {
  return { decision: given, isLiftable: true, isOwn: true };
}

function builtin(given: PolicyDecision): FoldMatch {
  return { decision: given, isLiftable: true, isOwn: false };
}
