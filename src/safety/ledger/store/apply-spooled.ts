import { DatabaseError } from '../../../platform/sqlite/index.ts';
import type { LedgerAccess } from './ledger-file.ts';
import type { SpoolEntry } from './spool-entry.ts';
import { insertRow, markRefused, settleRow, withdrawRow } from './write-row.ts';

/**
 * Takes one entry of the spool into the journal, within a transaction. One that was taken in before changes nothing. False when the journal
 * has no place for it: the row is not there, or it is that of another call, or somebody edited the entry.
 */
export function applySpooled(access: LedgerAccess, entry: SpoolEntry): boolean {
  try {
    return access.database.transaction(() => apply(access, entry));
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'constraint') return false;
    throw error;
  }
}

function apply(access: LedgerAccess, entry: SpoolEntry): boolean {
  switch (entry.type) {
    case 'settle':
      return settleRow(access, entry, { ...entry.outcome, at: entry.at }) !== undefined;
    case 'withdraw':
      return withdrawRow(access, entry, entry.refusal);
    case 'refuse': {
      const { root_session_id: root, turn_id: turn, tool_call_id: call, ts, args_sha256 } = entry.columns;
      const known = access.database.get(
        `SELECT id FROM ledger WHERE root_session_id = ? AND turn_id = ? AND tool_call_id = ? AND ts = ? AND args_sha256 = ?
         AND status = ?`,
        [root, turn, call, ts, args_sha256, entry.refusal.status],
      );
      if (known === undefined) markRefused(access, insertRow(access, entry.columns), entry.refusal);
      return true;
    }
  }
}
