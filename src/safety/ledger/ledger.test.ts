import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { createRedactor } from '../../kernel/redact/index.ts';
import { ALIVE, callOf, DEAD, LedgerRig, OK } from './fixtures/ledger-rig.ts';
import { openLedger } from './open-ledger.ts';

let rig: LedgerRig;

beforeEach(() => {
  rig = new LedgerRig();
});

afterEach(() => {
  rig.ledger.close();
});

function sql(text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(rig.path);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

describe('a call', () => {
  it('is a durable row before it runs, and is settled in the same row', async () => {
    const id = await rig.issue();
    expect(sql('SELECT status, tool_name, session_id, effect FROM ledger')).toMatchObject([
      { status: 'PENDING', tool_name: 'terminal', session_id: 's1', effect: 'unknown' },
    ]);
    expect(valueOrThrow(await rig.ledger.settle(id, OK))).toEqual({ type: 'settled', wasReported: false });
    expect(await rig.row(id)).toMatchObject({ status: 'CONFIRMED', resultDigest: 'done', durationMs: 5 });
  });

  it('can be read with the one-liner everybody knows', async () => {
    await rig.issue({ call: callOf({ args: { command: 'ls' } }) });
    expect(
      sql('SELECT ts, tool_name, status, substr(args_json,1,60) FROM ledger ORDER BY id DESC LIMIT 20'),
    ).toMatchObject([
      { ts: '2030-01-01T00:00:00.000Z', status: 'PENDING', 'substr(args_json,1,60)': '{"command":"ls"}' },
    ]);
  });

  it.each([
    ['ERROR:TimeoutError', { ...OK, status: 'error', errorType: 'TimeoutError' }],
    ['ERROR:a_b', { ...OK, status: 'error', errorType: 'a b' }],
    ['ERROR:error', { ...OK, status: 'error' }],
    ['CANCELLED', { ...OK, status: 'cancelled' }],
  ] as const)('that ends otherwise is %s', async (status, outcome) => {
    const id = await rig.issue();
    await rig.ledger.settle(id, outcome);
    expect(await rig.status(id)).toBe(status);
  });

  it('is settled once', async () => {
    const id = await rig.issue();
    await rig.ledger.settle(id, OK);
    expect(valueOrThrow(await rig.ledger.settle(id, { ...OK, status: 'error' }))).toEqual({
      type: 'settled-before',
      status: 'CONFIRMED',
    });
    expect(await rig.status(id)).toBe('CONFIRMED');
  });

  it('that is not in the journal cannot be settled', async () => {
    expect(await rig.ledger.settle(99, OK)).toMatchObject({ ok: false, code: 'unknown_row' });
  });

  it('that was stopped is one row, already settled, by the name of who stopped it', async () => {
    const call = callOf({ tool: 'read_file', effect: 'none', args: { path: '/etc/shadow' } });
    valueOrThrow(
      await rig.ledger.refuse({ call, isOwn: true, graceMs: 0 }, { by: 'policy:credentials', message: 'no' }),
    );
    valueOrThrow(await rig.ledger.refuse({ call, isOwn: true, graceMs: 0 }, { message: 'interrupted' }));
    expect(sql('SELECT status, effect, result_digest FROM ledger ORDER BY id')).toMatchObject([
      { status: 'BLOCKED:policy:credentials', effect: 'not_applied', result_digest: 'no' },
      { status: 'CANCELLED', effect: 'not_applied', result_digest: 'interrupted' },
    ]);
  });

  it('may have an id that another one had: in another turn, or in the same', async () => {
    const first = await rig.issue({ call: callOf({ callId: 'call-1', turnId: 't1' }) });
    const second = await rig.issue({ call: callOf({ callId: 'call-1', turnId: 't2' }) });
    const third = await rig.issue({ call: callOf({ callId: 'call-1', turnId: 't2' }) });
    await rig.ledger.settle(second, OK);
    expect(await Promise.all([first, second, third].map((id) => rig.status(id)))).toEqual([
      'PENDING',
      'CONFIRMED',
      'PENDING',
    ]);
  });

  it('is found again among a thousand that run at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 1000 }, (_, ordinal) =>
        rig.issue({ call: callOf({ callId: `c${String(ordinal)}`, ordinal }) }),
      ),
    );
    expect(new Set(ids).size).toBe(1000);
    await Promise.all(ids.map((id, index) => rig.ledger.settle(id, { ...OK, result: String(index) })));
    expect(
      sql(
        "SELECT count(*) AS n FROM ledger WHERE status = 'CONFIRMED' AND result_digest = substr(tool_call_id, 2)",
      ),
    ).toMatchObject([{ n: 1000 }]);
  });
});

