import type { Analysis } from './analysis.ts';

const MAX_STEPS = 3000;
/** Beside them, for commands that may be a disaster: so many for each, and for all of them. */
const STEPS_EACH = 30;
const MAX_RESERVE = 1000;

/**
 * Takes note of some work, in steps of about the same time. False when there was too much of it: then the command counts as not
 * judged, and nothing more should be done.
 */
export function spend({ counters, report }: Analysis, steps = 1): boolean {
  counters.steps += steps;
  if (counters.steps <= counters.limit) return true;
  counters.steps = counters.limit;
  report.problem ??= 'too_long';
  return false;
}

/** Whether nothing more is followed, but what the reserve is for. */
export function isSpent({ counters }: Analysis): boolean {
  return counters.steps >= counters.limit;
}

export function isReserveSpent({ counters }: Analysis): boolean {
  return counters.limit + STEPS_EACH > MAX_STEPS + MAX_RESERVE;
}

export const FIRST_LIMIT = MAX_STEPS;

/** When all is spent: some more steps, for one command. */
export function spendReserve(analysis: Analysis): boolean {
  if (isReserveSpent(analysis)) return false;
  const { counters } = analysis;
  counters.limit = counters.steps + STEPS_EACH;
  return true;
}
