import { type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Database, numberColumn } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import { nextTurn } from '../next-turn.ts';
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
const BATCH = 500;
/** Rows that are looked at in one go. */
const PAGE = 2000;
/** Entries of the chain that go in one transaction. */
const CUT = 2000;

/**
 * Removes old rows, but never a ghost that is neither acknowledged nor settled, and then the beginning of the chain that says nothing of
 * the rows that are left. What was removed is an entry of the chain, so that it still can be verified. With `dryRun` only counts.
 *
 * Looks from the oldest row on, up to the first portion of which nothing is old. Goes in small steps, between which others can write and
 * this process goes on; ends between two of them when `signal` is aborted.
 */
export async function pruneLedger(
  ledger: Ledger,
  {
    maxAgeMs,
    maxRows,
    nowMs,
    dryRun = false,
    signal,
  }: Retention & {
    readonly nowMs: number;
    readonly dryRun?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Result<PrunedLedger>> {
  const cutoff = maxAgeMs === 0 ? '' : new Date(nowMs - maxAgeMs).toISOString();
  const at = new Date(nowMs).toISOString();
  const counted = await ledger.look(({ database }) => (maxRows === 0 ? 0 : countRows(database) - maxRows));
  if (!counted.ok) return counted;
  let [rows, entries, kept, excess, after] = [0, 0, 0, counted.value, 0];
  while (signal?.aborted !== true) {
    const from = after;
    const surplus = excess;
    const page = await ledger.look(({ database }) => oldIn(database, { after: from, cutoff, surplus }));
    if (!page.ok) return page;
    const { settled, open, seen, last } = page.value;
    kept += open;
    [excess, after] = [excess - seen, last];
    if (dryRun) rows += settled.length;
    else {
      const removed = await removeRows(ledger, settled, { at, signal });
      if (!removed.ok) return removed;
      rows += removed.value.rows;
      entries += removed.value.entries;
    }
    if (settled.length + open === 0 || seen < PAGE) break;
    await nextTurn();
  }
  if (dryRun) return succeed({ rows, entries, kept });
  const decided = await removeDecisions(ledger, cutoff, signal);
  if (!decided.ok) return decided;
  if (rows > 0 && signal?.aborted !== true) {
    const shrunk = await ledger.reclaim();
    if (!shrunk.ok && shrunk.code !== 'busy') return shrunk;
  }
  return succeed({ rows, entries, kept });
}

async function removeDecisions(
  ledger: Ledger,
  cutoff: string,
  signal: AbortSignal | undefined,
): Promise<Result<undefined>> {
  const old = `decision WHERE ts < ? LIMIT ${String(PAGE)}`;
  while (signal?.aborted !== true) {
    const found = await ledger.look(({ database }) => database.all(`SELECT id FROM ${old}`, [cutoff]).length);
    if (!found.ok) return found;
    if (found.value === 0) break;
    const removed = await ledger.work(
      ({ database }) =>
        database.run(`DELETE FROM decision WHERE id IN (SELECT id FROM ${old})`, [cutoff]).changes,
    );
    if (!removed.ok) return removed;
    await nextTurn();
  }
  return succeed(undefined);
}

function countRows(database: Database): number {
  return numberColumn(database.get('SELECT count(*) AS n FROM ledger') ?? {}, 'n');
}

interface OldRows {
  /** Ids of rows that can go. */
  readonly settled: readonly number[];
  /** How many are old and have to stay. */
  readonly open: number;
  /** How many were looked at, and the last of them. */
  readonly seen: number;
  readonly last: number;
}

/** Of the next rows those that are old: by their time, or because there are `surplus` too many. */
function oldIn(
  database: Database,
  { after, cutoff, surplus }: { readonly after: number; readonly cutoff: string; readonly surplus: number },
): OldRows {
  const rows = database.all(
    `SELECT id, ts < ? AS is_old, (${OPEN}) AS is_open FROM ledger WHERE id > ? ORDER BY id LIMIT ${String(PAGE)}`,
    [cutoff, after],
  );
  const old = rows.filter((row, index) => row['is_old'] === 1 || index < surplus);
  const settled = old.filter((row) => row['is_open'] !== 1).map((row) => numberColumn(row, 'id'));
  const end = rows.at(-1);
  return {
    settled,
    open: old.length - settled.length,
    seen: rows.length,
    last: end === undefined ? after : numberColumn(end, 'id'),
  };
}

async function removeRows(
  ledger: Ledger,
  ids: readonly number[],
  { at, signal }: { readonly at: string; readonly signal: AbortSignal | undefined },
): Promise<Result<{ readonly rows: number; readonly entries: number }>> {
  let [rows, entries] = [0, 0];
  for (let start = 0; start < ids.length && signal?.aborted !== true; start += BATCH) {
    const wanted = ids.slice(start, start + BATCH);
    const removed = await ledger.work(({ database }) => removeBatch(database, wanted, at));
    if (!removed.ok) return removed;
    rows += removed.value.rows;
    entries += removed.value.entries;
    await nextTurn();
  }
  for (let isMore = rows > 0; isMore && signal?.aborted !== true; await nextTurn()) {
    const cut = await ledger.work(({ database }) => cutOnly(database, at));
    if (!cut.ok) return cut;
    entries += cut.value;
    isMore = cut.value >= CUT;
  }
  return succeed({ rows, entries });
}

/** Others may have settled, acknowledged or removed rows since they were looked at. */
function removeBatch(
  database: Database,
  wanted: readonly number[],
  at: string,
): { readonly rows: number; readonly entries: number } {
  const ids = database
    .all(`SELECT id FROM ledger WHERE id IN (SELECT value FROM json_each(?)) AND NOT (${OPEN}) ORDER BY id`, [
      JSON.stringify(wanted),
    ])
    .map((row) => numberColumn(row, 'id'));
  if (ids.length === 0) return { rows: 0, entries: 0 };
  const spans = ranges(ids);
  for (const [from, to] of spans) database.run('DELETE FROM ledger WHERE id BETWEEN ? AND ?', [from, to]);
  const entries = cutBeginning(database);
  notePruned(database, { rows: spans.map(([from, to]) => `${String(from)}-${String(to)}`).join(','), at });
  return { rows: ids.length, entries };
}

/** Cuts what one transaction was not to cut at once. The value is how many entries went. */
function cutOnly(database: Database, at: string): number {
  const entries = cutBeginning(database);
  if (entries > 0) notePruned(database, { rows: '', at });
  return entries;
}

function notePruned(database: Database, { rows, at }: { readonly rows: string; readonly at: string }): void {
  const { seq, hash } = baseOf(database);
  const base = `${String(seq)} ${hexOf(hash)}`;
  appendEvent(database, { kind: 'pruned', at, detail: JSON.stringify({ rows, base }) });
}

/** Removes entries before the first that speaks of a row that is left. The value is their number. */
function cutBeginning(database: Database): number {
  const first = database.get(
    'SELECT event.seq FROM event CROSS JOIN ledger ON ledger.id = event.ledger_id ORDER BY event.seq LIMIT 1',
  )?.['seq'];
  const end =
    typeof first === 'number'
      ? first - 1
      : numberColumn(database.get('SELECT max(seq) AS seq FROM event') ?? {}, 'seq');
  const until = Math.min(end, baseOf(database).seq + CUT);
  const last = database.get('SELECT seq, hash FROM event WHERE seq = ?', [until]);
  const hash = last?.['hash'];
  if (!(hash instanceof Uint8Array)) return 0;
  setBase(database, { seq: until, hash: hexOf(hash) });
  return database.run('DELETE FROM event WHERE seq <= ?', [until]).changes;
}
