import type { LedgerRow } from '../../ledger/index.ts';

/** What the posture looks at of a row of the journal. */
export type PostureRow = Pick<
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
