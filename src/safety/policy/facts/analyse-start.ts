import type { CommandFinding, CommandPlace } from '../../../shell/index.ts';
import type { CommandAnalyser } from './policy-call.ts';

/** Looked at: the beginning of what is long, and so many beginnings of it. */
const MAX_LENGTH = 8192;
const MAX_ATTEMPTS = 6;

/**
 * The dangers in the beginning of a command that cannot be judged as a whole, since it is too long or has a mistake in it: a shell
 * runs every line that is complete before it meets the mistake. Searches for the longest beginning that can be judged.
 */
export function analyseStart(
  command: string,
  place: CommandPlace,
  analyse: CommandAnalyser,
): readonly CommandFinding[] {
  const text = command.slice(0, MAX_LENGTH);
  const lines = text.split('\n');
  let findings: readonly CommandFinding[] = [];
  let judged = 0;
  let unjudged = text.length === command.length ? lines.length : lines.length + 1;
  let next = unjudged - 1;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && next > judged; attempt += 1) {
    const start = analyse(lines.slice(0, next).join('\n'), place);
    if (start.problem === undefined) {
      findings = start.findings;
      judged = next;
    } else unjudged = next;
    next = Math.floor((judged + unjudged) / 2);
  }
  return findings;
}
