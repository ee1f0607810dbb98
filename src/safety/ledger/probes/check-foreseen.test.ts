import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ForeseenFile } from '../model/foreseen.ts';
import type { ProbeVerdict } from '../model/probe.ts';
import { CHECK_STATES, type CheckState, verdictOf } from './check.ts';
import { checkForeseen } from './check-foreseen.ts';
import { contentFact } from './file-facts.ts';
import { rowOf } from './probe-bench.ts';

/** What stands at a path: nothing, a folder, or a file of that content. */
type State = 'absent' | 'folder' | 'A' | 'B' | 'C';
const STATES: readonly State[] = ['absent', 'folder', 'A', 'B', 'C'];

interface Case {
  readonly before: State;
  readonly after: State;
  readonly now: State;
}

function factFor(state: State): NonNullable<ForeseenFile['after']> {
  return state === 'absent' || state === 'folder' ? { type: state } : contentFact(state);
}

function put(path: string, state: State): void {
  if (state === 'folder') mkdirSync(path);
  else if (state !== 'absent') writeFileSync(path, state);
}

function expectedVerdict(cases: readonly Case[]): ProbeVerdict {
  if (cases.some(({ before, after, now }) => now !== before && now !== after)) return 'UNKNOWN';
  const landed = cases.filter(({ after, now }) => now === after).length;
  if (landed === cases.length) return 'LANDED';
  return landed === 0 ? 'NOT_LANDED' : 'PARTIAL';
}

describe('the verdict on files', () => {
  it('follows from what stood there, what was to stand there and what stands there, for all of them', async () => {
    const state = fc.constantFrom(...STATES);
    const cases = fc.array(fc.record({ before: state, after: state, now: state }), {
      minLength: 1,
      maxLength: 4,
    });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const folder = mkdtempSync(join(tmpdir(), 'verdicts-'));
        try {
          const files = given.map(({ before, after, now }, index) => {
            const path = join(folder, String(index));
            put(path, now);
            return { path, before: factFor(before), after: factFor(after) };
          });
          const row = rowOf({ cwd: folder, foreseen: { files } });
          const found = await checkForeseen(row, new AbortController().signal);
          expect(found?.verdict).toBe(expectedVerdict(given));
          seen.add(found?.verdict ?? '');
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      {
        numRuns: 200,
        examples: [[[{ before: 'A', after: 'B', now: 'A' }]], [[{ before: 'A', after: 'B', now: 'B' }]]],
      },
    );
    expect(seen.size).toBeGreaterThanOrEqual(3);
  });
});

describe('what several looks say together', () => {
  it('is LANDED or NOT_LANDED only when every one of them says so', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...CHECK_STATES), { minLength: 1 }), (states) => {
        const { verdict, evidence } = verdictOf(states.map((state) => ({ state, what: 'x' })));
        const all = (state: CheckState): boolean => states.every((each) => each === state);
        expect(verdict === 'LANDED').toBe(all('done'));
        expect(verdict === 'NOT_LANDED').toBe(all('not_done'));
        expect(evidence).not.toBe('');
      }),
    );
  });

  it.each([
    [['done', 'not_done'], 'PARTIAL'],
    [['done', 'unknown'], 'PARTIAL'],
    [['changed'], 'PARTIAL'],
    [['changed', 'not_done', 'unknown'], 'PARTIAL'],
    [['done', 'other'], 'UNKNOWN'],
    [['not_done', 'unknown'], 'UNKNOWN'],
    [['unknown'], 'UNKNOWN'],
  ] as const)('%j is %s', (states, verdict) => {
    expect(verdictOf(states.map((state) => ({ state, what: 'x' }))).verdict).toBe(verdict);
  });

  it('names three things of a kind and counts the others', () => {
    const checks = ['a', 'b', 'c', 'd', 'e'].map((what) => ({ state: 'done', what }) as const);
    expect(verdictOf(checks).evidence).toBe('as it was to become: a, b, c and 2 more');
  });
});
