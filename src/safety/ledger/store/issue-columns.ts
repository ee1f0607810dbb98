import { ISSUE_COLUMNS } from './chain.ts';

/** The columns of a new row, but for those that the file itself gives. */
export interface IssueColumns {
  readonly ts: string;
  readonly args_sha256: string;
  readonly root_session_id: string;
  readonly turn_id: string;
  readonly tool_call_id: string;
  readonly ordinal: number;
  readonly more: Readonly<Record<string, string | number | null>>;
}

const OWN: ReadonlySet<string> = new Set([
  'id',
  'ts',
  'args_sha256',
  'root_session_id',
  'turn_id',
  'tool_call_id',
  'ordinal',
]);
const NUMBERS: ReadonlySet<string> = new Set([
  'args_len',
  'owner_pid',
  'is_own',
  'grace_s',
  'issued_uptime_ms',
  'awaiting_approval',
]);
const MORE: ReadonlySet<string> = new Set([
  ...ISSUE_COLUMNS.filter((name) => !OWN.has(name)),
  'issued_uptime_ms',
  'awaiting_approval',
]);

/** Whether that may be written with a new row: a column by its name, and the type it holds. */
export function isMoreColumn(name: string, value: unknown): value is string | number | null {
  if (!MORE.has(name)) return false;
  return value === null || (NUMBERS.has(name) ? Number.isFinite(value) : typeof value === 'string');
}
