import type { Clock } from '../../../platform/clock/index.ts';
import {
  currentProcessIdentity,
  isAlive,
  type Liveness,
  type ProcessIdentity,
} from '../../../platform/process/index.ts';
import type { Moment } from './judge-row.ts';

/** What is known of the world now. Each process is looked at once: thousands of rows may have the same owner. */
export function momentNow(clock: Clock, isRunning: (id: number) => boolean): Moment {
  const seen = new Map<string, Liveness>();
  return {
    nowMs: clock.now(),
    uptimeMs: clock.monotonicMs(),
    bootId: currentProcessIdentity().bootId,
    isAlive: (owner) => {
      const name = nameOf(owner);
      const known = seen.get(name) ?? isAlive(owner);
      seen.set(name, known);
      return known;
    },
    isRunning,
  };
}

function nameOf({ pid, startTime, bootId, pidNamespace }: ProcessIdentity): string {
  return JSON.stringify([pid, startTime, bootId, pidNamespace]);
}
