import { ISSUE_COLUMNS } from './chain.ts';

/** The columns of a new row, but for those that the file itself gives. */
export interface IssueColumns {
  readonly ts: string;
  /** Of the call; sealed when it is written. */
  readonly fingerprint: string;
  readonly root_session_id: string;
  readonly turn_id: string;
  readonly tool_call_id: string;
  readonly ordinal: number;
  readonly more: Readonly<Record<string, string | number | null>>;
}

const OWN: ReadonlySet<string> = new Set(['id', 'args_sha256']);
const MORE: ReadonlySet<string> = new Set([
  ...ISSUE_COLUMNS.filter((name) => !OWN.has(name)),
  'issued_uptime_ms',
  'awaiting_approval',
]);

/** Whether a name is that of a column which is written with a new row. */
export function isMoreColumn(name: string): boolean {
  return MORE.has(name);
}
