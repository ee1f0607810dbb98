import type { ApprovalRecord } from './approval-record.ts';
import type { Drift } from './compare-content.ts';

/**
 * - `approved`: what would run is what was approved (in mode `path`: the command is).
 * - `not_content_bound`: approved by an entry without a hash. It may run.
 * - `not_allowlisted`: nobody approved it, or the allowlist cannot be relied upon.
 * - `drifted`: not what was approved, or it cannot be shown that it is.
 * - `script_missing`: the script, or what runs it, is not there.
 */
export type ConsentState =
  | 'approved'
  | 'not_content_bound'
  | 'not_allowlisted'
  | 'drifted'
  | 'script_missing';

/** The answer to whether a shell hook may run now. */
export interface ConsentCheck {
  readonly state: ConsentState;
  readonly mayRun: boolean;
  /** The entry it goes by; undefined when there is none. */
  readonly record?: ApprovalRecord;
  /** One line. */
  readonly reason: string;
  /** What a person may want to know all the same, for `herma doctor`: one line each. */
  readonly notes: readonly string[];
  readonly drift?: Drift;
}
