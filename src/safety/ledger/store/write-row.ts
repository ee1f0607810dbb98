import type { Database } from '../../../platform/sqlite/index.ts';
import type { Outcome } from '../recording/intent.ts';
import { errorStatus, MAX_RESULT_CHARS } from '../recording/result-digest.ts';
import { appendEvent, digestOf, type EventKind, ISSUE_COLUMNS, STATE_COLUMNS } from './chain.ts';
import type { IssueColumns } from './issue-columns.ts';
import type { LedgerAccess } from './ledger-file.ts';
import { isRowOf, KEY_COLUMNS, type RowKey } from './row-key.ts';
import { selectRows } from './select-rows.ts';
import type { Refusal } from './spool-entry.ts';

/** What became of the end of a call. */
export type Settled =
  | { readonly type: 'settled' /** Whether it had been reported as lost. */; readonly wasReported: boolean }
  /** Its end had been noted before; nothing was changed. */
  | { readonly type: 'settled-before'; readonly status: string };

/** In the words of the partial index of the table. */
export const OPEN = "status = 'PENDING' OR (status = 'GHOST_REPORTED' AND acked_at IS NULL)";

/** Writes a new row, open, with its entry in the chain. The value is its id. */
export function insertRow(access: LedgerAccess, { more, ...ids }: IssueColumns): number {
  const { database, seal } = access;
  const ordinal = freeOrdinal(database, ids);
  const row = {
    ...more,
    ...ids,
    ordinal,
    status: 'PENDING',
    effect: 'unknown',
  };
  const names = Object.keys(row);
  const { lastRowId: id } = database.run(
    `INSERT INTO ledger (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
    row,
  );
  const digest = digestOf(seal, { ...row, id }, ISSUE_COLUMNS);
  appendEvent(database, { kind: 'issued', at: ids.ts, ledgerId: id, digest });
  return id;
}

/** Providers repeat the ids of calls, and a foreign agent may name no turn: then the next position is taken. */
function freeOrdinal(
  database: Database,
  { root_session_id: root, turn_id: turn, tool_call_id: call, ordinal }: Omit<IssueColumns, 'more'>,
): number {
  const row = database.get(
    'SELECT max(ordinal) AS last FROM ledger WHERE root_session_id = ? AND turn_id = ? AND tool_call_id = ? AND ordinal >= ?',
    [root, turn, call, ordinal],
  );
  const last = row?.['last'];
  return typeof last === 'number' ? last + 1 : ordinal;
}

/** A row, and the call it has to be of; of any when nobody can say. */
interface RowOf {
  readonly id: number;
  readonly key: RowKey | undefined;
}

type SettlingOutcome = Outcome & { readonly at: string };

/**
 * Notes the end of a call, once. Undefined when there is no such row, or it is that of another call. `outcome.result` is what is recorded
 * of the result.
 */
export function settleRow(
  access: LedgerAccess,
  { id, key }: RowOf,
  outcome: SettlingOutcome,
): Settled | undefined {
  const { database, seal } = access;
  const found = database.get(`SELECT status, ${KEY_COLUMNS} FROM ledger WHERE id = ?`, [id]);
  if (found === undefined || (key !== undefined && !isRowOf(found, key))) return undefined;
  const before = found['status'];
  const wasReported = before === 'GHOST_REPORTED';
  if (before !== 'PENDING' && !wasReported) return { type: 'settled-before', status: String(before) };
  database.run(
    `UPDATE ledger SET status = ?, settled_at = ?, duration_ms = ?, result_digest = ?, result_sha256 = ?, effect = ?,
     pairing = ?, awaiting_approval = 0, revived_at = ? WHERE id = ?`,
    [
      statusOf(outcome),
      outcome.at,
      outcome.durationMs,
      outcome.result.slice(0, MAX_RESULT_CHARS),
      seal.text(outcome.result),
      outcome.effect,
      outcome.pairing,
      wasReported ? outcome.at : undefined,
      id,
    ],
  );
  noteState(access, id, { kind: wasReported ? 'revived' : 'settled', at: outcome.at });
  return { type: 'settled', wasReported };
}

function statusOf({ status, errorType }: Outcome): string {
  switch (status) {
    case 'ok':
      return 'CONFIRMED';
    case 'cancelled':
      return 'CANCELLED';
    case 'error':
      return errorStatus(errorType);
  }
}

/** Notes that the call of a new row did not run. */
export function markRefused(access: LedgerAccess, id: number, { status, digest, at }: Refusal): void {
  access.database.run(
    `UPDATE ledger SET status = ?, settled_at = ?, duration_ms = 0, result_digest = ?, effect = 'not_applied',
     awaiting_approval = 0 WHERE id = ?`,
    [status, at, digest, id],
  );
  noteState(access, id, { kind: 'settled', at });
}

/** Notes that the call of an open row did not run. Whether there is such a row, of that call. */
export function withdrawRow(access: LedgerAccess, { id, key }: RowOf, refusal: Refusal): boolean {
  const row = access.database.get(`SELECT (${OPEN}) AS open, ${KEY_COLUMNS} FROM ledger WHERE id = ?`, [id]);
  if (row === undefined || (key !== undefined && !isRowOf(row, key))) return false;
  if (row['open'] === 1) markRefused(access, id, refusal);
  return true;
}

/** Seals the state a row has now. */
export function noteState(
  { database, seal }: LedgerAccess,
  id: number,
  { kind, at }: { readonly kind: EventKind; readonly at: string },
): void {
  const [row] = selectRows(database, 'ledger WHERE id = ?', [id]);
  if (row === undefined) return;
  appendEvent(database, { kind, at, ledgerId: id, digest: digestOf(seal, row, STATE_COLUMNS) });
}
