import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../output/output.ts';
import { confirm } from './confirm.ts';

interface Asked {
  readonly stdin: PassThrough;
  readonly shown: () => string;
  readonly answer: ReturnType<typeof confirm>;
}

function ask({ yes = false, isInteractive = true, signal = new AbortController().signal } = {}): Asked {
  const stdin = new PassThrough();
  const stream = new PassThrough();
  const stderr = createOutput(stream, () => undefined);
  const answer = confirm({ yes, isInteractive, stdin, stderr, signal }, 'Remove all?');
  return { stdin, answer, shown: () => String(stream.read() ?? '') };
}

describe('a confirmation', () => {
  it.each([
    ['y', true],
    ['YES', true],
    [' y ', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
    ['\u0000', false],
  ])('answered with %j is %j', async (typed, agreed) => {
    const { stdin, answer, shown } = ask();
    stdin.write(`${typed}\n`);
    expect(await answer).toEqual({ ok: true, value: agreed });
    expect(shown()).toBe('Remove all? [y/N] ');
  });

  it('is a no when the input ends', async () => {
    const { stdin, answer } = ask();
    stdin.end();
    expect(await answer).toEqual({ ok: true, value: false });
  });

  it('is not asked for with --yes', async () => {
    const { answer, shown } = ask({ yes: true, isInteractive: false });
    expect([await answer, shown()]).toEqual([{ ok: true, value: true }, '']);
  });

  it('is refused, with what to do, when nobody is there', async () => {
    const { answer, shown } = ask({ isInteractive: false });
    expect(await answer).toEqual({
      ok: false,
      code: 'not_confirmed',
      message: 'Nobody is here to answer: Remove all?',
      remedy: 'Add -y to answer with yes.',
    });
    expect(shown()).toBe('');
  });

  it('ends with the command', async () => {
    const controller = new AbortController();
    const { answer } = ask({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow();
  });
});
