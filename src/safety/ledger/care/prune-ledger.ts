import { type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Database, numberColumn } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import { appendEvent, baseOf, setBase } from '../store/chain.ts';
import { hexOf } from '../store/seal.ts';
import { OPEN } from '../store/write-row.ts';
import { ranges } from './ranges.ts';

export interface Retention {
  /** Rows older than this go; milliseconds, 0 for no limit. */
  readonly maxAgeMs: number;
  /** Of the rest the newest stay; 0 for no limit. */
  readonly maxRows: number;
}

export interface PrunedLedger {
  readonly rows: number;
  /** Entries of the chain. */
  readonly entries: number;
  /** Rows that are too old and stay: nobody knows how their calls ended. */
  readonly kept: number;
}

/** Rows that go in one transaction: others wait for it. */
const BATCH = 2000;

/**
 * Removes old rows, but never a ghost that is neither acknowledged nor settled, and then the beginning of the chain that says nothing of
 * the rows that are left. What was removed is an entry of the chain, so that it still can be verified. With `dryRun` only counts.
 */
export async function pruneLedger(
  ledger: Ledger,
  {
    maxAgeMs,
    maxRows,
    nowMs,
    dryRun = false,
  }: Retention & { readonly nowMs: number; readonly dryRun?: boolean },
): Promise<Result<PrunedLedger>> {
  const cutoff = maxAgeMs === 0 ? '' : new Date(nowMs - maxAgeMs).toISOString();
  const counted = await ledger.look(({ database }) => countOld(database, cutoff, maxRows));
  if (!counted.ok || dryRun) return counted;
  let [rows, entries] = [0, 0];
  for (;;) {
    const at = new Date(nowMs).toISOString();
    const batch = await ledger.work(({ database }) => pruneBatch(database, { cutoff, maxRows, at }));
    if (!batch.ok) return batch;
    rows += batch.value.rows;
    entries += batch.value.entries;
    if (batch.value.rows < BATCH) break;
  }
  if (rows > 0) {
    const shrunk = await ledger.reclaim();
    if (!shrunk.ok) return shrunk;
  }
  return succeed({ rows, entries, kept: counted.value.kept });
}

const OLD = `(ts < :cutoff OR (:limit > 0 AND id <= (SELECT max(id) FROM ledger) - :limit AND
  id NOT IN (SELECT id FROM ledger ORDER BY id DESC LIMIT :limit)))`;

function countOld(database: Database, cutoff: string, limit: number): PrunedLedger {
  const count = (condition: string): number =>
    numberColumn(
      database.get(`SELECT count(*) AS n FROM ledger WHERE ${OLD} AND ${condition}`, { cutoff, limit }) ?? {},
      'n',
    );
  return { rows: count(`NOT (${OPEN})`), entries: 0, kept: count(`(${OPEN})`) };
}

function pruneBatch(
  database: Database,
  { cutoff, maxRows, at }: { readonly cutoff: string; readonly maxRows: number; readonly at: string },
): { readonly rows: number; readonly entries: number } {
  const ids = database
    .all(`SELECT id FROM ledger WHERE ${OLD} AND NOT (${OPEN}) ORDER BY id LIMIT ${String(BATCH)}`, {
      cutoff,
      limit: maxRows,
    })
    .map((row) => numberColumn(row, 'id'));
  database.run('DELETE FROM decision WHERE ts < ?', [cutoff]);
  if (ids.length === 0) return { rows: 0, entries: 0 };
  const spans = ranges(ids);
  for (const [from, to] of spans) database.run('DELETE FROM ledger WHERE id BETWEEN ? AND ?', [from, to]);
  const entries = cutBeginning(database);
  const { seq, hash } = baseOf(database);
  const rows = spans.map(([from, to]) => `${String(from)}-${String(to)}`).join(',');
  appendEvent(database, {
    kind: 'pruned',
    at,
    detail: JSON.stringify({ rows, base: `${String(seq)} ${hexOf(hash)}` }),
  });
  return { rows: ids.length, entries };
}

/** Removes the entries before the first that speaks of a row that is left. The value is their number. */
function cutBeginning(database: Database): number {
  const first = database.get(
    'SELECT min(event.seq) AS seq FROM event JOIN ledger ON ledger.id = event.ledger_id',
  )?.['seq'];
  const until =
    typeof first === 'number'
      ? first - 1
      : numberColumn(database.get('SELECT max(seq) AS seq FROM event') ?? {}, 'seq');
  const last = database.get('SELECT seq, hash FROM event WHERE seq = ?', [until]);
  const hash = last?.['hash'];
  if (!(hash instanceof Uint8Array)) return 0;
  setBase(database, { seq: until, hash: hexOf(hash) });
  return database.run('DELETE FROM event WHERE seq <= ?', [until]).changes;
}
