import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, EVENTS, type EventName } from '../../../kernel/events/index.ts';
import { type HookAnswer, readAnswer } from './read-answer.ts';
import { notStarted, type ShellRun } from './run-shell-hook.ts';

const CLEAN: ShellRun = { ...notStarted({ message: '', detail: '' }), error: null, exitCode: 0 };

function read(run: Partial<ShellRun>, { event = 'pre_tool_call', failClosed = false } = {}): HookAnswer {
  return readAnswer({ event: event as EventName, failClosed, timeoutMs: 2000 }, 'g.sh#0', {
    ...CLEAN,
    ...run,
  });
}

/** `allow`, `warn` (allow and tell), `broken` (blocked as a broken guard), or the directive itself. */
function outcome({ directive, problems, isFailedClosed }: HookAnswer): unknown {
  if (isFailedClosed) return 'broken';
  if (directive?.type === 'block') return directive.message;
  const isLoud = problems.some(({ isQuiet }) => isQuiet !== true);
  return directive ?? (isLoud ? 'warn' : 'allow');
}

const STDOUTS: Readonly<Record<string, string>> = {
  empty: '',
  object: '{}',
  allow: '{"action":"allow"}',
  claudeApprove: '{"decision":"approve"}',
  block: '{"action":"block","message":"M"}',
  decision: '{"decision":"block","reason":"M"}',
  deny: '{"decision":"deny","reason":"M"}',
  claude: '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"M"}}',
  noisyBlock: 'ready\n{"action":"block","message":"M"}\nbye',
  silentBlock: '{"action":"block"}',
  modify: '{"action":"modify","args":{"a":1}}',
  approve: '{"action":"approve","message":"A","rule_key":"k"}',
  context: '{"context":"C"}',
  noise: 'ready\n{}',
  garbage: 'not json',
  list: '[]',
  typo: '{"action":"blokc"}',
  unspoken: '{"allowed":false}',
  stranger: '{"foo":1}',
};
const MODIFY = { type: 'modify', args: { a: 1 } };
const ASK = { type: 'ask', message: 'A', ruleKey: 'k' };
const DEFAULT = 'Blocked by shell hook.';

/** Per stdout: exit 0, exit 0 fail_closed, exit 1, exit 1 fail_closed. Exit 2 follows its own rule. */
const TABLE: Readonly<Record<string, readonly [unknown, unknown, unknown, unknown]>> = {
  empty: ['allow', 'allow', 'warn', 'broken'],
  object: ['allow', 'allow', 'warn', 'broken'],
  allow: ['allow', 'allow', 'warn', 'broken'],
  claudeApprove: ['allow', 'allow', 'warn', 'broken'],
  block: ['M', 'M', 'M', 'M'],
  decision: ['M', 'M', 'M', 'M'],
  deny: ['M', 'M', 'M', 'M'],
  claude: ['M', 'M', 'M', 'M'],
  noisyBlock: ['M', 'M', 'M', 'M'],
  silentBlock: [DEFAULT, DEFAULT, DEFAULT, DEFAULT],
  modify: [MODIFY, MODIFY, MODIFY, 'broken'],
  approve: [ASK, ASK, ASK, 'broken'],
  context: ['allow', 'allow', 'warn', 'broken'],
  noise: ['allow', 'allow', 'warn', 'broken'],
  garbage: ['warn', 'broken', 'warn', 'broken'],
  list: ['warn', 'broken', 'warn', 'broken'],
  typo: ['warn', 'broken', 'warn', 'broken'],
  unspoken: ['warn', 'broken', 'warn', 'broken'],
  stranger: ['allow', 'broken', 'warn', 'broken'],
};
const SAYS_BLOCK = new Set(['block', 'decision', 'deny', 'claude', 'noisyBlock']);

