import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { callOf, LedgerRig, OK } from '../fixtures/ledger-rig.ts';

let rig: LedgerRig;
let folder: string;

beforeEach(() => {
  rig = new LedgerRig();
  folder = dirname(rig.path);
});

afterEach(() => {
  rig.ledger.close();
});

/** Runs `work` while another process holds the journal. */
async function locked(work: () => Promise<void>): Promise<void> {
  const other = new DatabaseSync(rig.path);
  other.exec('BEGIN IMMEDIATE');
  try {
    await work();
  } finally {
    other.exec('ROLLBACK');
    other.close();
  }
}

function spooled(): readonly string[] {
  return readdirSync(join(folder, 'spool')).map((name) => readFileSync(join(folder, 'spool', name), 'utf8'));
}

function rows(): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(rig.path);
  try {
    return database.prepare('SELECT * FROM ledger ORDER BY id').all();
  } finally {
    database.close();
  }
}

describe('what is spooled', () => {
  it('names the call, so that it settles no row of a journal that took the place of its own', async () => {
    const id = await rig.issue({ call: callOf({ callId: 'old' }) });
    await locked(async () => {
      expect(valueOrThrow(await rig.ledger.settle(id, OK))).toMatchObject({ type: 'spooled' });
    });
    rig.ledger.close();
    writeFileSync(rig.path, 'x'.repeat(5000));
    const other = rig.open();
    expect(
      valueOrThrow(await other.issue({ call: callOf({ callId: 'new' }), isOwn: false, graceMs: 0 })),
    ).toBe(id);
    expect(valueOrThrow(await other.row(id))).toMatchObject({ callId: 'new', status: 'PENDING' });
    expect(rig.damages.join('\n')).toContain('could not be: it was kept in');
    expect(readdirSync(join(folder, 'spool.unusable'))).toHaveLength(1);
    other.close();
  });

  it('says how the row was found, and that a call was withdrawn', async () => {
    const [first, second] = [await rig.issue({ call: callOf({ callId: 'a' }) }), await rig.issue()];
    await locked(async () => {
      await rig.ledger.settle(first, { ...OK, pairing: 'name-fifo' });
      valueOrThrow(await rig.ledger.withdraw(second, { by: 'guard', message: 'no' }));
    });
    expect(await rig.row(first)).toMatchObject({ status: 'CONFIRMED', pairing: 'name-fifo' });
    expect(await rig.status(second)).toBe('BLOCKED:guard');
  });

  it('holds nothing by which arguments could be found out', async () => {
    const call = callOf({ args: { pin: '1234' } });
    const id = await rig.issue({ call });
    await locked(async () => {
      await rig.ledger.settle(id, OK);
      await rig.ledger.refuse({ call, isOwn: false, graceMs: 0 }, { by: 'x', message: 'no' });
    });
    // Reading takes it in: looked at before.
    await locked(async () => {
      await rig.ledger.withdraw(await Promise.resolve(id), { message: 'again' });
      expect(spooled().length).toBeGreaterThan(0);
      expect(spooled().join('')).not.toContain(call.fingerprint);
    });
  });

  it.each([
    ['no JSON', '{"type":'],
    ['of no known type', '{"type":"drop"}'],
    ['a row without a call', '{"type":"settle","id":1,"at":"2030-01-01T00:00:00.000Z","outcome":{}}'],
    [
      'a call without what a row has to have',
      '{"type":"refuse","columns":{"ts":"2030-01-01T00:00:00.000Z","args_sha256":"","root_session_id":"r","turn_id":"","tool_call_id":"","ordinal":0,"more":{}},"refusal":{"status":"BLOCKED:x","digest":"","at":"2030-01-01T00:00:00.000Z"}}',
    ],
    [
      'a call that pretends to have run',
      '{"type":"refuse","columns":{"ts":"2030-01-01T00:00:00.000Z","args_sha256":"","root_session_id":"r","turn_id":"","tool_call_id":"","ordinal":0,"more":{"tool_name":"x"}},"refusal":{"status":"CONFIRMED","digest":"","at":"2030-01-01T00:00:00.000Z"}}',
    ],
    ['a number that is none', '{"type":"settle","id":1e999,"key":{},"at":"","outcome":{}}'],
  ])('and is %s is kept aside, and in nobody’s way', async (_, text) => {
    await rig.issue();
    mkdirSync(join(folder, 'spool'));
    writeFileSync(join(folder, 'spool', '000000000000001-a.json'), text);
    writeFileSync(join(folder, 'spool', 'notes.txt'), 'mine');
    symlinkSync('/etc/passwd', join(folder, 'spool', '000000000000002-b.json'));
    const id = await rig.issue({ call: callOf({ callId: 'next' }) });
    expect(rows()).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING', tool_call_id: 'next' }]);
    expect(valueOrThrow(await rig.ledger.settle(id, OK))).toMatchObject({ type: 'settled' });
    expect(readdirSync(join(folder, 'spool.unusable'))).toHaveLength(3);
    expect(readdirSync(folder)).not.toContain('spool');
  });

  it('cannot name columns that are not written with a row', async () => {
    await rig.issue();
    mkdirSync(join(folder, 'spool'));
    const refusal = { status: 'BLOCKED:x', digest: '', at: '2030-01-01T00:00:00.000Z' };
    const ids = { root_session_id: 'r', turn_id: '', tool_call_id: 'forged', ordinal: 0 };
    const more = {
      tool_name: 'x',
      args_len: 0,
      session_id: '',
      agent: '',
      cwd: '',
      is_own: 0,
      issued_uptime_ms: 0,
      grace_s: 0,
      effect_class: '',
      awaiting_approval: 0,
      id: 99,
      acked_at: 'x',
      'status) --': 'CONFIRMED',
      owner_pid: 'x',
    };
    writeFileSync(
      join(folder, 'spool', '000000000000001-a.json'),
      JSON.stringify({ type: 'refuse', columns: { ts: refusal.at, args_sha256: '', ...ids, more }, refusal }),
    );
    await rig.issue({ call: callOf({ callId: 'next' }) });
    expect(rows()[1]).toMatchObject({
      id: 2,
      tool_call_id: 'forged',
      status: 'BLOCKED:x',
      acked_at: null,
      owner_pid: null,
    });
  });

  it('that has no folder to go to is said not to be kept', async () => {
    const id = await rig.issue();
    writeFileSync(join(folder, 'spool'), 'a file');
    await locked(async () => {
      expect(await rig.ledger.settle(id, OK)).toMatchObject({ ok: false, code: 'busy' });
    });
    expect(valueOrThrow(await rig.ledger.settle(id, OK))).toMatchObject({ type: 'settled' });
  });
});
