import { describe, expect, it } from 'vitest';
import type { Effect, ToolCall } from '../../kernel/tool-call/index.ts';
import type { EndedCall } from '../observers.ts';
import { outcomeOf } from './outcome-of.ts';

function callOf(effect: Effect, more: Partial<ToolCall> = {}): ToolCall {
  return {
    callId: 'c1',
    sessionId: 's1',
    rootSessionId: 's1',
    turnId: 't1',
    ordinal: 0,
    tool: 'tool',
    args: {},
    cwd: '/p',
    effect,
    paths: [],
    origin: { kind: 'herma', surface: 'test' },
    fingerprint: 'f',
    ...more,
  };
}

function effectOf(effect: Effect, ended: Partial<EndedCall>, more: Partial<ToolCall> = {}): string {
  const call = callOf(effect, more);
  return outcomeOf({ call, status: 'ok', result: 'done', durationMs: 1, ...ended }).effect;
}

describe('what is known of the effect of a call that ended', () => {
  it.each([
    ['write', 'ok', undefined, 'applied'],
    ['write', 'error', 'not_found', 'not_applied'],
    ['write', 'error', 'InternalError', 'unknown'],
    ['write', 'cancelled', undefined, 'unknown'],
    ['execute', 'ok', undefined, 'applied'],
    ['execute', 'error', 'exit_code', 'applied'],
    ['execute', 'error', 'timeout', 'unknown'],
    ['execute', 'error', 'spawn_failed', 'not_applied'],
    ['execute', 'cancelled', undefined, 'unknown'],
    ['external', 'ok', undefined, 'applied'],
    ['external', 'error', 'mcp_error', 'unknown'],
    ['external', 'error', 'bad_arguments', 'not_applied'],
    ['external', 'error', 'unknown_tool', 'not_applied'],
    ['external', 'error', 'protected', 'not_applied'],
    ['external', 'error', 'aborted', 'unknown'],
    ['external', 'error', 'interrupted', 'unknown'],
    ['external', 'blocked', undefined, 'not_applied'],
    ['none', 'ok', undefined, 'none'],
    ['none', 'cancelled', undefined, 'none'],
    ['none', 'error', 'timeout', 'none'],
  ] as const)('of a tool that may %s, ended as %s (%s): %s', (effect, status, errorType, known) => {
    expect(effectOf(effect, { status, ...(errorType === undefined ? {} : { errorType }) })).toBe(known);
  });

  it.each(['', ' \n', '""', 'null', '{}', '[]'])(
    'an answer of %j says nothing, of a foreign tool',
    (result) => {
      expect(effectOf('external', { result })).toBe('unknown');
      expect(effectOf('execute', { result })).toBe('applied');
      expect(effectOf('write', { result })).toBe('applied');
    },
  );

  it('what a tool did through the gate is in rows of its own; only when it broke off nobody knows', () => {
    const more = { actsThroughGate: true } as const;
    expect(effectOf('external', { status: 'error', errorType: 'iteration_limit' }, more)).toBe('applied');
    expect(effectOf('external', { result: '' }, more)).toBe('applied');
    expect(effectOf('external', { status: 'cancelled' }, more)).toBe('unknown');
  });
});

describe('how it ended', () => {
  it('is passed on; a block of another agent is an error of that name', () => {
    const ended = { call: callOf('write'), result: 'no', durationMs: 7 };
    expect(outcomeOf({ ...ended, status: 'error', errorType: 'x' })).toEqual({
      status: 'error',
      errorType: 'x',
      result: 'no',
      durationMs: 7,
      effect: 'not_applied',
    });
    expect(outcomeOf({ ...ended, status: 'blocked' })).toMatchObject({
      status: 'error',
      errorType: 'blocked',
      effect: 'not_applied',
    });
    expect(outcomeOf({ ...ended, status: 'cancelled' }).status).toBe('cancelled');
  });
});
