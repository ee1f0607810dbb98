import { describe, expect, it } from 'vitest';
import { judgePolicy } from './policy-check.ts';

const state = { mode: 'enforce', source: 'file', problems: [], warnings: [] } as const;

describe('the check of the policy', () => {
  it('says which rules hold', () => {
    expect(judgePolicy(state, true)).toEqual({ status: 'ok', message: 'enforce; policy.json' });
    expect(judgePolicy({ ...state, mode: 'off' }, true)).toMatchObject({
      status: 'ok',
      message: 'off; only the floors hold',
    });
  });

  it('is a problem when the policy that was written is not in force', () => {
    const problems = [{ where: 'rules', message: 'must be a list' }];
    expect(judgePolicy({ ...state, problems, warnings: ['loud'] }, true)).toMatchObject({
      status: 'problem',
      message: 'enforce; policy.json cannot be used: rules: must be a list',
    });
  });

  it('warns of a mode that is none, and of floors that are lifted', () => {
    expect(judgePolicy({ ...state, warnings: ['policy_mode says "x"'] }, true)).toMatchObject({
      status: 'warn',
      message: 'enforce; policy_mode says "x"',
    });
    expect(judgePolicy(state, false)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('policy.floors is false'),
    });
  });
});
