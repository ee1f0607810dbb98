import { describe, expect, it } from 'vitest';
import { readScript } from './index.ts';

const mistakeIn = (script: unknown): string => {
  const read = readScript(typeof script === 'string' ? script : JSON.stringify(script), 'demo.json');
  if (read.ok) throw new Error('the script was accepted');
  expect(read.code).toBe('bad_script');
  return read.message;
};

describe('readScript', () => {
  it('reads a list of replies and a file with more, alike', () => {
    const steps = ['hello', { text: 'bye' }];
    const list = readScript(JSON.stringify(steps), 'x');
    const file = readScript(JSON.stringify({ steps }), 'x');
    expect(list).toEqual(file);
    expect(list.ok && list.value.steps.map(({ text, place }) => [place, text])).toEqual([
      ['steps[0]', 'hello'],
      ['steps[1]', 'bye'],
    ]);
  });

  it('reads everything a reply can say', () => {
    const read = readScript(
      JSON.stringify({
        context_window: 500,
        auxiliary: ['summary'],
        branches: [{ first_user_contains: 'child', steps: ['yes'] }],
        steps: [
          {
            text: 't',
            tool_calls: [
              { id: 'x', name: 'read_file', args: { path: 'a' } },
              { name: 'todo' },
              { name: 'bad', args: '{"a":' },
              { name: 'good', args: '{"a":1}' },
            ],
            usage: { input_tokens: 5 },
            delay_ms: 9,
            chunks: 3,
            finish_reason: 'length',
            expect: { last_user_contains: 'u', last_tool_contains: ['r'] },
          },
          { error: { code: 'rate_limited', message: 'slow', status: 429, retry_after_ms: 10 } },
        ],
      }),
      'x',
    );
    if (!read.ok) throw new Error(read.message);
    const { steps, auxiliary, branches, contextWindow } = read.value;
    expect(contextWindow).toBe(500);
    expect(auxiliary?.map(({ text }) => text)).toEqual(['summary']);
    expect(branches.map((branch) => [branch.firstUserContains, branch.steps[0]?.place])).toEqual([
      ['child', 'branches[0].steps[0]'],
    ]);
    expect(steps[0]).toEqual({
      place: 'steps[0]',
      text: 't',
      calls: [
        { id: 'x', name: 'read_file', args: { path: 'a' }, rawArgs: '{"path":"a"}' },
        { id: undefined, name: 'todo', args: {}, rawArgs: '{}' },
        { id: undefined, name: 'bad', args: null, rawArgs: '{"a":' },
        { id: undefined, name: 'good', args: { a: 1 }, rawArgs: '{"a":1}' },
      ],
      usage: { inputTokens: 5, outputTokens: 0 },
      delayMs: 9,
      chunks: 3,
      finishReason: 'length',
      error: undefined,
      expect: { lastUserContains: 'u', lastToolContains: ['r'] },
    });
    expect(steps[1]?.error).toEqual({ code: 'rate_limited', message: 'slow', status: 429, retryAfterMs: 10 });
  });

  it('says where a file is no JSON', () => {
    expect(mistakeIn('[\n  "a"\n  "b"\n]')).toMatch(/demo\.json is no JSON: .*line 3, column 3/);
    expect(mistakeIn('[\n  oops\n]')).not.toContain('\n');
    expect(mistakeIn('')).toMatch(/the text is empty/);
  });

  it.each([
    ['a text', '"hello"', /at the top: it must be an object/],
    ['no steps', {}, /at the top: it lacks "steps"/],
    ['steps that are no list', { steps: 'x' }, /at the top\.steps: it must be a list/],
    ['a number as a reply', ['a', 7], /at steps\[1\]: it must be an object/],
    ['an empty reply', [{}], /at steps\[0\]: it has neither text/],
    [
      'a misspelt key',
      [{ text: 'x', tools_calls: [] }],
      /at steps\[0\]: "tools_calls" is not known; did you mean "tool_calls"/,
    ],
    ['an unknown key', [{ text: 'x', zebra: 1 }], /"zebra" is not known; known are text, /],
    ['a key of a prototype', '[{"text":"x","__proto__":{}}]', /"__proto__" is not known/],
    ['a text that is none', [{ text: 5 }], /at steps\[0\]\.text: it must be a text/],
    [
      'a call without a name',
      [{ tool_calls: [{ args: {} }] }],
      /at steps\[0\]\.tool_calls\[0\]: it lacks "name"/,
    ],
    ['an error without a code', [{ error: { message: 'x' } }], /at steps\[0\]\.error: it lacks "code"/],
    [
      'an error of an unknown code',
      [{ error: { code: 'oops' } }],
      /at steps\[0\]\.error\.code: it must be one of unauthorized/,
    ],
    [
      'a negative wait',
      [{ text: 'x', delay_ms: -1 }],
      /at steps\[0\]\.delay_ms: it must be a whole number, at least 0/,
    ],
    [
      'no piece at all',
      [{ text: 'x', chunks: 0 }],
      /at steps\[0\]\.chunks: it must be a whole number, at least 1/,
    ],
    [
      'an expectation of a number',
      [{ text: 'x', expect: { last_tool_contains: [1] } }],
      /at steps\[0\]\.expect\.last_tool_contains\[0\]: it must be a text/,
    ],
    [
      'a branch without a text',
      { steps: [], branches: [{ steps: [] }] },
      /at branches\[0\]: it lacks "first_user_contains"/,
    ],
    [
      'a mistake in a branch',
      { steps: [], branches: [{ first_user_contains: 'x', steps: [{}] }] },
      /at branches\[0\]\.steps\[0\]/,
    ],
  ])('refuses %s and says where', (_, script, message) => {
    expect(mistakeIn(script)).toMatch(message);
  });
});
