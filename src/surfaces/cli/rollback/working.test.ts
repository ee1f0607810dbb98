import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../platform/clock/index.ts';
import { CollectingStream } from '../fake-host.ts';
import { createOutput } from '../output/output.ts';
import { working } from './working.ts';

function onTerminal(isTty: boolean) {
  const stream = new CollectingStream(isTty);
  const stderr = createOutput(stream, () => undefined);
  const clock = new FakeClock();
  return { stream, clock, context: { stderr, clock } };
}

/** What is left on the screen. */
const screenOf = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');

describe('long work', () => {
  it('is named on a terminal before it begins, even when it keeps the thread', async () => {
    const { stream, context } = onTerminal(true);
    let seen = '';
    const value = await working(context, 'verifying', async () => {
      seen = stream.text;
      return Promise.resolve(7);
    });
    expect([value, seen, screenOf(stream.text)]).toEqual([7, 'verifying …', ['']]);
  });

  it('says how long it took when that was long, also when it failed', async () => {
    const { stream, clock, context } = onTerminal(true);
    const failed = working(context, 'pruning', async () => {
      await clock.advance(3210);
      throw new Error('full');
    });
    await expect(failed).rejects.toThrow('full');
    expect(screenOf(stream.text)).toEqual(['pruning took 3.2 s', '']);
    expect(clock.pending).toBe(0);
  });

  it('writes nothing into a pipe', async () => {
    const { stream, clock, context } = onTerminal(false);
    await working(context, 'verifying', async () => clock.advance(9000));
    expect(stream.text).toBe('');
  });
});
