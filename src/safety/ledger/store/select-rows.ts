import type { Database, Row, SqlParameters } from '../../../platform/sqlite/index.ts';
import { ISSUE_COLUMNS, STATE_COLUMNS } from './chain.ts';

const COLUMNS = [...new Set([...ISSUE_COLUMNS, ...STATE_COLUMNS, 'issued_uptime_ms', 'beat_uptime_ms'])];

/**
 * Whole rows of `ledger`. `rest` is what follows `FROM`. A whole number that JavaScript cannot hold, which somebody wrote by hand, comes as
 * its nearest: it is not to hide all other rows.
 */
export function selectRows(database: Database, rest: string, parameters: SqlParameters = []): readonly Row[] {
  return selectReadable(database, { all: 'ledger.*', columns: COLUMNS, rest }, parameters);
}

/** Entries of the chain, in the same way. */
export function selectEvents(
  database: Database,
  rest: string,
  parameters: SqlParameters = [],
): readonly Row[] {
  const columns = ['seq', 'ledger_id', 'kind', 'at', 'digest', 'detail', 'hash'];
  return selectReadable(database, { all: 'event.*', columns, rest }, parameters);
}

function selectReadable(
  database: Database,
  {
    all,
    columns,
    rest,
  }: { readonly all: string; readonly columns: readonly string[]; readonly rest: string },
  parameters: SqlParameters,
): readonly Row[] {
  try {
    return database.all(`SELECT ${all} FROM ${rest}`, parameters);
  } catch (error) {
    if (!isNumberTooLarge(error)) throw error;
    const readable = columns.map(
      (name) => `CASE typeof(${name}) WHEN 'integer' THEN CAST(${name} AS REAL) ELSE ${name} END AS ${name}`,
    );
    return database.all(`SELECT ${readable.join(', ')} FROM ${rest}`, parameters);
  }
}

/** What `node:sqlite` throws for a whole number beyond 2^53. */
export function isNumberTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}
