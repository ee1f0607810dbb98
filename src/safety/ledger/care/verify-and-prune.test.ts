import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { callOf, DEAD, LedgerRig, OK } from '../fixtures/ledger-rig.ts';
import { appendEvent, type ChainHead } from '../store/chain.ts';
import { insertRow, markRefused } from '../store/write-row.ts';
import { eraseRow } from './erase-row.ts';
import { pruneLedger } from './prune-ledger.ts';
import { ranges } from './ranges.ts';
import { type LedgerVerification, verifyLedger } from './verify-ledger.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

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

async function verify(anchors: readonly ChainHead[] = []): Promise<LedgerVerification> {
  return valueOrThrow(await verifyLedger(rig.ledger, anchors));
}

async function flaws(anchors: readonly ChainHead[] = []): Promise<readonly string[]> {
  return (await verify(anchors)).flaws.map(({ kind, at }) => `${kind} ${at}`);
}

async function head(): Promise<ChainHead> {
  const value = valueOrThrow(await rig.ledger.head());
  if (value === undefined) throw new Error('the journal is empty');
  return value;
}

/** Five calls: two settled, one stopped, one reported as lost, one open. */
async function fill(): Promise<void> {
  for (const callId of ['a', 'b']) {
    const id = await rig.issue({ call: callOf({ callId }) });
    await rig.ledger.settle(id, OK);
  }
  await rig.ledger.refuse(
    { call: callOf({ callId: 'c' }), isOwn: true, graceMs: 0 },
    { by: 'x', message: 'no' },
  );
  await rig.issue({ call: callOf({ callId: 'd' }), owner: DEAD, isOwn: false });
  await rig.watch().recover();
  await rig.issue({ call: callOf({ callId: 'e' }) });
}