describe('a call that comes back without its row', () => {
  it('is found by its id', async () => {
    await rig.issue({ call: callOf({ callId: 'a' }) });
    const second = await rig.issue({ call: callOf({ callId: 'b' }) });
    expect(
      valueOrThrow(await rig.ledger.find({ rootSessionId: 's1', tool: 'terminal', callId: 'b' })),
    ).toEqual({
      id: second,
    });
    expect(
      valueOrThrow(await rig.ledger.find({ rootSessionId: 's1', tool: 'terminal', callId: 'c' })),
    ).toBeUndefined();
  });

  it('is found by its name, and by its arguments first; the oldest of several is said to be a guess', async () => {
    const first = await rig.issue({ call: callOf({ callId: 'a', args: { command: 'one' } }) });
    const wanted = { rootSessionId: 's1', tool: 'terminal' };
    expect(valueOrThrow(await rig.ledger.find(wanted))).toEqual({ id: first, pairing: 'name' });
    const two = callOf({ callId: 'b', args: { command: 'two' } });
    const second = await rig.issue({ call: two });
    expect(valueOrThrow(await rig.ledger.find(wanted))).toEqual({ id: first, pairing: 'name-fifo' });
    expect(valueOrThrow(await rig.ledger.find({ ...wanted, fingerprint: two.fingerprint }))).toEqual({
      id: second,
      pairing: 'name',
    });
    expect(valueOrThrow(await rig.ledger.find({ ...wanted, rootSessionId: 's2' }))).toBeUndefined();
    await rig.ledger.settle(first, { ...OK, pairing: 'name-fifo' });
    expect((await rig.row(first)).pairing).toBe('name-fifo');
  });
});

describe('equal calls of unknown effect', () => {
  it('are counted in their lineage, until they are known or acknowledged', async () => {
    const call = callOf({ tool: 'mcp__vm__snapshot', args: { name: 'x' } });
    const count = async (): Promise<number> => valueOrThrow(await rig.ledger.unknownRepeats(call));
    const [first, second] = [await rig.issue({ call }), await rig.issue({ call })];
    expect(await count()).toBe(0);
    await rig.ledger.settle(first, { ...OK, effect: 'unknown' });
    await rig.ledger.settle(second, { ...OK, status: 'error', errorType: 'timeout', effect: 'unknown' });
    expect(await count()).toBe(2);
    await rig.issue({ call: callOf({ tool: call.tool, args: { name: 'y' } }), owner: DEAD, isOwn: false });
    await rig.issue({ call: { ...call, rootSessionId: 's2' }, owner: DEAD, isOwn: false });
    expect(await count()).toBe(2);
    await rig.issue({ call, isOwn: false });
    await rig.issue({ call, isOwn: false, awaitingApproval: true });
    const ghost = await rig.issue({ call, owner: DEAD, isOwn: false });
    expect(await count()).toBe(3);
    await rig.watch().acknowledge([ghost]);
    expect(await count()).toBe(2);
    expect(valueOrThrow(await rig.watch().acknowledge([first, second]))).toEqual([]);
    expect(await count()).toBe(0);
    expect(valueOrThrow(await rig.watch().acknowledge([first]))).toEqual([first]);
  });
});