describe('pre_tool_call', () => {
  it('has a row for every output', () => {
    expect(Object.keys(TABLE)).toEqual(Object.keys(STDOUTS));
  });

  it.each(Object.entries(TABLE))('%s, by exit code and fail_closed', (name, row) => {
    const stdout = STDOUTS[name] ?? '';
    expect([
      outcome(read({ stdout })),
      outcome(read({ stdout }, { failClosed: true })),
      outcome(read({ stdout, exitCode: 1, stderr: 'trace' })),
      outcome(read({ stdout, exitCode: 1, stderr: 'trace' }, { failClosed: true })),
    ]).toEqual(row);
  });

  it.each(Object.keys(TABLE))('%s with exit code 2 blocks, fail_closed or not', (name) => {
    const stdout = STDOUTS[name] ?? '';
    for (const failClosed of [false, true]) {
      const withError = read({ stdout, exitCode: 2, stderr: '  E\n' }, { failClosed });
      expect([outcome(withError), withError.problems]).toEqual([SAYS_BLOCK.has(name) ? 'M' : 'E', []]);
      const silent = read({ stdout, exitCode: 2 }, { failClosed });
      expect(outcome(silent)).toBe(SAYS_BLOCK.has(name) ? 'M' : DEFAULT);
    }
  });

  it.each<[string, Partial<ShellRun>, string]>([
    [
      'cannot start',
      { ...notStarted({ message: 'its command was not found', detail: '/x' }) },
      'was not found',
    ],
    ['time-out', { exitCode: null, signal: 'SIGTERM', timedOut: true }, 'timed out after 2s'],
    ['time-out, ended by itself', { exitCode: 0, timedOut: true }, 'timed out after 2s'],
    ['signal', { exitCode: null, signal: 'SIGKILL' }, 'was ended by SIGKILL'],
    ['no end at all', { exitCode: null }, 'could not be ended'],
    ['exit code 1', { exitCode: 1 }, 'exited with code 1'],
    ['exit code 127', { exitCode: 127 }, 'exited with code 127'],
    ['too much output', { overflow: 'stdout', stdout: 'x' }, 'printed more than 1048576 bytes'],
    ['too much on stderr', { overflow: 'stderr' }, 'to its standard error'],
  ])('%s warns, and blocks under fail_closed as a broken guard', (_, run, words) => {
    expect(outcome(read(run))).toBe('warn');
    const closed = read(run, { failClosed: true });
    const message = closed.directive?.type === 'block' ? closed.directive.message : '';
    expect([closed.isFailedClosed, closed.directive?.type]).toEqual([true, 'block']);
    for (const part of ['hook g.sh#0 failed closed', words, 'broken guard, not a policy decision'])
      expect(message).toContain(part);
  });

  it.each<[string, Partial<ShellRun>]>([
    ['time-out', { exitCode: null, signal: 'SIGTERM', timedOut: true }],
    ['overflow', { overflow: 'stdout' }],
    ['signal', { exitCode: null, signal: 'SIGKILL' }],
  ])('a block that was printed before the %s blocks', (_, run) => {
    for (const failClosed of [false, true])
      expect(
        outcome(read({ ...run, stdout: '{"decision":"deny","reason":"M"}\ntail' }, { failClosed })),
      ).toBe('M');
  });

  it.each<[string, Partial<ShellRun>]>([
    ['time-out', { timedOut: true }],
    ['overflow', { overflow: 'stdout' }],
  ])('after a %s a question counts, other arguments do not', (_, run) => {
    expect(outcome(read({ ...run, stdout: STDOUTS['approve'] ?? '' }))).toEqual(ASK);
    expect(outcome(read({ ...run, stdout: STDOUTS['modify'] ?? '' }))).toBe('warn');
  });

  it('cuts a long stderr to 400 characters, none of them in half', () => {
    expect(outcome(read({ exitCode: 2, stderr: '😀'.repeat(5000) }))).toBe('😀'.repeat(400));
  });

  it('keeps stderr from the message of a broken guard, and shows it to the person', () => {
    const { directive, problems } = read({ exitCode: 1, stderr: 's3cret' }, { failClosed: true });
    expect(JSON.stringify(directive)).not.toContain('s3cret');
    expect(problems[0]?.detail).toBe('s3cret');
  });

  it('merges several rewrites in order, and takes the strictest of several answers', () => {
    const a = '{"action":"modify","args":{"a":1,"b":1}}';
    const b = '{"action":"modify","args":{"b":2}}';
    expect(outcome(read({ stdout: `${a}\n${b}` }))).toEqual({ type: 'modify', args: { a: 1, b: 2 } });
    const asks = `${STDOUTS['approve'] ?? ''}\n${a}`;
    expect(outcome(read({ stdout: asks }))).toEqual({ ...ASK, args: { a: 1, b: 1 } });
    expect(outcome(read({ stdout: `${asks}\n{"action":"block","message":"M"}` }))).toBe('M');
  });

  it('binds the answer to two questions at once to no rule of one', () => {
    const two = '{"action":"approve","message":"A","rule_key":"a"}{"action":"ask","message":"B"}';
    expect(outcome(read({ stdout: two }))).toEqual({ type: 'ask', message: 'A; B' });
  });

  it('reports text around the answer', () => {
    expect(read({ stdout: STDOUTS['noise'] ?? '' }).hasStrayText).toBe(true);
    expect(read({ stdout: '{}' }).hasStrayText).toBe(false);
  });

  it.each([
    ['{"action":"block"}\n{"continue":true}', true],
    ['{"continue":true}{"action":"block"}', true],
    ['{"action":"block"}\nready', false],
    ['', false],
  ])('reports other objects beside the answer: %s', (stdout, hasStrayObjects) => {
    expect(read({ stdout }).hasStrayObjects).toBe(hasStrayObjects);
  });
});

