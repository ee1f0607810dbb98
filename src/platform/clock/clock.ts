/** Stops a timer that has not fired; afterwards it does nothing. */
export type CancelTimer = () => void;

/** The time, as everything in Herma sees it. Milliseconds throughout. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. May jump in either direction when the machine's clock is set. */
  now(): number;
  /**
   * Milliseconds since some fixed moment of this boot of the machine, the same for all its processes. Never goes back: use it to
   * measure.
   */
  monotonicMs(): number;
  /**
   * Resolves after `delayMs` (at the next opportunity when that is zero or less, never when it is `Infinity`).
   * Rejects with the reason of `signal` as soon as that is aborted, and then leaves no timer behind.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `callback` once after `delayMs`, unless cancelled before. A `background` timer does not keep the process
   * alive.
   */
  startTimer(delayMs: number, callback: () => void, options?: { readonly background?: boolean }): CancelTimer;
}
