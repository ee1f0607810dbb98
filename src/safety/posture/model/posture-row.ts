import type { LedgerRow } from '../../ledger/index.ts';

/** What somebody on the way said of a call: `session` that it was `unattended`, `approval` that it was `approved:yolo`, …. */
export interface RowVerdict {
  readonly by: string;
  readonly verdict: string;
}

/** What the posture looks at of a row of the journal. */
export type PostureRow = { readonly verdicts: readonly RowVerdict[] } & Pick<
  LedgerRow,
  | 'id'
  | 'ts'
  | 'toolName'
  | 'status'
  | 'argsJson'
  | 'argsSha256'
  | 'sessionId'
  | 'rootSessionId'
  | 'parentSessionId'
  | 'turnId'
  | 'callId'
  | 'agent'
  | 'cwd'
  | 'issuedUptimeMs'
  | 'beatUptimeMs'
  | 'awaitsApproval'
  | 'graceMs'
  | 'effect'
  | 'effectClass'
  | 'probe'
  | 'commandClass'
  | 'ackedAt'
>;

/** Whether that was said of a call. */
export function hasVerdict({ verdicts }: PostureRow, by: string, verdict: string): boolean {
  return verdicts.some((each) => each.by === by && each.verdict === verdict);
}
