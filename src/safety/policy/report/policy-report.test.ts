import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIONS, SEVERITIES } from '../rules/policy-rule.ts';
import { policyReport, type RecordedDecision } from './policy-report.ts';

const decision = (text: string, more: Partial<RecordedDecision> = {}): RecordedDecision => ({
  atMs: 1,
  tool: 'terminal',
  text,
  rule: 'delete-outside',
  severity: 'high',
  raw: 'ask',
  effective: 'allow',
  ...more,
});

describe('policyReport', () => {
  it('groups by rule and call, the severest and the most frequent first', () => {
    const report = policyReport([
      decision('rm -rf ../a'),
      decision('rm -rf ../b', { atMs: 5 }),
      decision('rm -rf ../b', { atMs: 9, raw: 'block', effective: 'block' }),
      decision('ls', { raw: 'allow' }),
      decision('cat key', { rule: 'cred-read', severity: 'critical', raw: 'block' }),
    ]);
    expect(report).toEqual({
      total: 4,
      passed: 3,
      rules: [
        {
          rule: 'cred-read',
          severity: 'critical',
          blocks: 1,
          asks: 0,
          passed: 1,
          texts: [{ tool: 'terminal', text: 'cat key', count: 1, lastMs: 1 }],
        },
        {
          rule: 'delete-outside',
          severity: 'high',
          blocks: 1,
          asks: 2,
          passed: 2,
          texts: [
            { tool: 'terminal', text: 'rm -rf ../b', count: 2, lastMs: 9 },
            { tool: 'terminal', text: 'rm -rf ../a', count: 1, lastMs: 1 },
          ],
        },
      ],
    });
  });

  it('is empty where nothing was held against a call', () => {
    expect(policyReport([decision('ls', { raw: 'allow' })])).toEqual({ total: 0, passed: 0, rules: [] });
  });

  it('loses no decision', () => {
    const some = fc.record({
      atMs: fc.nat(),
      tool: fc.constantFrom('a', 'b'),
      text: fc.constantFrom('x', 'y', 'constructor'),
      rule: fc.constantFrom('r', '__proto__'),
      severity: fc.constantFrom(...SEVERITIES),
      raw: fc.constantFrom(...DECISIONS),
      effective: fc.constantFrom(...DECISIONS),
    });
    fc.assert(
      fc.property(fc.array(some), (decisions) => {
        const { total, rules } = policyReport(decisions);
        expect(total).toBe(decisions.filter(({ raw }) => raw !== 'allow').length);
        expect(rules.reduce((sum, { blocks, asks }) => sum + blocks + asks, 0)).toBe(total);
        expect(rules.flatMap(({ texts }) => texts).reduce((sum, { count }) => sum + count, 0)).toBe(total);
      }),
    );
  });
});
