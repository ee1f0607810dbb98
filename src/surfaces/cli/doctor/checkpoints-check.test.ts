import { describe, expect, it } from 'vitest';
import { statusOf } from '../rollback/fake-checkpoints.ts';
import { judge } from './checkpoints-check.ts';

const project = {
  h16: 'a'.repeat(16),
  workdir: '/work/a',
  snapshots: 1,
  lastTouch: 1,
  state: 'live',
} as const;

describe('the check of the checkpoints', () => {
  it('is fine when nothing is wrong', () => {
    expect(judge(statusOf({ projects: [project] }), 'on')).toEqual({
      status: 'ok',
      message: 'on; 142 MB for 1 project',
    });
  });

  it('is a problem when something is damaged', () => {
    expect(judge(statusOf({ problems: ['record 3 is damaged'], isOverCap: true }), 'off')).toEqual({
      status: 'problem',
      message: 'record 3 is damaged',
      remedy: '`herma checkpoints repair` mends what can be mended',
    });
  });

  it('warns of a store over the cap, and of a project that is captured in part', () => {
    expect(judge(statusOf({ isOverCap: true }), 'on')).toMatchObject({
      status: 'warn',
      message: 'on; 142 MB for 0 projects, over the cap',
    });
    const projects = [{ ...project, notice: 'too many files' }];
    expect(judge(statusOf({ projects }), 'on')).toMatchObject({
      status: 'warn',
      message: 'on; 142 MB for 1 project; /work/a: too many files',
    });
  });
});