describe('the file', () => {
  it('is private, and so is everything beside it', async () => {
    await rig.issue();
    const folder = dirname(rig.path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it.each([
    ['garbage', () => writeFileSync(rig.path, 'x'.repeat(9000))],
    ['half of it', () => writeFileSync(rig.path, readFileSync(rig.path).subarray(0, 20_000))],
    ['a folder', () => execFileSync('sh', ['-c', 'rm -f "$1"* && mkdir "$1"', 'sh', rig.path])],
    [
      'a table of another program',
      () => {
        execFileSync('rm', ['-f', rig.path, `${rig.path}-wal`]);
        sql('CREATE TABLE ledger (id INTEGER)');
      },
    ],
  ])('that is %s is kept aside, a new one is begun, and both are said', async (_, damage) => {
    await rig.issue();
    rig.ledger.close();
    damage();
    const ledger = rig.open();
    expect(await ledger.issue({ call: callOf(), isOwn: false, graceMs: 0 })).toMatchObject({ ok: true });
    expect(rig.damages.join()).toMatch(/damaged.*kept as .*ledger\.db\.corrupt-/);
    expect(await ledger.file.keptAside()).toHaveLength(1);
    expect(sql("SELECT kind, detail FROM event WHERE kind = 'started'")).toMatchObject([
      { detail: expect.stringContaining('ledger.db.corrupt-') },
    ]);
    ledger.close();
  });

  it('that is removed while it is in use is said to be, and the next call is recorded', async () => {
    await rig.issue();
    execFileSync('rm', ['-f', rig.path]);
    await rig.issue();
    expect(rig.damages.join()).toContain('removed or replaced');
    expect(sql('SELECT id FROM ledger')).toHaveLength(1);
  });

  it('of a later version is left alone, and nothing is recorded', async () => {
    await rig.issue();
    rig.ledger.close();
    sql('PRAGMA user_version = 99');
    expect(await rig.ledger.issue({ call: callOf(), isOwn: true, graceMs: 0 })).toMatchObject({
      ok: false,
      code: 'newer_version',
    });
    expect(rig.damages).toEqual([]);
  });

  it('that others hold is waited for only so long; what ended meanwhile is written by the next who can', async () => {
    const [first, second] = [await rig.issue(), await rig.issue()];
    const other = new DatabaseSync(rig.path);
    other.exec('BEGIN IMMEDIATE');
    expect(await rig.ledger.issue({ call: callOf(), isOwn: true, graceMs: 0 })).toMatchObject({
      ok: false,
      code: 'busy',
    });
    expect(valueOrThrow(await rig.ledger.settle(first, OK))).toMatchObject({ type: 'spooled' });
    valueOrThrow(
      await rig.ledger.refuse(
        { call: callOf({ callId: 'no' }), isOwn: true, graceMs: 0 },
        { by: 'journal', message: 'locked' },
      ),
    );
    other.exec('ROLLBACK');
    other.close();
    await rig.ledger.settle(second, OK);
    expect(sql('SELECT tool_call_id, status FROM ledger ORDER BY id')).toMatchObject([
      { status: 'CONFIRMED' },
      { status: 'CONFIRMED' },
      { tool_call_id: 'no', status: 'BLOCKED:journal' },
    ]);
    expect(readdirSync(dirname(rig.path)).filter((name) => name.startsWith('spool'))).toEqual([]);
  });
});

describe('a journal that others hold', () => {
  it('holds a call up once, and no read', async () => {
    const first = await rig.issue();
    const ledger = openLedger({
      path: rig.path,
      clock: rig.clock,
      redactor: createRedactor(),
      patienceMs: 300,
      onDamage: () => undefined,
    });
    const other = new DatabaseSync(rig.path);
    other.exec('BEGIN IMMEDIATE');
    const intent = { call: callOf({ callId: 'no' }), isOwn: false, graceMs: 0 };
    const wait = { isOver: false };
    const issued = ledger.issue(intent).finally(() => {
      wait.isOver = true;
    });
    while (!wait.isOver) {
      await rig.clock.advance(100);
      await new Promise(setImmediate);
    }
    expect(await issued).toMatchObject({ ok: false, code: 'busy' });
    // From here on the clock stands still: what would wait never ends.
    valueOrThrow(await ledger.refuse(intent, { by: 'journal', message: 'locked' }));
    expect(valueOrThrow(await ledger.settle(first, OK))).toMatchObject({ type: 'spooled' });
    await rig.clock.advance(10_000);
    expect(valueOrThrow(await ledger.row(first))).toMatchObject({ status: 'PENDING' });
    other.exec('ROLLBACK');
    other.close();
    expect(valueOrThrow(await ledger.row(first))).toMatchObject({ status: 'CONFIRMED' });
    expect(sql('SELECT status FROM ledger ORDER BY id')).toMatchObject([
      { status: 'CONFIRMED' },
      { status: 'BLOCKED:journal' },
    ]);
    ledger.close();
  });
});

it('the owner of a row is who it was issued by', async () => {
  const id = await rig.issue();
  expect((await rig.row(id)).owner).toEqual(ALIVE);
});
