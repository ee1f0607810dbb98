import { errnoOf } from './errno-of.ts';

/** `gone`: nobody has that number. `refused`: it exists and belongs to somebody else. */
export type SignalOutcome = 'sent' | 'gone' | 'refused';

/**
 * Sends a signal to a process, or to a process group when the target is negative. Signal 0 only asks whether it exists; a
 * zombie does exist. Never throws for a target that is gone or that we may not signal.
 */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): SignalOutcome {
  try {
    process.kill(target, signal);
    return 'sent';
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return 'gone';
    if (errnoOf(error) === 'EPERM') return 'refused';
    throw error;
  }
}
