import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../src/platform/clock/index.ts';
import { GhostWatch, type Ledger } from '../src/safety/ledger/index.ts';
import { openBenchLedger, recordCalls, TYPICAL_OUTCOME, typicalIntent } from './ledger-calls.ts';
import { alternate, type Figure } from './measure.ts';

const WARM = 300;
const PAIRS = 1000;
const PROCESSES = 4;
const CALLS_EACH = 2500;
const ROWS = 1_000_000;
const WRITER = fileURLToPath(new URL('ledger-writer.ts', import.meta.url));

const run = promisify(execFile);

/** What the journal costs beside bare SQLite, how much it grows, and how fast it finds the lost among a million. */
export async function ledger(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'herma-bench-'));
  try {
    return [
      await besideBareSqlite(folder),
      await growth(folder),
      await together(folder),
      await ghosts(folder),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Pair for pair in turn, so that a disk which changes its speed changes it for both. */
async function besideBareSqlite(folder: string): Promise<Figure> {
  const path = join(folder, 'own', 'ledger.db');
  const journal = openBenchLedger(path);
  let recorded = (await recordCalls(journal, 'warm', { count: WARM })).length;
  const bare = openBare(path, join(folder, 'bare.db'));
  const writeBare = bareWriter(bare);
  const times: number[] = [];
  const [floor = Number.NaN, value = Number.NaN] = await alternate(PAIRS, [
    async () => Promise.resolve(writeBare()),
    async () => {
      const [time = Number.NaN] = await recordCalls(journal, 'own', { from: recorded, count: 1 });
      recorded += 1;
      times.push(time);
      return time;
    },
  ]);
  bare.close();
  journal.close();
  report(`intent and settle: p99 ${percentile99(times).toFixed(2)} ms (promised: 10 ms)`);
  return { name: 'intent + settle / two bare statements', ratio: value / floor, limit: 1.3, value, floor };
}

/** A database with the same tables, indexes and pragmas as the journal at `own`. */
function openBare(own: string, path: string): DatabaseSync {
  const source = new DatabaseSync(own, { readOnly: true });
  const statements = source.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  const { page_size: pageSize } = source.prepare('PRAGMA page_size').get() ?? {};
  const { auto_vacuum: vacuum } = source.prepare('PRAGMA auto_vacuum').get() ?? {};
  source.close();
  const bare = new DatabaseSync(path);
  bare.exec(`PRAGMA page_size = ${String(pageSize)}; PRAGMA auto_vacuum = ${String(vacuum)};
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 4194304;`);
  for (const { sql } of statements) if (!/sqlite_sequence/.test(String(sql))) bare.exec(String(sql));
  return bare;
}

/** The two statements a journal cannot do without; what it returns runs them once and says how long they took, in milliseconds. */
function bareWriter(bare: DatabaseSync): () => number {
  const insert =
    bare.prepare(`INSERT INTO ledger (ts, tool_name, status, args_json, args_sha256, args_len, session_id,
    root_session_id, turn_id, tool_call_id, ordinal, agent, cwd, owner_pid, owner_start, boot_id, pid_namespace, is_own,
    issued_uptime_ms, grace_s, effect, effect_class, command_class, awaiting_approval, foreseen_json, checkpoint, verdicts_json)
    VALUES (?, 'terminal', 'PENDING', ?, ?, 100, ?, ?, ?, ?, ?, 'herma', ?, 1, '1', ?, ?, 0, 1.5, 900, 'unknown', 'execute',
    'read-only', 0, ?, ?, ?)`);
  const update =
    bare.prepare(`UPDATE ledger SET status = 'CONFIRMED', settled_at = ?, duration_ms = 1200, result_digest = ?,
    result_sha256 = ?, effect = 'applied' WHERE id = ?`);
  let written = 0;
  return () => {
    written += 1;
    const { call, checkpoint = '', foreseen, verdicts, owner } = typicalIntent('own', written);
    const [at, args, hash] = [new Date().toISOString(), JSON.stringify(call.args), call.fingerprint];
    const startedAt = performance.now();
    const { lastInsertRowid } = insert.run(
      at,
      args,
      hash,
      call.sessionId,
      call.rootSessionId,
      call.turnId,
      call.callId,
      call.ordinal,
      call.cwd,
      owner?.bootId ?? '',
      owner?.pidNamespace ?? '',
      JSON.stringify(foreseen),
      checkpoint,
      JSON.stringify(verdicts),
    );
    update.run(at, TYPICAL_OUTCOME.result.slice(0, 300), hash, lastInsertRowid);
    return performance.now() - startedAt;
  };
}

async function growth(folder: string): Promise<Figure> {
  const path = join(folder, 'growth', 'ledger.db');
  const journal = openBenchLedger(path);
  await recordCalls(journal, 'warm', { count: 50 });
  const before = sizeOf(path);
  const count = 1000;
  await recordCalls(journal, 'typical', { count });
  const value = (sizeOf(path) - before) / count;
  journal.close();
  return {
    name: 'growth for each call / 2 KB',
    ratio: value / 2048,
    limit: 1,
    value,
    floor: 2048,
    unit: 'bytes',
  };
}

/** With what stands in the write-ahead log so far. */
function sizeOf(path: string): number {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return statSync(path).size;
}

/** Several processes at once, against one that does it all. Fails when a row is lost or doubled, or a write is refused. */
async function together(folder: string): Promise<Figure> {
  const value = await timeOfWriters(join(folder, 'many', 'ledger.db'), PROCESSES, CALLS_EACH);
  const floor = await timeOfWriters(join(folder, 'one', 'ledger.db'), 1, PROCESSES * CALLS_EACH);
  const name = `${String(PROCESSES)} × ${String(CALLS_EACH)} calls at once / one after the other`;
  return { name, ratio: value / floor, limit: 4, value, floor };
}

async function timeOfWriters(path: string, processes: number, count: number): Promise<number> {
  const startedAt = performance.now();
  const outputs = await Promise.all(
    Array.from({ length: processes }, async (_, index) =>
      run(process.execPath, [WRITER, path, `s${String(index)}`, String(count)], { maxBuffer: 10_000_000 }),
    ),
  );
  const tookMs = performance.now() - startedAt;
  const times = outputs.flatMap(({ stdout }) => numbersIn(stdout));
  report(`${String(processes)} processes: p99 ${percentile99(times).toFixed(2)} ms (promised: 50 ms)`);
  const database = new DatabaseSync(path);
  const rows = database
    .prepare(
      "SELECT count(*) AS n, count(DISTINCT session_id || tool_call_id) AS d FROM ledger WHERE status = 'CONFIRMED'",
    )
    .get();
  database.close();
  const wanted = processes * count;
  if (rows?.['n'] !== wanted || rows['d'] !== wanted)
    throw new Error(`${String(wanted)} calls left ${JSON.stringify(rows)} rows`);
  return tookMs;
}

function numbersIn(text: string): readonly number[] {
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.map(Number) : [];
}

async function ghosts(folder: string): Promise<Figure> {
  const path = join(folder, 'large', 'ledger.db');
  const journal = openBenchLedger(path);
  await recordCalls(journal, 'first', { count: 1 });
  const lost = await journal.issue({ ...typicalIntent('lost', 1), owner: undefined, graceMs: 0 });
  if (!lost.ok) throw new Error(lost.message);
  multiply(path);
  const watch = watchOver(journal);
  const [floor = Number.NaN, value = Number.NaN] = await alternate(9, [
    async () => timed(async () => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')),
    async () =>
      timed(async () => {
        const found = await watch.ghosts();
        if (!found.ok || found.value.length !== 1) throw new Error('the lost call was not found');
      }),
  ]);
  journal.close();
  // A start takes about 20 ms.
  return { name: 'ghosts among 1,000,000 rows / node -e 0', ratio: value / floor, limit: 1, value, floor };
}

/** Copies the first row until there are a million. */
function multiply(path: string): void {
  const database = new DatabaseSync(path);
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('ledger') WHERE name NOT IN ('id', 'tool_call_id')")
    .all()
    .map(({ name }) => String(name))
    .join(', ');
  database.exec(`PRAGMA synchronous = OFF;
    WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < ${String(ROWS)})
    INSERT INTO ledger (tool_call_id, ${columns})
    SELECT 'copy-' || n, ${columns} FROM step, ledger WHERE ledger.id = 1;`);
  database.close();
}

function watchOver(journal: Ledger): GhostWatch {
  return new GhostWatch({
    ledger: journal,
    clock: systemClock,
    probes: {
      foresee: async () => Promise.resolve(undefined),
      probe: async () => Promise.resolve({ verdict: 'UNKNOWN', evidence: '' }),
    },
    describe: ({ toolName }) => toolName,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function percentile99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

/** For the reader: no time makes a benchmark fail. */
function report(line: string): void {
  process.stdout.write(`     ${line}\n`);
}
