import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { verifyLedger } from '../care/verify-ledger.ts';
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

async function flaws(): Promise<readonly string[]> {
  return valueOrThrow(await verifyLedger(rig.ledger, [])).flaws.map(({ kind, at }) => `${kind} ${at}`);
}

function sql(text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(rig.path);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

describe('a journal that was replaced', () => {
  it('by another has no row settled that is of another call', async () => {
    const id = await rig.issue({ call: callOf({ callId: 'mine' }) });
    const second = await rig.issue({ call: callOf({ callId: 'mine too' }) });
    rmSync(rig.path);
    const other = rig.open();
    expect(
      valueOrThrow(await other.issue({ call: callOf({ callId: 'other' }), isOwn: false, graceMs: 0 })),
    ).toBe(id);
    expect(await rig.ledger.settle(id, OK)).toMatchObject({ ok: false, code: 'unknown_row' });
    await other.issue({ call: callOf({ callId: 'other too' }), isOwn: false, graceMs: 0 });
    expect(await rig.ledger.withdraw(second, { message: 'no' })).toMatchObject({ code: 'unknown_row' });
    expect(valueOrThrow(await other.row(second))).toMatchObject({ callId: 'other too', status: 'PENDING' });
    expect(valueOrThrow(await other.row(id))).toMatchObject({ callId: 'other', status: 'PENDING' });
    other.close();
  });

  it('is told from its own by another process, which has the call', async () => {
    const [mine, foreign] = [callOf({ callId: 'mine' }), callOf({ callId: 'foreign' })];
    const id = await rig.issue({ call: foreign, isOwn: false });
    expect(await rig.ledger.settle(id, OK, mine)).toMatchObject({ ok: false, code: 'unknown_row' });
    expect(await rig.ledger.withdraw(id, { message: 'no' }, mine)).toMatchObject({ ok: false });
    valueOrThrow(await rig.ledger.approve(id, mine));
    expect(await rig.status(id)).toBe('PENDING');
    expect(valueOrThrow(await rig.ledger.settle(id, OK, foreign))).toMatchObject({ type: 'settled' });
  });

  it('does not say of a row in it that its call runs here', async () => {
    const id = await rig.issue();
    expect(rig.ledger.isRunning(id)).toBe(true);
    rmSync(rig.path);
    valueOrThrow(await rig.ledger.row(id));
    expect(rig.ledger.isRunning(id)).toBe(false);
  });

  it('gets no sign of life for a row of another call', async () => {
    await rig.issue({ call: callOf({ callId: 'mine' }) });
    rmSync(rig.path);
    const other = rig.open();
    await other.issue({ call: callOf({ callId: 'other' }), isOwn: false, graceMs: 0 });
    await rig.clock.advance(30_000);
    await new Promise(setImmediate);
    expect(sql('SELECT beat_uptime_ms FROM ledger')).toEqual([{ beat_uptime_ms: null }]);
    other.close();
  });
});

describe('a page that is damaged while the journal is in use', () => {
  it('costs no call: the file is kept aside, by one of those who find out', async () => {
    for (let index = 0; index < 40; index += 1)
      await rig.issue({ call: callOf({ callId: String(index), args: { text: 'x'.repeat(2000) } }) });
    const second = rig.open();
    valueOrThrow(await second.row(1));
    sql('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = openSync(rig.path, 'r+');
    for (let at = 4096; at < statSync(rig.path).size; at += 4096)
      writeSync(file, Buffer.alloc(4096, 0x7f), 0, 4096, at);
    closeSync(file);
    const call = callOf({ callId: 'after' });
    expect(await rig.ledger.issue({ call, isOwn: false, graceMs: 0 })).toMatchObject({ ok: true });
    expect(await second.issue({ call, isOwn: false, graceMs: 0 })).toMatchObject({ ok: true });
    expect(await rig.ledger.file.keptAside()).toHaveLength(1);
    expect(sql('SELECT tool_call_id AS id FROM ledger')).toEqual([{ id: 'after' }, { id: 'after' }]);
    expect(sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    second.close();
  });
});

describe('the key', () => {
  it('that is gone does not make all rows look edited: that they cannot be checked is what is said', async () => {
    await rig.ledger.settle(await rig.issue(), OK);
    const open = await rig.issue({ call: callOf({ callId: 'open' }) });
    rig.ledger.close();
    rmSync(join(folder, 'ledger.key'));
    expect(await flaws()).toEqual(['lost_key the key']);
    expect(rig.damages.join()).toContain('another key');
    await rig.ledger.settle(open, OK);
    await rig.issue({ call: callOf({ callId: 'new' }) });
    expect(await flaws()).toEqual(['lost_key the key']);
    sql("UPDATE ledger SET cwd = '/other' WHERE id = 3");
    expect(await flaws()).toEqual(['edited_row row 3', 'lost_key the key']);
  });

  it.each([
    ['garbage', () => writeFileSync(join(folder, 'ledger.key'), 'x'.repeat(99))],
    ['too short', () => writeFileSync(join(folder, 'ledger.key'), 'x')],
    ['a link', () => execFileSync('ln', ['-sf', '/etc/hostname', join(folder, 'ledger.key')])],
  ])('that is %s is kept aside, and calls go on', async (_, spoil) => {
    await rig.ledger.settle(await rig.issue(), OK);
    rig.ledger.close();
    spoil();
    await rig.issue({ call: callOf({ callId: 'next' }) });
    expect(rig.damages.join()).toContain('did not hold a key');
    expect(readdirSync(folder).filter((name) => name.startsWith('ledger.key.corrupt-'))).toHaveLength(1);
    expect(await flaws()).toEqual(['lost_key the key']);
  });

  it('is the same again once it was put back', async () => {
    await rig.ledger.settle(await rig.issue(), OK);
    rig.ledger.close();
    copyFileSync(join(folder, 'ledger.key'), join(folder, 'kept'));
    const reopened = rig.open();
    valueOrThrow(await reopened.row(1));
    reopened.close();
    copyFileSync(join(folder, 'kept'), join(folder, 'ledger.key'));
    expect(await flaws()).toEqual([]);
  });
});

describe('a number that JavaScript cannot hold', () => {
  it('hides no other row, neither from lists nor from the check', async () => {
    const first = await rig.issue({ call: callOf({ callId: 'a' }) });
    await rig.issue({ call: callOf({ callId: 'b' }) });
    sql(
      `UPDATE ledger SET duration_ms = 9223372036854775807, report_count = 'many' WHERE id = ${String(first)}`,
    );
    expect(valueOrThrow(await rig.ledger.rowsWhere('1 ORDER BY id', [])).map(({ callId }) => callId)).toEqual(
      ['a', 'b'],
    );
    expect(await flaws()).toEqual(['edited_row row 1']);
    expect(valueOrThrow(await rig.ledger.settle(first, OK))).toMatchObject({ type: 'settled' });
  });

  it('in the chain is damage, and the next call is recorded', async () => {
    await rig.issue();
    sql('UPDATE event SET seq = 9223372036854775806');
    expect(
      await rig.ledger.issue({ call: callOf({ callId: 'next' }), isOwn: false, graceMs: 0 }),
    ).toMatchObject({ ok: true });
    expect(await rig.ledger.file.keptAside()).toHaveLength(1);
  });
});

describe('a journal that was closed', () => {
  it('may be closed again, still takes what comes late, and leaves nothing open', async () => {
    const id = await rig.issue();
    rig.ledger.close();
    rig.ledger.close();
    expect(valueOrThrow(await rig.ledger.settle(id, OK))).toMatchObject({ type: 'settled' });
    expect(await rig.issue({ call: callOf({ callId: 'late' }) })).toBe(2);
    expect(rig.clock.pending).toBe(0);
    const open = readdirSync('/proc/self/fd').flatMap((name) => {
      try {
        return execFileSync('readlink', [`/proc/${String(process.pid)}/fd/${name}`]).toString();
      } catch {
        return [];
      }
    });
    expect(open.filter((path) => path.includes(folder))).toEqual([]);
  });

  it('while a sign of life is being given is not opened again for it', async () => {
    await rig.issue();
    const other = new DatabaseSync(rig.path);
    other.exec('BEGIN IMMEDIATE');
    const beat = rig.clock.advance(30_000);
    rig.ledger.close();
    other.exec('ROLLBACK');
    other.close();
    await beat;
    await rig.clock.advance(60_000);
    expect(rig.clock.pending).toBe(0);
    expect(sql('SELECT beat_uptime_ms FROM ledger')).toEqual([{ beat_uptime_ms: null }]);
  });

  it('that is damaged when a sign of life is due keeps the process alive', async () => {
    await rig.issue();
    rmSync(folder, { recursive: true });
    symlinkSync(folder, folder);
    await rig.clock.advance(30_000);
    expect(await rig.ledger.issue({ call: callOf(), isOwn: true, graceMs: 0 })).toMatchObject({ ok: false });
    rmSync(folder);
  });
});

describe('a disk that is full', () => {
  const device = join('/dev/shm', `herma-ledger-${String(process.pid)}`);
  const isMounted = ((): boolean => {
    try {
      execFileSync('sh', ['-c', 'mkdir -p "$1" && mount -t tmpfs -o size=600k tmpfs "$1"', 'sh', device], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  })();

  it.runIf(isMounted)(
    'makes calls fail as values; what was recorded stays, and goes on when there is room',
    async () => {
      const { openLedger } = await import('../open-ledger.ts');
      const { createRedactor } = await import('../../../kernel/redact/index.ts');
      const ledger = openLedger({
        path: join(device, 'l', 'ledger.db'),
        clock: rig.clock,
        redactor: createRedactor(),
        patienceMs: 0,
        onDamage: (line) => rig.damages.push(line),
      });
      try {
        const first = valueOrThrow(await ledger.issue({ call: callOf(), isOwn: true, graceMs: 0 }));
        writeFileSync(join(device, 'fill'), '');
        execFileSync('sh', ['-c', 'cat /dev/zero > "$1" 2>/dev/null || true', 'sh', join(device, 'fill')]);
        const call = callOf({ callId: 'big', args: { text: 'y'.repeat(3900) } });
        const codes = new Set<string>();
        for (let index = 0; index < 200; index += 1) {
          const issued = await ledger.issue({ call, isOwn: false, graceMs: 0 });
          codes.add(issued.ok ? 'ok' : issued.code);
          if (!issued.ok) break;
        }
        expect([...codes]).toContain('disk_full');
        expect(typeof (await ledger.settle(first, OK)).ok).toBe('boolean');
        rmSync(join(device, 'fill'));
        expect(
          await ledger.issue({ call: callOf({ callId: 'next' }), isOwn: false, graceMs: 0 }),
        ).toMatchObject({ ok: true });
        expect(valueOrThrow(await verifyLedger(ledger, [])).flaws).toEqual([]);
        ledger.close();
        execFileSync('sh', ['-c', 'mount -o remount,ro "$1"', 'sh', device]);
        expect(await ledger.issue({ call, isOwn: false, graceMs: 0 })).toMatchObject({ ok: false });
        expect(await ledger.settle(first + 1, OK)).toMatchObject({ ok: false });
        expect(await ledger.row(first)).toMatchObject({ ok: false });
        expect(rig.damages).toEqual([]);
      } finally {
        ledger.close();
        execFileSync('sh', ['-c', 'umount "$1"', 'sh', device]);
        rmSync(device, { recursive: true });
      }
    },
  );
});
