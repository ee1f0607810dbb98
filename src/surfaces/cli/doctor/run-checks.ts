import { messageOf } from '../../../kernel/errors/index.ts';
import { within } from '../../../platform/clock/index.ts';
import type { DoctorCheck, DoctorFinding, DoctorSubject } from './doctor-check.ts';

/** A finding under the name of its check. */
export interface NamedFinding extends DoctorFinding {
  readonly name: string;
}

const TIME_LIMIT_MS = 15_000;

/** Runs all checks at once. One that throws, or takes longer than 15 s, is a problem and does not hold up the others. */
export async function runChecks(
  checks: readonly DoctorCheck[],
  subject: DoctorSubject,
  signal: AbortSignal,
): Promise<readonly NamedFinding[]> {
  return Promise.all(
    checks.map(async (check) => ({ name: check.name, ...(await runCheck(check, subject, signal)) })),
  );
}

async function runCheck(
  check: DoctorCheck,
  subject: DoctorSubject,
  signal: AbortSignal,
): Promise<DoctorFinding> {
  try {
    const timed = await within(subject.clock, TIME_LIMIT_MS, signal, (limit) => check.run(subject, limit));
    if (timed.inTime) return timed.value;
    return {
      status: 'problem',
      message: `could not be checked within ${TIME_LIMIT_MS / 1000} s`,
      remedy: 'try again',
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = messageOf(error).split('\n', 1).join('');
    return { status: 'problem', message: `could not be checked: ${reason}`, remedy: 'report this, please' };
  }
}
