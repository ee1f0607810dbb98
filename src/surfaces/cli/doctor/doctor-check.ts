import type { Clock } from '../../../platform/clock/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';
import type { HomePaths } from '../../../platform/paths/index.ts';

/** What a check found. */
export interface DoctorFinding {
  readonly status: 'ok' | 'warn' | 'problem';
  /** One line. */
  readonly message: string;
  /** What to do; absent when there is nothing to do. */
  readonly remedy?: string;
  /** More lines for the person, fit to be printed. */
  readonly details?: readonly string[];
}

/** What a check may look at. */
export interface DoctorSubject {
  readonly paths: HomePaths;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Absolute. */
  readonly workingDirectory: string;
}

/** One thing `herma doctor` looks at. A subsystem adds its own to the list of checks. */
export interface DoctorCheck {
  readonly name: string;
  /** May throw: that is then reported as a problem of the check. */
  run(subject: DoctorSubject, signal: AbortSignal): Promise<DoctorFinding>;
}

export function finding(
  status: DoctorFinding['status'],
  message: string,
  remedy: string | undefined,
): DoctorFinding {
  return remedy === undefined ? { status, message } : { status, message, remedy };
}
