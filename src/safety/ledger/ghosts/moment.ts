import type { Clock } from '../../../platform/clock/index.ts';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { Moment } from './judge-row.ts';

/** What is known of the world now. */
export function momentNow(clock: Clock, isRunning: (id: number) => boolean): Moment {
  return {
    nowMs: clock.now(),
    uptimeMs: clock.monotonicMs(),
    bootId: currentProcessIdentity().bootId,
    isAlive,
    isRunning,
  };
}
