import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { answerIn, approvalText, questionText } from './question-text.ts';
import { readScope } from './read-scope.ts';
import { createTheme } from './theme.ts';

const plain = createTheme(false);

function request(args: JsonObject): ApprovalRequest {
  const call: ApprovalRequest['call'] = {
    callId: 'c',
    sessionId: 's',
    rootSessionId: 's',
    turnId: 't',
    ordinal: 0,
    tool: 'terminal',
    args,
    effect: 'execute',
    paths: [],
    fingerprint: 'f',
    cwd: '/work\u001b[2J',
    origin: { kind: 'herma', surface: 'cli' },
  };
  return { call, by: 'rule', message: 'rule asks\u0007' };
}

describe('what a person is asked to approve', () => {
  it('is shown whole, with every argument and without what steers the terminal', () => {
    const command = `first \u001b[8mhidden\n${'x'.repeat(3000)}\nlast`;
    const shown = approvalText(request({ command, timeout: 5, env: { A: '\u202e' }, n: null }), plain);
    expect(shown).toBe(
      [
        'rule asks\\u{7}',
        'terminal  in /work\\u{1b}[2J',
        '  command:',
        '    first \\u{1b}[8mhidden',
        `    ${'x'.repeat(3000)}`,
        '    last',
        '  timeout: 5',
        '  env: {"A":"\\u{202e}"}',
        '  n: null',
        'The arguments above have 7 lines and 3097 characters: read them from the start.',
      ].join('\n'),
    );
  });
});

describe('a long approval', () => {
  it('says how much there is where the beginning may have scrolled away', () => {
    const long = approvalText(request({ command: `rm -rf ~${'\n# harmless'.repeat(40)}` }), plain);
    expect(long.split('\n').at(-1)).toMatch(/^The arguments above have 42 lines and \d+ characters/);
    expect(approvalText(request({ command: 'ls' }), plain)).not.toContain('The arguments above');
  });
});

describe('a question', () => {
  it('numbers its suggestions', () => {
    expect(questionText('Which\u001b?', ['red\u0007', 'two\nlines'], plain)).toBe(
      'Which\\u{1b}?\n  1. red\\u{7}\n  2. two⏎lines',
    );
  });

  it.each([
    ['1', 'red'],
    [' 2 ', 'blue'],
    ['3', '3'],
    ['0', '0'],
    ['-1', '-1'],
    ['1e0', '1e0'],
    ['green', 'green'],
    ['', undefined],
    ['  ', undefined],
  ])('answered by %j means %j', (typed, answer) => {
    expect(answerIn(typed, ['red', 'blue'])).toBe(answer);
  });
});

describe('the answer to an approval', () => {
  it.each([
    ['o', 'once'],
    ['Y', 'once'],
    [' yes ', 'once'],
    ['s', 'session'],
    ['always', 'always'],
    ['', 'deny'],
    ['no', 'deny'],
    ['d', 'deny'],
    ['maybe', undefined],
    ['oh no', undefined],
    ['constructor', undefined],
  ])('%j means %j', (typed, scope) => {
    expect(readScope(typed)).toBe(scope);
  });
});
