import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { createRedactor } from '../../kernel/redact/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import { verifyLedger } from './care/verify-ledger.ts';
import { callOf, intentOf, LedgerRig } from './fixtures/ledger-rig.ts';
import { GhostWatch } from './ghosts/ghost-watch.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from './open-ledger.ts';

const PROGRAM = join(import.meta.dirname, 'fixtures', 'ledger-child.ts');
const LIMIT_MS = 60_000;

let rig: LedgerRig;
let ledger: Ledger;
let children: ChildProcess[];

beforeEach(() => {
  rig = new LedgerRig();
  children = [];
  ledger = openLedger({
    path: rig.path,
    clock: systemClock,
    redactor: createRedactor(),
    patienceMs: 20_000,
    onDamage: (line) => rig.damages.push(line),
  });
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  ledger.close();
  rig.ledger.close();
});

interface Running {
  readonly said: readonly string[];
  /** Resolves with the exit code, null when it was killed. */
  readonly ended: Promise<number | null>;
  readonly kill: () => void;
  /** Resolves once it has said so many lines, or ended. */
  readonly until: (lines: number) => Promise<void>;
}

function start(name: string, act: string, times = 1): Running {
  const child = spawn(process.execPath, [PROGRAM, rig.path, name, act, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(line));
  const ended = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null));
  return {
    said,
    ended,
    kill: () => {
      child.kill('SIGKILL');
    },
    until: async (count) => {
      while (said.length < count && child.exitCode === null && child.signalCode === null)
        await Promise.race([once(lines, 'line'), ended]);
    },
  };
}

function named(said: readonly string[], what: string): readonly string[] {
  return said.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
}

