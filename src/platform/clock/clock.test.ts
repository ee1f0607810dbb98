import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortReason, type Clock, FakeClock, systemClock, within } from './index.ts';

const clocks: readonly (readonly [string, () => Clock])[] = [
  ['the system clock', () => systemClock],
  ['the fake clock', () => new FakeClock()],
];

describe.each(clocks)('%s', (_, create) => {
  it('rejects a sleep that is aborted beforehand, with the reason', async () => {
    const reason = new Error('the person pressed Ctrl-C');
    await expect(create().sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('rejects a sleep that is aborted on the way, with the reason', async () => {
    const controller = new AbortController();
    const sleep = create().sleep(60_000, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  it('does not fire a timer that was cancelled, and cancelling twice does nothing', async () => {
    const clock = create();
    const fired: string[] = [];
    const cancel = clock.startTimer(0, () => fired.push('cancelled'));
    cancel();
    cancel();
    const after = new Promise<void>((resolve) => clock.startTimer(1, resolve));
    if (clock instanceof FakeClock) await clock.advance(1);
    await after;
    expect(fired).toEqual([]);
  });

  it('refuses a delay that is no number', () => {
    expect(() => create().startTimer(Number.NaN, () => undefined)).toThrow(/NaN/);
  });
});

describe('the system clock', () => {
  it('sleeps, and its monotonic time moves on', async () => {
    const before = systemClock.monotonicMs();
    await systemClock.sleep(3);
    expect(systemClock.monotonicMs()).toBeGreaterThan(before);
    expect(systemClock.now()).toBeGreaterThan(Date.UTC(2020, 0, 1));
  });

  it.each([2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY])(
    'does not fire a delay of %d ms at once',
    async (delayMs) => {
      let isFired = false;
      const cancel = systemClock.startTimer(delayMs, () => {
        isFired = true;
      });
      await systemClock.sleep(20);
      cancel();
      expect(isFired).toBe(false);
    },
  );

  it('leaves no listener on the signal of a sleep that ended', async () => {
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => systemClock.sleep(0, signal)));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the fake clock', () => {
  it('stands still by itself', async () => {
    const clock = new FakeClock(1000);
    let isAwake = false;
    void clock.sleep(1).then(() => {
      isAwake = true;
    });
    await systemClock.sleep(5);
    expect([clock.now(), clock.monotonicMs(), isAwake, clock.pending]).toEqual([1000, 0, false, 1]);
  });

  it('fires due sleeps in the order of their time, each at its own time', async () => {
    const clock = new FakeClock(0);
    const log: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      log.push(`${name}@${clock.now()}`);
    };
    const all = [sleeper('late', 30), sleeper('early', 10), sleeper('same-a', 20), sleeper('same-b', 20)];
    await clock.advance(29);
    expect(log).toEqual(['early@10', 'same-a@20', 'same-b@20']);
    await clock.advance(1);
    await Promise.all(all);
    expect(log.at(-1)).toBe('late@30');
    expect(clock.pending).toBe(0);
  });

  it('fires what is started while it advances, when that falls due too', async () => {
    const clock = new FakeClock(0);
    const log: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        await clock.sleep(10);
        log.push(clock.monotonicMs());
      }
    };
    const looping = loop();
    await clock.advance(45);
    expect(log).toEqual([10, 20, 30, 40]);
    await clock.advance(5);
    await looping;
  });

  it('moves the wall clock alone when it is set', async () => {
    const clock = new FakeClock(5000);
    clock.setWallTime(1000);
    expect([clock.now(), clock.monotonicMs()]).toEqual([1000, 0]);
    await clock.advance(7);
    expect([clock.now(), clock.monotonicMs()]).toEqual([1007, 7]);
  });

  it('says when somebody waits', async () => {
    const clock = new FakeClock();
    const waiting = clock.whenPending(2);
    clock.startTimer(1, () => undefined);
    clock.startTimer(1, () => undefined);
    await waiting;
    await clock.whenPending(1);
    expect(clock.pending).toBe(2);
  });
});

describe('within', () => {
  it('gives the value of work that is in time, and leaves no timer', async () => {
    const clock = new FakeClock();
    const signal = new AbortController().signal;
    expect(await within(clock, 1000, signal, () => Promise.resolve('done'))).toEqual({
      inTime: true,
      value: 'done',
    });
    expect(clock.pending).toBe(0);
  });

  it('aborts and leaves behind work that is not, even when that never ends', async () => {
    const clock = new FakeClock();
    const seen: AbortSignal[] = [];
    const outcome = within(clock, 1000, new AbortController().signal, (signal) => {
      seen.push(signal);
      return new Promise<never>(() => undefined);
    });
    await clock.advance(1000);
    expect(await outcome).toEqual({ inTime: false });
    expect(seen.map((signal) => signal.aborted)).toEqual([true]);
  });

  it('has no limit when that is null', async () => {
    const clock = new FakeClock();
    const outcome = within(clock, null, new AbortController().signal, () => Promise.resolve(1));
    expect(clock.pending).toBe(0);
    expect(await outcome).toEqual({ inTime: true, value: 1 });
  });

  it('rejects with the failure of the work', async () => {
    const failure = new Error('broken');
    const outcome = within(new FakeClock(), 1000, new AbortController().signal, () =>
      Promise.reject(failure),
    );
    await expect(outcome).rejects.toBe(failure);
  });

  it('leaves nothing on the signal behind, also when the work throws at once', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const atOnce = (): never => {
      throw new Error('at once');
    };
    await expect(within(clock, 1000, signal, atOnce)).rejects.toThrow('at once');
    await within(clock, 1000, signal, () => Promise.resolve(1));
    expect([getEventListeners(signal, 'abort').length, clock.pending]).toEqual([0, 0]);
  });

  it('rejects with the reason when it is aborted, before or meanwhile', async () => {
    const reason = new Error('stop');
    const never = (): Promise<never> => new Promise(() => undefined);
    await expect(within(new FakeClock(), 10, AbortSignal.abort(reason), never)).rejects.toBe(reason);
    const controller = new AbortController();
    const outcome = within(new FakeClock(), 10, controller.signal, never);
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
  });
});

describe('abortReason', () => {
  it('is the reason itself when that is an error, and an error about it otherwise', () => {
    const reason = new TypeError('x');
    expect(abortReason(AbortSignal.abort(reason))).toBe(reason);
    expect(abortReason(AbortSignal.abort('shutting down'))).toMatchObject({ message: 'shutting down' });
  });
});
