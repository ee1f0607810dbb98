import { rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { ALIVE, callOf, DEAD, intentOf, LedgerRig, OK } from '../fixtures/ledger-rig.ts';
import { columnsOf } from '../recording/columns-of.ts';
import { insertRow } from '../store/write-row.ts';
import { ageOf, judgeRow, type Moment } from './judge-row.ts';

let rig: LedgerRig;
const LOST = { owner: DEAD, isOwn: false } as const;

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

function idsIn(text: string): readonly number[] {
  return [...text.matchAll(/call #(\d+)/g)].map(([, id]) => Number(id));
}

describe('a row that somebody edited', () => {
  it.each([
    "report_count = 'many'",
    "grace_s = 'long'",
    'grace_s = 9223372036854775807',
    "ts = 'yesterday'",
    "ts = x'00'",
    "tool_name = x'ff'",
    "owner_pid = 'me'",
    'owner_pid = 9223372036854775807',
    "probe_json = '{'",
    "foreseen_json = '[1]'",
    "args_json = x'00'",
    "issued_uptime_ms = 'later'",
    "session_id = x'00'",
  ])('with %s hides no other, breaks no turn, and is told once like any other', async (edit) => {
    const [edited, other] = [
      await rig.issue({ ...LOST, call: callOf({ callId: 'a' }) }),
      await rig.issue({ ...LOST, call: callOf({ callId: 'b' }) }),
    ];
    sql(`UPDATE ledger SET ${edit} WHERE id = ${String(edited)}`);
    await rig.clock.advance(10_000_000);
    const listed = valueOrThrow(await rig.watch().ghosts()).map(({ row }) => row.id);
    expect(listed).toEqual([other, edited]);
    const told = await rig.watch().briefing('s1');
    expect([idsIn(told.text), told.warnings]).toEqual([[other, edited], []]);
    expect((await rig.watch().briefing('s1')).text).toBe('');
    expect(valueOrThrow(await rig.watch().acknowledge([edited, other]))).toEqual([]);
  });

  it('so that it was issued, or gave a sign of life, in the future is judged by the clock of the machine', async () => {
    const id = await rig.issue({ owner: ALIVE, isOwn: false });
    sql('UPDATE ledger SET issued_uptime_ms = 1e15, beat_uptime_ms = 1e15, is_own = 1');
    await rig.clock.advance(901_000);
    const other = rig.open();
    expect(valueOrThrow(await rig.watch(other).ghosts()).map(({ row }) => row.id)).toEqual([id]);
    other.close();
  });

  it('so that nobody can say when it was issued is lost', async () => {
    const row = { ...(await rig.row(await rig.issue())), ts: '', owner: undefined, isOwn: false };
    const moment: Moment = {
      nowMs: 0,
      uptimeMs: 0,
      bootId: '',
      isAlive: () => 'unknown',
      isRunning: () => false,
    };
    expect([ageOf(row, moment), judgeRow(row, moment)]).toEqual([Number.POSITIVE_INFINITY, 'ghost']);
  });
});

describe('a call in a container', () => {
  it('whose process cannot be seen is none while it gives signs of life, and is one when they have ended', async () => {
    const owner = { ...ALIVE, pidNamespace: 'pid:[1]' };
    const id = await rig.issue({ owner, call: callOf({ tool: 'cronjob' }) });
    const host = rig.open();
    for (let beats = 0; beats < 8; beats += 1) await rig.clock.advance(30_000);
    expect(valueOrThrow(await rig.watch(host).ghosts())).toEqual([]);
    rig.ledger.close();
    await rig.clock.advance(200_000);
    expect(valueOrThrow(await rig.watch(host).ghosts()).map(({ row }) => row.id)).toEqual([id]);
    host.close();
  });
});

describe('a call that ends while it is looked at', () => {
  it('stays ended: it is neither told nor marked as lost', async () => {
    const [ends, stays] = [
      await rig.issue({ ...LOST, call: callOf({ callId: 'a' }) }),
      await rig.issue({ ...LOST, call: callOf({ callId: 'b' }) }),
    ];
    rig.probes.probe = async () => {
      await rig.ledger.settle(ends, OK);
      return { verdict: 'NOT_LANDED', evidence: 'nothing' };
    };
    expect(idsIn((await rig.watch().briefing('s1')).text)).toEqual([stays]);
    expect(await rig.row(ends)).toMatchObject({ status: 'CONFIRMED', effect: 'applied', reportedAt: null });
  });

  it('is not among what was found at the start, and keeps its end', async () => {
    const ends = await rig.issue(LOST);
    rig.probes.probe = async () => {
      await rig.ledger.settle(ends, OK);
      return { verdict: 'NOT_LANDED', evidence: 'nothing' };
    };
    expect(valueOrThrow(await rig.watch().recover())).toEqual([]);
    expect(await rig.status(ends)).toBe('CONFIRMED');
  });

  it('is told by one of two processes that look at once', async () => {
    await rig.issue(LOST);
    const other = rig.open();
    const texts = await Promise.all([rig.watch().briefing('s1'), rig.watch(other).briefing('s1')]);
    expect(texts.map(({ text }) => text === '').toSorted((a, b) => Number(a) - Number(b))).toEqual([
      false,
      true,
    ]);
    other.close();
  });
});

describe('a turn', () => {
  it('is held up five seconds at most by what hangs, and is told what could not be checked', async () => {
    const ids = [await rig.issue({ ...LOST, call: callOf({ callId: 'a' }) })];
    ids.unshift(await rig.issue({ ...LOST, call: callOf({ callId: 'b' }) }));
    rig.probes.probe = async (row) =>
      row.callId === 'a'
        ? new Promise(() => undefined)
        : Promise.resolve({ verdict: 'LANDED', evidence: 'it is there' });
    const briefing = rig.watch().briefing('s1');
    const state = { isOver: false };
    const over = briefing.then(() => {
      state.isOver = true;
    });
    await rig.clock.advance(4999);
    await new Promise(setImmediate);
    expect(state.isOver).toBe(false);
    await rig.clock.advance(1);
    await over;
    const { text } = await briefing;
    expect(idsIn(text)).toEqual(ids);
    expect(text).toMatch(/LANDED: it is there[^]*not checked/);
  });

  it('is not broken by a probe, or a description, that throws', async () => {
    await rig.issue(LOST);
    rig.probes.probe = async () => Promise.reject(new Error('boom'));
    expect((await rig.watch().briefing('s1')).text).toContain('looking failed: boom');
    await rig.issue({ ...LOST, call: callOf({ callId: 'b' }) });
    const watch = rig.watch();
    const told = await watch.briefing('s1', () => {
      throw new Error('bang');
    });
    expect(told).toMatchObject({ text: '', warnings: [expect.stringContaining('bang')] });
  });

  it('is not broken by a journal nobody can get at', async () => {
    await rig.issue(LOST);
    rig.ledger.close();
    rmSync(dirname(rig.path), { recursive: true });
    symlinkSync(dirname(rig.path), dirname(rig.path));
    expect(await rig.watch().briefing('s1')).toMatchObject({ text: '', warnings: [expect.any(String)] });
    rmSync(dirname(rig.path));
  });
});

describe('ten thousand lost calls', () => {
  it('are all found, and told in portions; those of strangers are not', async () => {
    const redactor = createRedactor();
    valueOrThrow(
      await rig.ledger.work((access) => {
        for (let index = 0; index < 10_000; index += 1) {
          const isOwn = index % 2 === 0;
          const call = callOf({
            callId: String(index),
            sessionId: isOwn ? 's1' : `child-${String(index)}`,
            ...(isOwn ? {} : { parentSessionId: index % 4 === 1 ? 's1' : 'stranger' }),
          });
          const at = { ts: '2030-01-01T00:00:00.000Z', uptimeMs: 0 };
          insertRow(access, columnsOf(intentOf({ ...LOST, call }), { redactor, seal: access.seal }, at));
        }
        return undefined;
      }),
    );
    expect(valueOrThrow(await rig.watch().ghosts())).toHaveLength(10_000);
    const told = idsIn((await rig.watch().briefing('s1')).text);
    expect(told).toEqual([9999, 9998, 9997, 9995, 9994, 9993, 9991, 9990, 9989, 9987]);
    expect(valueOrThrow(await rig.watch().recover())).toHaveLength(10_000);
    expect(sql("SELECT count(*) AS n FROM ledger WHERE status = 'GHOST_REPORTED'")).toEqual([{ n: 10_000 }]);
  });

  it('are found by their index, however many calls there are besides', async () => {
    await rig.issue();
    const open = "status = 'PENDING' OR (status = 'GHOST_REPORTED' AND acked_at IS NULL)";
    for (const query of [
      `SELECT id FROM ledger WHERE (${open}) AND 1`,
      `SELECT id FROM ledger WHERE (${open}) AND root_session_id IN (SELECT value FROM json_each('[]'))`,
    ])
      expect(JSON.stringify(sql(`EXPLAIN QUERY PLAN ${query}`))).toContain('USING INDEX ledger_open');
  });
});
