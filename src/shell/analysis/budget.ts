import type { Analysis } from './analysis.ts';

const MAX_STEPS = 4000;

/**
 * Takes note of some work, in steps of about the same time. False when there was too much of it: then the command counts as not
 * judged, and nothing more should be done.
 */
export function spend({ counters, report }: Analysis, steps = 1): boolean {
  counters.steps += steps;
  if (counters.steps <= MAX_STEPS) return true;
  report.problem ??= 'too_long';
  return false;
}
