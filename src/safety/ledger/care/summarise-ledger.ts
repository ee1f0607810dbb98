import type { Result } from '../../../kernel/errors/index.ts';
import { numberColumn } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import { type ChainHead, chainHead } from '../store/chain.ts';

/** What a journal holds, in numbers. */
export interface LedgerSummary {
  readonly rows: number;
  /** By status, `ERROR` and `BLOCKED` without what stands behind the colon; the most frequent first. */
  readonly byStatus: readonly { readonly status: string; readonly rows: number }[];
  /** ISO 8601; undefined without rows. */
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
  /** Entries of the chain. */
  readonly entries: number;
  readonly head: ChainHead | undefined;
}

/** Counts the rows and the entries of a journal. */
export async function summariseLedger(ledger: Ledger): Promise<Result<LedgerSummary>> {
  return ledger.look(({ database }) => {
    const byStatus = database
      .all(
        `SELECT CASE instr(status, ':') WHEN 0 THEN status ELSE substr(status, 1, instr(status, ':') - 1) END AS status,
         count(*) AS rows FROM ledger GROUP BY 1 ORDER BY 2 DESC, 1`,
      )
      .map((row) => ({ status: String(row['status']), rows: numberColumn(row, 'rows') }));
    const ends = database.get('SELECT min(ts) AS oldest, max(ts) AS newest FROM ledger') ?? {};
    return {
      rows: byStatus.reduce((sum, { rows }) => sum + rows, 0),
      byStatus,
      oldest: textOrNothing(ends['oldest']),
      newest: textOrNothing(ends['newest']),
      entries: numberColumn(database.get('SELECT count(*) AS n FROM event') ?? {}, 'n'),
      head: chainHead(database),
    };
  });
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
