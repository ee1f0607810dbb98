import type { Result } from '../../../kernel/errors/index.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json/index.ts';
import type { Row } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import type { LedgerRow } from '../model/ledger-row.ts';
import { decodeRow } from '../store/row-codec.ts';
import { hexOf } from '../store/seal.ts';
import { selectEvents, selectRows } from '../store/select-rows.ts';

/** A row, and its columns as the table holds them. */
export interface StoredRow {
  readonly row: LedgerRow;
  /** By the names of the table `ledger`, in its order. */
  readonly columns: JsonObject;
}

/** Rows that are wanted; what is absent does not matter. */
export interface RowFilter {
  /** The newest of those that fit. */
  readonly limit?: number | undefined;
  /** Of a session, or of all sessions of a lineage by its root. */
  readonly session?: string | undefined;
  readonly tool?: string | undefined;
  /** `ERROR` and `BLOCKED` stand for all that begin with it and a colon. */
  readonly status?: string | undefined;
  /** Issued then or later; milliseconds since 1970-01-01 UTC. */
  readonly sinceMs?: number | undefined;
}

/** One entry of the chain that speaks of a row. */
export interface RowEvent {
  readonly seq: number;
  readonly kind: string;
  /** ISO 8601. */
  readonly at: string;
  readonly detail: string | null;
}

/** What the chain says happened after an entry. */
export interface RowChanges {
  /** Number of the last entry; 0 when there is none. */
  readonly seq: number;
  /** As they are now, each once, in the order of their first change. */
  readonly rows: readonly StoredRow[];
}

const PAGE = 1000;

/** Rows that fit a filter, the newest first. */
export async function readRows(ledger: Ledger, filter: RowFilter): Promise<Result<readonly StoredRow[]>> {
  const { limit = -1, session, tool, status, sinceMs } = filter;
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString();
  return ledger.look(({ database }) =>
    selectRows(
      database,
      `ledger WHERE (:session IS NULL OR session_id = :session OR root_session_id = :session)
         AND (:tool IS NULL OR tool_name = :tool)
         AND (:status IS NULL OR status = :status OR substr(status, 1, length(:status) + 1) = :status || ':')
         AND (:since IS NULL OR ts >= :since) ORDER BY id DESC LIMIT :limit`,
      { session, tool, status, since, limit },
    ).map(toStored),
  );
}

/** The rows of those ids that there are, by id. */
export async function rowsById(
  ledger: Ledger,
  ids: readonly number[],
): Promise<Result<ReadonlyMap<number, StoredRow>>> {
  return ledger.look(({ database }) => {
    const rows = selectRows(database, 'ledger WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]).map(toStored);
    return new Map(rows.map((stored) => [stored.row.id, stored]));
  });
}

/** All rows, the oldest first, in portions, so that a journal of any size can be read. Ends with the first failure. */
export async function* allRows(ledger: Ledger): AsyncGenerator<Result<readonly StoredRow[]>> {
  for (let last = 0; ; ) {
    const after = last;
    const page = await ledger.look(({ database }) =>
      selectRows(database, `ledger WHERE id > ? ORDER BY id LIMIT ${String(PAGE)}`, [after]).map(toStored),
    );
    const end = page.ok ? page.value.at(-1) : undefined;
    if (!page.ok || end !== undefined) yield page;
    if (end === undefined) return;
    last = end.row.id;
  }
}

/** What the chain says of one row, the oldest entry first. */
export async function historyOf(ledger: Ledger, id: number): Promise<Result<readonly RowEvent[]>> {
  return ledger.look(({ database }) =>
    selectEvents(database, 'event WHERE ledger_id = ? ORDER BY seq', [id]).map(
      ({ seq, kind, at, detail }) => ({
        seq: Number(seq),
        kind: String(kind),
        at: String(at),
        detail: typeof detail === 'string' ? detail : null,
      }),
    ),
  );
}

/** Rows of which the chain has an entry behind `seq`. */
export async function changedSince(ledger: Ledger, seq: number): Promise<Result<RowChanges>> {
  return ledger.look(({ database }) => {
    const last = database.get('SELECT max(seq) AS seq FROM event')?.['seq'];
    const rows = selectRows(
      database,
      `ledger JOIN (SELECT ledger_id, min(seq) AS first FROM event WHERE seq > ? GROUP BY ledger_id)
       ON ledger_id = ledger.id ORDER BY first`,
      [seq],
    );
    return { seq: typeof last === 'number' ? last : 0, rows: rows.map(toStored) };
  });
}

function toStored(row: Row): StoredRow {
  const columns = Object.entries(row).map(([name, value]): [string, JsonValue] => [name, toJson(value)]);
  return { row: decodeRow(row), columns: Object.fromEntries(columns) };
}

function toJson(value: Row[string]): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? hexOf(value) : value;
}
