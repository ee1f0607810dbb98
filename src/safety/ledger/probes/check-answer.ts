import { createLimitedRunner } from '../../../platform/run-limited/index.ts';
import type { ProbeResult } from '../model/probe.ts';

/** How long a pattern may take on one answer, in milliseconds. */
const PATTERN_LIMIT_MS = 200;
const PATTERN = /^\/(.+)\/([imsu]*)$/s;

/**
 * Judges what a tool that reads has answered. `expect`: a text that is in the answer when the call has had its effect, or a regular
 * expression between slashes (`/job \d+/i`).
 */
export function checkAnswer(answer: string, expect: string, tool: string): ProbeResult {
  if (expect === '') return { verdict: 'UNKNOWN', evidence: `the probe by ${tool} expects nothing` };
  const [, source, flags] = PATTERN.exec(expect) ?? [];
  const found = source === undefined ? answer.includes(expect) : matches(answer, source, flags ?? '');
  if (found === undefined)
    return {
      verdict: 'UNKNOWN',
      evidence: `what the probe by ${tool} expects is no pattern that can be used`,
    };
  return found
    ? { verdict: 'LANDED', evidence: `the answer of ${tool} holds what was expected` }
    : { verdict: 'NOT_LANDED', evidence: `the answer of ${tool} does not hold what was expected` };
}

/** Undefined for a pattern that is none, or takes too long. */
function matches(answer: string, source: string, flags: string): boolean | undefined {
  try {
    const pattern = new RegExp(source, flags);
    const outcome = createLimitedRunner()(PATTERN_LIMIT_MS, () => pattern.test(answer));
    return outcome.inTime ? outcome.value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
