import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../output/output.ts';
import { createConsentPrompt } from './consent-prompt.ts';

const question = {
  event: 'pre_tool_call',
  command: '/h/a\u001b.sh',
  scriptText: 'a\u0007\u200b\r\n\tb\n',
  warnings: ['w'],
};

interface Asked {
  readonly stdin: PassThrough;
  readonly shown: () => string;
  readonly interrupt: () => void;
  readonly answer: Promise<boolean>;
}

function ask(signal = new AbortController().signal): Asked {
  const stdin = new PassThrough();
  const stream = new PassThrough();
  const handlers: (() => void)[] = [];
  const prompt = createConsentPrompt({
    isInteractive: true,
    stdin,
    stderr: createOutput(stream, () => undefined),
    signal,
    onInterrupt: (handler) => {
      handlers.push(handler);
      return () => void handlers.splice(handlers.indexOf(handler), 1);
    },
  });
  if (prompt === undefined) throw new Error('there is no prompt');
  const interrupt = (): void => handlers.at(-1)?.();
  return { stdin, shown: () => String(stream.read()), interrupt, answer: prompt(question) };
}

describe('the question about a new hook', () => {
  it.each([
    ['y', true],
    [' YES ', true],
    ['', false],
    ['n', false],
    ['yep', false],
  ])('answered with %j is %j', async (typed, expected) => {
    const { stdin, answer } = ask();
    stdin.write(`${typed}\n`);
    expect(await answer).toBe(expected);
  });

  it('is a no at the end of the input', async () => {
    const { stdin, answer } = ask();
    stdin.end();
    expect(await answer).toBe(false);
  });

  it('is a no at Ctrl-C, which does not end the program', async () => {
    const { interrupt, answer } = ask();
    interrupt();
    expect(await answer).toBe(false);
  });

  it('is given up with the command', async () => {
    const controller = new AbortController();
    const { answer } = ask(controller.signal);
    controller.abort(new Error('stop'));
    await expect(answer).rejects.toThrow();
  });

  it('shows everything, and nothing that steers a terminal', async () => {
    const { stdin, shown, answer } = ask();
    stdin.end();
    await answer;
    expect(shown()).toBe(
      [
        'A shell hook wants to run for the first time.',
        '  event    pre_tool_call',
        '  command  /h/a\\x1b.sh',
        '',
        '  │ a\\x07\\u{200b}\\x0d',
        '  │ \tb',
        '',
        '⚠ w',
        '⚠ What it reads may hold credentials: prompts, arguments of calls and what they print.',
        'Approve it? [y/N] ',
      ].join('\n'),
    );
  });

  it('is not there when nobody can be asked', () => {
    const parts = { stdin: new PassThrough(), stderr: createOutput(new PassThrough(), () => undefined) };
    const signal = new AbortController().signal;
    expect(
      createConsentPrompt({ ...parts, signal, isInteractive: false, onInterrupt: () => () => undefined }),
    ).toBeUndefined();
  });
});
