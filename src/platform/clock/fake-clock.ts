import type { CancelTimer, Clock } from './clock.ts';
import { sleepWith } from './sleep-with.ts';

interface PendingTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
}

/** A clock that stands still until a test moves it. For tests only. */
export class FakeClock implements Clock {
  #wallMs: number;
  #elapsedMs = 0;
  #timers: readonly PendingTimer[] = [];
  #waiters: readonly Waiter[] = [];

  /** @param startMs what {@link now} says at first. */
  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#wallMs = startMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepWith((ms, callback) => this.startTimer(ms, callback), delayMs, signal);
  }

  startTimer(delayMs: number, callback: () => void): CancelTimer {
    if (Number.isNaN(delayMs)) throw new RangeError('a delay must be a number of milliseconds, not NaN');
    const timer: PendingTimer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), callback };
    this.#timers = [...this.#timers, timer];
    this.#wake();
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers and sleeps have not fired. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Resolves once at least `count` timers or sleeps are pending. */
  whenPending(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters = [...this.#waiters, { count, resolve }];
      this.#wake();
    });
  }

  /**
   * Moves both clocks on by `byMs` and fires what falls due, earliest first (equal ones in the order they were
   * started), each at its own time and with its consequences, new timers included, before the next one.
   */
  async advance(byMs: number): Promise<void> {
    const targetMs = this.#elapsedMs + byMs;
    await settle();
    for (let next = this.#nextDue(targetMs); next !== undefined; next = this.#nextDue(targetMs)) {
      const fired = next;
      this.#timers = this.#timers.filter((other) => other !== fired);
      this.#moveTo(Math.max(this.#elapsedMs, fired.dueMs));
      fired.callback();
      await settle();
    }
    this.#moveTo(targetMs);
  }

  /** Sets the wall clock as a person or a time server would: {@link monotonicMs} and pending timers do not notice. */
  setWallTime(nowMs: number): void {
    this.#wallMs = nowMs;
  }

  #nextDue(targetMs: number): PendingTimer | undefined {
    return this.#timers
      .filter((timer) => timer.dueMs <= targetMs)
      .reduce<PendingTimer | undefined>(
        (first, timer) => (first === undefined || timer.dueMs < first.dueMs ? timer : first),
        undefined,
      );
  }

  #moveTo(elapsedMs: number): void {
    this.#wallMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }

  #wake(): void {
    const ready = this.#waiters.filter(({ count }) => this.#timers.length >= count);
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}

/** Lets everything that is ready run: all microtasks, and what they start. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
