import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { readObject } from './read-object.ts';

const claude = (output: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', ...output },
});

describe('a block', () => {
  it.each<[JsonObject, string | undefined]>([
    [{ action: 'block', message: 'M' }, 'M'],
    [{ action: 'block', message: 'M', reason: 'R' }, 'M'],
    [{ action: 'block', message: '', reason: 'R' }, 'R'],
    [{ action: 'block', reason: 'R' }, 'R'],
    [{ decision: 'block', message: 'M', reason: 'R' }, 'R'],
    [{ decision: 'block', message: 'M' }, 'M'],
    [{ action: 'block' }, undefined],
    [{ action: 'block', message: ' ' }, undefined],
    [{ action: 'block', message: 7, reason: 'R' }, undefined],
    [{ action: 'block', message: { a: 1 }, reason: 'R' }, undefined],
    [{ action: ' Block ' }, undefined],
    [{ action: 'deny', message: 'M' }, 'M'],
    [{ decision: 'deny', reason: 'R' }, 'R'],
    [{ permissionDecision: 'deny', reason: 'R' }, 'R'],
    [claude({ permissionDecision: 'deny', permissionDecisionReason: 'R' }), 'R'],
    [{ decision: 'allow', ...claude({ permissionDecision: 'deny' }) }, undefined],
    [{ action: 'modify', args: { a: 1 }, decision: 'block', reason: 'R' }, 'R'],
    [{ action: 'reject', decision: 'block', reason: 'R' }, 'R'],
    [{ continue: false, stopReason: 'S' }, 'S'],
  ])('%j', (object, message) => {
    const { block, problem } = readObject(object);
    expect([block, problem]).toEqual([{ message }, undefined]);
  });
});

describe('a question, a change, a context', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ action: 'approve', message: 'sure?', rule_key: ' k ' }, { ask: { message: 'sure?', ruleKey: 'k' } }],
    [{ action: 'approve' }, { ask: {} }],
    [{ action: 'ask', message: 'sure?' }, { ask: { message: 'sure?' } }],
    [claude({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }), { ask: { message: 'sure?' } }],
    [{ action: 'modify', args: { a: 1 } }, { args: { a: 1 } }],
    [{ decision: 'modify', tool_input: { a: 1 } }, { args: { a: 1 } }],
    [{ action: 'modify', tool_input: { a: 1 } }, { args: { a: 1 } }],
    [{ action: 'modify', args: {} }, {}],
    [claude({ permissionDecision: 'allow', updatedInput: { a: 1 } }), { args: { a: 1 } }],
    [claude({ permissionDecision: 'ask', updatedInput: { a: 1 } }), { ask: {}, args: { a: 1 } }],
    [{ context: 'C' }, { context: 'C' }],
    [{ context: ' ' }, {}],
    [claude({ additionalContext: 'C' }), { context: 'C' }],
    [{ decision: 'approve' }, {}],
    [{ action: 'allow' }, {}],
    [{ decision: 'allow', reason: 'fine' }, {}],
    [claude({ permissionDecision: 'allow' }), {}],
    [{ continue: true, suppressOutput: true, systemMessage: 'hi' }, {}],
    [{ action: null, decision: '' }, {}],
    [{}, {}],
  ])('%j', (object, reading) => {
    const { problem, ...rest } = readObject(object);
    expect(JSON.parse(JSON.stringify(rest))).toEqual(reading);
    if (Object.keys(object).join() !== 'action,decision') expect(problem).toBeUndefined();
  });
});

describe('what is not understood', () => {
  it.each<[JsonObject]>([
    [{ action: 'reject' }],
    [{ action: 'blocked' }],
    [{ decision: 'denied', reason: 'R' }],
    [{ action: 7 }],
    [{ action: { type: 'block' } }],
    [{ action: 'allow', decision: 'refuse' }],
    [{ action: 'modify' }],
    [{ action: 'modify', args: 'ls' }],
    [claude({ updatedInput: 'ls' })],
    [{ Action: 'block' }],
    [{ permission: 'deny' }],
    [{ permission_decision: 'deny' }],
    [{ allow: false }],
    [{ allowed: 'no' }],
    [{ blocked: true }],
    [{ action: 'allow', denied: 'because' }],
    [{ verdict: 'REJECTED' }],
    [{ status: 'blocked' }],
    [claude({ decision: { behavior: 'deny' } })],
    [{ hookSpecificOutput: { permissiondecision: 'deny' } }],
  ])('%j looks like a verdict', (object) => {
    const { block, ask, problem } = readObject(object);
    expect([block, ask, problem?.isVerdictLike]).toEqual([undefined, undefined, true]);
  });

  it.each<[JsonObject]>([[{ foo: 1 }], [{ message: 'hello' }], [{ allow: true }], [{ blocked: false }]])(
    '%j does not, and says nothing either',
    (object) => {
      expect(readObject(object).problem?.isVerdictLike).toBe(false);
    },
  );

  it('is cut where it is shown', () => {
    expect(readObject({ action: 'x'.repeat(500) }).problem?.text.length).toBeLessThan(150);
  });

  it('has no inherited members', () => {
    expect(readObject(Object.create({ action: 'block' }) as JsonObject)).toEqual({});
  });
});
