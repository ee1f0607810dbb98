import type { SqlParameter } from '../../../platform/sqlite/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import type { EventKind } from './chain.ts';
import type { LedgerAccess } from './ledger-file.ts';
import { noteState } from './write-row.ts';

/** What is to become of a row. */
export interface RowChange {
  /** As it was read. */
  readonly row: Pick<LedgerRow, 'id' | 'ts' | 'status' | 'reportCount' | 'ackedAt'>;
  readonly kind: EventKind;
  /** By the names of the columns. */
  readonly set: Readonly<Record<string, SqlParameter>>;
}

/** Whether the row was changed: not when somebody else did since it was read, or it is another one by now. */
export function changeRow(access: LedgerAccess, { row, kind, set }: RowChange, at: string): boolean {
  const assignments = Object.keys(set).map((column) => `${column} = :${column}`);
  const { changes } = access.database.run(
    `UPDATE ledger SET ${assignments.join(', ')} WHERE id = :row_id AND status = :row_status
     AND (typeof(acked_at) NOT IN ('text', 'null') OR acked_at IS :row_acked)
     AND (typeof(ts) <> 'text' OR ts = :row_ts) AND (typeof(report_count) <> 'integer' OR report_count = :row_count)`,
    {
      ...set,
      row_id: row.id,
      row_status: row.status,
      row_ts: row.ts,
      row_count: row.reportCount,
      row_acked: row.ackedAt,
    },
  );
  if (changes === 0) return false;
  noteState(access, row.id, { kind, at });
  return true;
}