describe('pre_verify', () => {
  it.each<[string, unknown]>([
    ['{"action":"continue","message":"run tests"}', { type: 'continue', message: 'run tests' }],
    ['{"action":" Continue ","reason":" run tests "}', { type: 'continue', message: 'run tests' }],
    ['{"decision":"block","reason":"run tests"}', { type: 'continue', message: 'run tests' }],
    ['log\n{"decision":"block","reason":"run tests"}', { type: 'continue', message: 'run tests' }],
    ['{"action":"continue"}', 'warn'],
    ['{"decision":"block","reason":" "}', 'warn'],
    ['{"decision":"approve"}', 'allow'],
    ['{"continue":true}', 'allow'],
    ['{}', 'allow'],
    ['', 'allow'],
    ['done', 'warn'],
  ])('%s', (stdout, expected) => {
    expect(outcome(read({ stdout }, { event: 'pre_verify', failClosed: true }))).toEqual(expected);
    const failed = outcome(read({ stdout, exitCode: 2 }, { event: 'pre_verify', failClosed: true }));
    expect(failed).toEqual(typeof expected === 'string' ? 'warn' : expected);
  });

  it('does not go on after a time-out', () => {
    const stdout = '{"action":"continue","message":"run tests"}';
    expect(outcome(read({ stdout, timedOut: true }, { event: 'pre_verify' }))).toBe('warn');
  });
});

describe('pre_llm_call', () => {
  it.each<[string, unknown]>([
    ['{"context":"C"}', { type: 'context', text: 'C' }],
    ['{"hookSpecificOutput":{"additionalContext":"C"}}', { type: 'context', text: 'C' }],
    ['{"context":"C"}\n{"context":"D"}', { type: 'context', text: 'C\n\nD' }],
    ['{"context":" "}', 'allow'],
    ['{"context":7}', 'allow'],
    ['plain text', 'warn'],
  ])('%s', (stdout, expected) => {
    expect(outcome(read({ stdout }, { event: 'pre_llm_call' }))).toEqual(expected);
  });
});

describe('an event that cannot honour a directive', () => {
  const WANTS = {
    block: STDOUTS['block'] ?? '',
    ask: STDOUTS['approve'] ?? '',
    modify: STDOUTS['modify'] ?? '',
    context: STDOUTS['context'] ?? '',
  };
  const honours = (event: EventName, want: string): boolean =>
    want === 'context' ? EVENTS[event].mode === 'inject' : event === 'pre_tool_call';

  it.each(EVENT_NAMES)('%s says so', (event) => {
    for (const [want, stdout] of Object.entries(WANTS)) {
      const isVerify = event === 'pre_verify' && want === 'block';
      const { ignoredDirective, directive } = read({ stdout }, { event });
      const expected = honours(event, want) || isVerify ? undefined : want;
      expect([want, ignoredDirective]).toEqual([want, expected]);
      expect(directive === undefined).toBe(expected !== undefined);
    }
  });

  it.each(EVENT_NAMES.filter((event) => event !== 'pre_tool_call'))(
    '%s is not closed by fail_closed, nor blocked by exit code 2',
    (event) => {
      for (const stdout of ['', '{}', 'garbage', '{"action":"block","message":"M"}']) {
        const { directive, isFailedClosed, problems } = read(
          { stdout, exitCode: 2 },
          { event, failClosed: true },
        );
        expect([isFailedClosed, directive?.type === 'block', problems[0]?.text]).toEqual([
          false,
          false,
          'exited with code 2',
        ]);
      }
    },
  );

  it.each(EVENT_NAMES)('%s warns of output that is no JSON where an answer counts', (event) => {
    const { mode } = EVENTS[event];
    expect(outcome(read({ stdout: '1 file formatted' }, { event }))).toBe(
      mode === 'observe' || mode === 'transform' ? 'allow' : 'warn',
    );
  });
});