describe('verifyLedger', () => {
  it('finds nothing in a journal that nobody touched', async () => {
    await fill();
    expect(await verify([await head()])).toMatchObject({
      rows: 5,
      entries: 10,
      head: { seq: 10 },
      flaws: [],
    });
  });

  it('finds nothing in an empty one', async () => {
    expect(await verify()).toMatchObject({ rows: 0, entries: 0, head: undefined, flaws: [] });
  });

  it.each([
    ["UPDATE ledger SET args_json = '{}' WHERE id = 2", ['edited_row row 2']],
    ["UPDATE ledger SET status = 'CONFIRMED' WHERE id = 5", ['edited_row row 5']],
    ["UPDATE ledger SET status = 'CONFIRMED' WHERE id = 3", ['edited_row row 3']],
    ["UPDATE ledger SET result_digest = 'other' WHERE id = 1", ['edited_row row 1']],
    ['UPDATE ledger SET probe_json = NULL WHERE id = 4', ['edited_row row 4']],
    ['DELETE FROM ledger WHERE id IN (1, 2, 4)', ['deleted_row row 1', 'deleted_row row 4']],
    [
      "INSERT INTO ledger SELECT 99, ts, tool_name, status, args_json, args_sha256, args_len, result_digest, result_sha256, session_id, root_session_id, parent_session_id, turn_id, 'other', ordinal, agent, cwd, owner_pid, owner_start, boot_id, pid_namespace, is_own, issued_uptime_ms, beat_uptime_ms, grace_s, settled_at, duration_ms, effect, effect_class, command_class, awaiting_approval, foreseen_json, probe_json, checkpoint, verdicts_json, policy_rule, policy_mode, reported_at, report_count, revived_at, corrected_at, acked_at, pairing FROM ledger WHERE id = 1",
      ['added_row row 99'],
    ],
    ["UPDATE event SET at = '2031-01-01T00:00:00.000Z' WHERE seq = 4", ['broken_chain entry 4']],
    ["UPDATE event SET kind = 'revived' WHERE seq = 4", ['broken_chain entry 4']],
    ['DELETE FROM event WHERE seq = 5', ['broken_chain entry 5']],
    ['UPDATE event SET ledger_id = 1 WHERE seq = 3', ['broken_chain entry 3']],
  ])('names what %s did, and nothing else of its kind', async (statement, found) => {
    await fill();
    sql(statement);
    const names = await flaws();
    expect(names.slice(0, found.length)).toEqual(found);
    expect((await verify()).flaws.every(({ message }) => message.length > 10)).toBe(true);
  });

  it.each([
    ["UPDATE event SET at = x'00' WHERE seq = 4", 'broken_chain entry 4'],
    ["UPDATE event SET detail = x'00', kind = 'pruned' WHERE seq = 4", 'broken_chain entry 4'],
    ['UPDATE event SET seq = 9223372036854775806 WHERE seq = 10', 'broken_chain entry 10'],
    ["UPDATE ledger SET tool_name = x'00' WHERE id = 2", 'edited_row row 2'],
    ['UPDATE ledger SET owner_pid = 9223372036854775806 WHERE id = 2', 'edited_row row 2'],
  ])('names what %s did, although it is of no form that is ever written', async (statement, found) => {
    await fill();
    sql(statement);
    expect(await flaws()).toContain(found);
  });

  it('does not hold others up that want to write, also while something waits to be taken in', async () => {
    await fill();
    const other = new DatabaseSync(rig.path);
    other.exec('BEGIN IMMEDIATE');
    expect(valueOrThrow(await rig.ledger.settle(5, OK))).toMatchObject({ type: 'spooled' });
    other.exec('ROLLBACK');
    const found = await rig.ledger.look(({ database }) => {
      other.exec('BEGIN IMMEDIATE; ROLLBACK');
      return database.get('SELECT status FROM ledger WHERE id = 5')?.['status'];
    });
    expect(valueOrThrow(found)).toBe('CONFIRMED');
    other.close();
  });

  it('names entries that were exchanged', async () => {
    await fill();
    sql('UPDATE event SET seq = -1 WHERE seq = 2');
    sql('UPDATE event SET seq = 2 WHERE seq = 3');
    sql('UPDATE event SET seq = 3 WHERE seq = -1');
    expect((await flaws())[0]).toBe('broken_chain entry 2');
  });

  it('finds what was cut off at the end by the heads that were noted elsewhere', async () => {
    await fill();
    const noted = await head();
    sql('DELETE FROM event WHERE seq > 7');
    sql('DELETE FROM ledger WHERE id > 3');
    expect(await flaws()).not.toContain('truncated entry 8');
    expect(await flaws([noted])).toContain('truncated entry 8');
  });

  it('finds out that the whole file was replaced', async () => {
    await fill();
    const noted = await head();
    rig.ledger.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${rig.path}${suffix}`, { force: true });
    for (let index = 0; index < 12; index += 1) await rig.issue({ call: callOf({ callId: String(index) }) });
    expect(await flaws([noted])).toEqual([`truncated entry ${String(noted.seq)}`]);
  });

  it('finds out that an older copy was put in its place', async () => {
    await fill();
    rig.ledger.close();
    copyFileSync(rig.path, `${rig.path}.old`);
    const id = await rig.issue({ call: callOf({ callId: 'later' }) });
    await rig.ledger.settle(id, OK);
    const noted = await head();
    rig.ledger.close();
    copyFileSync(`${rig.path}.old`, rig.path);
    expect(await flaws([noted])).toEqual(['truncated entry 11']);
  });

  it('is green after any course of calls, and red after any edit of any column that counts', async () => {
    await fill();
    const columns = [
      'ts',
      'tool_name',
      'status',
      'session_id',
      'effect',
      'cwd',
      'turn_id',
      'agent',
      'settled_at',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...columns), fc.integer({ min: 1, max: 5 }), async (column, id) => {
        const [before] = sql(`SELECT ${column} AS value FROM ledger WHERE id = ${String(id)}`);
        sql(`UPDATE ledger SET ${column} = coalesce(${column}, '') || 'x' WHERE id = ${String(id)}`);
        expect(await flaws()).toEqual([`edited_row row ${String(id)}`]);
        const database = new DatabaseSync(rig.path);
        const value = before?.['value'];
        database
          .prepare(`UPDATE ledger SET ${column} = ? WHERE id = ?`)
          .run(typeof value === 'string' ? value : null, id);
        database.close();
        expect(await flaws()).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('pruneLedger', () => {
  const prune = async (given: { maxAgeMs?: number; maxRows?: number; dryRun?: boolean }): Promise<unknown> =>
    valueOrThrow(
      await pruneLedger(rig.ledger, { maxAgeMs: 0, maxRows: 0, nowMs: rig.clock.now(), ...given }),
    );

  it('removes what is old, never what nobody knows the end of, and leaves a chain that holds', async () => {
    await fill();
    rig.clock.setWallTime(rig.clock.now() + 91 * DAY_MS);
    const late = await rig.issue({ call: callOf({ callId: 'late' }) });
    expect(await prune({ maxAgeMs: 90 * DAY_MS, dryRun: true })).toEqual({ rows: 3, entries: 0, kept: 2 });
    expect(sql('SELECT id FROM ledger')).toHaveLength(6);
    expect(await prune({ maxAgeMs: 90 * DAY_MS })).toMatchObject({ rows: 3, kept: 2 });
    expect(sql('SELECT id FROM ledger ORDER BY id').map(({ id }) => id)).toEqual([4, 5, late]);
    expect((await verify([await head()])).flaws).toEqual([]);
  });

  it('keeps the newest rows', async () => {
    for (let index = 0; index < 8; index += 1)
      await rig.ledger.settle(await rig.issue({ call: callOf({ callId: String(index) }) }), OK);
    const earlier = await head();
    expect(await prune({ maxRows: 3 })).toMatchObject({ rows: 5, kept: 0, entries: 10 });
    expect(sql('SELECT id FROM ledger ORDER BY id').map(({ id }) => id)).toEqual([6, 7, 8]);
    expect(await flaws([earlier, await head()])).toEqual([]);
    expect(await prune({ maxRows: 3 })).toMatchObject({ rows: 0 });
  });

  it('is done again and again, and the chain still holds', async () => {
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 4; index += 1)
        await rig.ledger.settle(
          await rig.issue({ call: callOf({ callId: `${String(round)}-${String(index)}` }) }),
          OK,
        );
      await prune({ maxRows: 2 });
      expect(await flaws()).toEqual([]);
    }
    expect(sql('SELECT id FROM ledger')).toHaveLength(2);
  });

  it('removes thousands in small steps, and stops between two of them when it is told to', async () => {
    const columns = { root_session_id: 's', turn_id: '', ordinal: 0, args_sha256: '' };
    const more = {
      tool_name: 'x',
      args_len: 0,
      session_id: 's',
      agent: 'a',
      cwd: '/',
      is_own: 0,
      issued_uptime_ms: 0,
      grace_s: 1,
      effect_class: 'write',
      awaiting_approval: 0,
    };
    valueOrThrow(
      await rig.ledger.work((access) => {
        for (let index = 0; index < 6000; index += 1) {
          const ts = new Date(rig.clock.now() + index).toISOString();
          const id = insertRow(access, { ...columns, ts, tool_call_id: String(index), more });
          if (index % 1000 !== 999) markRefused(access, id, { status: 'CANCELLED', digest: '', at: ts });
        }
        return undefined;
      }),
    );
    const abort = new AbortController();
    const stopped = pruneLedger(rig.ledger, {
      maxAgeMs: 0,
      maxRows: 500,
      nowMs: rig.clock.now(),
      signal: abort.signal,
    });
    await new Promise(setImmediate);
    abort.abort();
    const before = valueOrThrow(await stopped).rows;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(5495);
    expect(await flaws([await head()])).toEqual([]);
    expect(await prune({ maxRows: 500 })).toMatchObject({ rows: 5495 - before, kept: 5 });
    expect(sql('SELECT count(*) AS n FROM ledger')).toEqual([{ n: 505 }]);
    expect(await flaws([await head()])).toEqual([]);
    expect(sql('PRAGMA freelist_count')).toEqual([{ freelist_count: 0 }]);
  });

  it('cuts no more of the chain in one step than others can wait for', async () => {
    const ghost = await rig.issue({ owner: DEAD, isOwn: false, call: callOf({ callId: 'ghost' }) });
    const at = '2030-01-01T00:00:00.000Z';
    valueOrThrow(
      await rig.ledger.work(({ database }) => {
        for (let index = 0; index < 5000; index += 1) appendEvent(database, { kind: 'tampered', at });
        return undefined;
      }),
    );
    await rig.watch().acknowledge([ghost]);
    await rig.issue({ call: callOf({ callId: 'last' }) });
    expect(await prune({ maxRows: 1 })).toMatchObject({ rows: 1, entries: 5002 });
    expect(await flaws([await head()])).toEqual([]);
  });

  it('says that what was erased may still be read, while somebody does', async () => {
    const id = await rig.issue({ call: callOf({ args: { text: 'REMEMBERED' } }) });
    await rig.ledger.settle(id, OK);
    const reader = new DatabaseSync(rig.path);
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM ledger').all();
    expect(await eraseRow(rig.ledger, id, rig.clock)).toMatchObject({ ok: false, code: 'busy' });
    reader.exec('COMMIT');
    reader.close();
    expect(await eraseRow(rig.ledger, id, rig.clock)).toMatchObject({ ok: true });
    const folder = dirname(rig.path);
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'latin1')).not.toContain('REMEMBERED');
    expect(await flaws()).toEqual([]);
  });

  it('can remove everything', async () => {
    await rig.ledger.settle(await rig.issue(), OK);
    rig.clock.setWallTime(rig.clock.now() + DAY_MS);
    await prune({ maxAgeMs: 1 });
    expect(await verify()).toMatchObject({ rows: 0, flaws: [] });
  });

  it('does not make a cut by hand look like its own', async () => {
    for (let index = 0; index < 6; index += 1)
      await rig.ledger.settle(await rig.issue({ call: callOf({ callId: String(index) }) }), OK);
    const [row] = sql('SELECT seq, hex(hash) AS hash FROM event WHERE seq = 4');
    sql('DELETE FROM ledger WHERE id <= 2');
    sql('DELETE FROM event WHERE seq <= 4');
    sql(`INSERT INTO meta VALUES ('base', '4 ${String(row?.['hash']).toLowerCase()}')`);
    expect(await flaws()).toContain('truncated entry 4');
  });

  it('leaves rows that a person deleted to be reported', async () => {
    await fill();
    sql('DELETE FROM ledger WHERE id = 1');
    expect(await flaws()).toEqual(['deleted_row row 1']);
  });
});

describe('ranges', () => {
  it('cover exactly the numbers they are made of', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (numbers) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        const covered = ranges(sorted).flatMap(([from, to]) =>
          Array.from({ length: to - from + 1 }, (_, index) => from + index),
        );
        expect(covered).toEqual(sorted);
      }),
    );
  });
});