function sql(text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(rig.path);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

async function flaws(): Promise<readonly unknown[]> {
  return valueOrThrow(await verifyLedger(ledger, [])).flaws;
}

describe('processes at once', () => {
  it('that issue, settle, prune, erase and acknowledge leave a chain that holds, also while it is looked at', {
    timeout: LIMIT_MS,
  }, async () => {
    const running = ['a', 'b', 'c', 'd'].map((name) => start(name, 'mixed', 60));
    const state = { isOver: false };
    const all = Promise.all(running.map(async ({ ended }) => ended)).finally(() => {
      state.isOver = true;
    });
    while (!state.isOver) {
      expect(await flaws()).toEqual([]);
      await new Promise(setImmediate);
    }
    expect(await all).toEqual([0, 0, 0, 0]);
    expect(await flaws()).toEqual([]);
    expect(sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(running.flatMap(({ said }) => named(said, 'damage'))).toEqual([]);
    const last = sql('SELECT max(id) AS id FROM ledger')[0]?.['id'];
    const issued = running.flatMap(({ said }) => [...named(said, 'issued'), ...named(said, 'refused')]);
    expect(last).toBe(issued.length);
  });

  it('that are killed at any moment lose nothing they were told is done, and leave nothing half', {
    timeout: LIMIT_MS,
  }, async () => {
    const issued = new Map<number, string>();
    for (let round = 0; round < 6; round += 1) {
      const running = ['a', 'b'].map((name) => start(`${name}${String(round)}`, 'mixed', 400));
      await Promise.all(
        running.map(async ({ until, kill }) => {
          await until(10 + Math.floor(Math.random() * 60));
          kill();
        }),
      );
      await Promise.all(running.map(async ({ ended }) => ended));
      expect(await flaws()).toEqual([]);
      const said = running.flatMap((each) => each.said);
      for (const line of named(said, 'issued')) {
        const [call = '', id = ''] = line.split('#');
        // A number that is given twice was lost in between.
        expect(issued.get(Number(id))).toBeUndefined();
        issued.set(Number(id), call);
      }
      const kept = sql('SELECT id, tool_call_id AS call, status FROM ledger ORDER BY id');
      expect(Math.max(...issued.keys())).toBeLessThanOrEqual(Number(kept.at(-1)?.['id']));
      const settled = new Set(named(said, 'settled'));
      for (const { id, call, status } of kept) {
        expect([undefined, call]).toContain(issued.get(Number(id)));
        if (settled.has(String(call))) expect([call, status]).toEqual([call, 'CONFIRMED']);
      }
    }
    expect(sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});

describe('processes that find the journal damaged at once', () => {
  it('keep it aside once, and record all their calls in the same new one', {
    timeout: LIMIT_MS,
  }, async () => {
    mkdirSync(dirname(rig.path), { recursive: true });
    writeFileSync(rig.path, 'x'.repeat(20_000));
    const running = ['a', 'b', 'c', 'd'].map((name) => start(name, 'once'));
    expect(await Promise.all(running.map(async ({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    expect(await ledger.file.keptAside()).toHaveLength(1);
    expect(sql('SELECT count(*) AS n FROM ledger')).toEqual([{ n: 4 }]);
    expect(await flaws()).toEqual([]);
  });

  it('are not misled by the log of a journal that was being kept aside when its process was killed', async () => {
    for (let index = 0; index < 30; index += 1)
      await rig.issue({ call: callOf({ callId: String(index), args: { text: 'x'.repeat(3000) } }) });
    const folder = dirname(rig.path);
    cpSync(folder, `${folder}-after`, { recursive: true });
    const path = join(`${folder}-after`, 'ledger.db');
    rmSync(path);
    expect(existsSync(`${path}-wal`)).toBe(true);
    const after = openLedger({
      path,
      clock: systemClock,
      redactor: createRedactor(),
      onDamage: (line) => rig.damages.push(line),
    });
    expect(valueOrThrow(await after.issue(intentOf()))).toBe(1);
    expect(valueOrThrow(await verifyLedger(after, []))).toMatchObject({ rows: 1, flaws: [] });
    expect(rig.damages).toEqual([]);
    after.close();
  });
});

describe('the spool', () => {
  it('keeps what processes said before they were killed, and it comes into the journal once, whoever takes it in', {
    timeout: LIMIT_MS,
  }, async () => {
    for (let index = 0; index < 150; index += 1)
      await rig.issue({ call: callOf({ callId: `own-${String(index)}`, ordinal: index }), isOwn: false });
    const other = new DatabaseSync(rig.path);
    other.exec('BEGIN IMMEDIATE');
    const spooling = ['x', 'y', 'z'].map((name) => start(name, 'spool', 150));
    await Promise.all(
      spooling.map(async ({ until, kill }) => {
        await until(5 + Math.floor(Math.random() * 60));
        kill();
      }),
    );
    await Promise.all(spooling.map(async ({ ended }) => ended));
    other.exec('ROLLBACK');
    other.close();
    const takers = ['p', 'q', 'r'].map((name) => start(name, 'once'));
    await takers[0]?.until(1);
    takers[0]?.kill();
    await Promise.all(takers.map(async ({ ended }) => ended));
    valueOrThrow(await ledger.row(1));
    expect(existsSync(join(dirname(rig.path), 'spool'))).toBe(false);
    expect(readdirSync(dirname(rig.path)).filter((name) => name.includes('unusable'))).toEqual([]);
    expect(await flaws()).toEqual([]);
    const ends = new Map(sql('SELECT id, status FROM ledger').map(({ id, status }) => [id, status]));
    for (const { said } of spooling) {
      expect(named(said, 'settled').length).toBeGreaterThan(0);
      for (const id of named(said, 'settled')) expect(ends.get(Number(id))).toBe('CONFIRMED');
      for (const call of named(said, 'refused'))
        expect(sql(`SELECT status FROM ledger WHERE tool_call_id = '${call}'`)).toEqual([
          { status: 'BLOCKED:test' },
        ]);
    }
  });
});

describe('the end of a process', () => {
  it('is not put off by a call that runs on', { timeout: LIMIT_MS }, async () => {
    const child = start('a', 'once');
    expect(await child.ended).toBe(0);
  });

  it('is a fact for others at once, and none before', { timeout: LIMIT_MS }, async () => {
    const child = start('a', 'stay');
    await child.until(2);
    const watch = new GhostWatch({
      ledger,
      clock: systemClock,
      probes: rig.probes,
      describe: ({ toolName }) => toolName,
    });
    expect(valueOrThrow(await watch.recover())).toEqual([]);
    child.kill();
    await child.ended;
    expect(valueOrThrow(await watch.recover())).toMatchObject([{ row: { status: 'PENDING' } }]);
    expect(valueOrThrow(await ledger.row(1))).toMatchObject({ status: 'GHOST_REPORTED' });
  });
});
