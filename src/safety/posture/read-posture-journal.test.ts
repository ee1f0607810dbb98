import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import { createRedactor } from '../../kernel/redact/index.ts';
import { fingerprintOfCall, type ToolCall } from '../../kernel/tool-call/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { openLedger, recordDecision } from '../ledger/index.ts';
import { readPostureJournal } from './read-posture-journal.ts';

let path: string;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posture-journal-'));
  path = join(folder, 'ledger.db');
  const clock = new FakeClock();
  const ledger = openLedger({ path, clock, redactor: createRedactor(), onDamage: () => undefined });
  const base = { tool: 'terminal', args: { command: 'rm -rf /' }, cwd: '/p' };
  const call: ToolCall = {
    ...base,
    callId: 'c1',
    sessionId: 's1',
    rootSessionId: 'root',
    turnId: 't1',
    ordinal: 0,
    effect: 'execute',
    paths: [],
    origin: { kind: 'herma', surface: 'cli' },
    fingerprint: fingerprintOfCall(base),
  };
  const id = valueOrThrow(
    await ledger.issue({ call, isOwn: false, graceMs: 1000, commandClass: 'delete-root' }),
  );
  const outcome = { status: 'ok', result: '', durationMs: 1, effect: 'applied' } as const;
  valueOrThrow(await ledger.settle(id, outcome));
  const decision = { call, mode: 'dry_run', raw: 'block', effective: 'allow', rule: 'r', subject: 'rm' };
  valueOrThrow(await recordDecision(ledger, decision, new Date(clock.now()).toISOString()));
  ledger.close();
});

function sql(text: string): void {
  const database = new DatabaseSync(path);
  database.exec(text);
  database.close();
}

describe('readPostureJournal', () => {
  it('gives the rows and the decisions of a journal', () => {
    const { rows, decisions } = valueOrThrow(readPostureJournal(path));
    expect(rows).toMatchObject([
      {
        id: 1,
        toolName: 'terminal',
        status: 'CONFIRMED',
        rootSessionId: 'root',
        graceMs: 1000,
        commandClass: 'delete-root',
      },
    ]);
    expect(decisions).toMatchObject([
      { mode: 'dry_run', raw: 'block', call: { callId: 'c1', tool: 'terminal' } },
    ]);
  });

  it('fails on a file that is damaged, which stays as it is', () => {
    const bytes = readFileSync(path);
    bytes.fill(0x41, 4096);
    writeFileSync(path, bytes);
    const before = readdirSync(join(path, '..')).filter((name) => name.includes('corrupt'));
    expect(readPostureJournal(path)).toMatchObject({ ok: false });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(before).toEqual([]);
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('corrupt'))).toEqual([]);
  });

  it('fails on damage that no row shows', () => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const row = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'decision_time'").get();
    database.close();
    const start = (Number(row?.['rootpage']) - 1) * 4096;
    const bytes = readFileSync(path);
    bytes.fill(0x41, start, start + 4096);
    writeFileSync(path, bytes);
    expect(readPostureJournal(path)).toMatchObject({ ok: false, code: 'unreadable' });
  });

  it.each([
    ['no database', () => writeFileSync(path, 'hello, I am text')],
    ['another database', () => sql('ALTER TABLE ledger RENAME TO something')],
    ['a row of another form', () => sql("UPDATE ledger SET tool_name = x'00'")],
    ['a later version', () => sql('PRAGMA user_version = 99')],
  ])('fails on %s', (_, spoil) => {
    spoil();
    expect(readPostureJournal(path)).toMatchObject({ ok: false });
  });

  it('fails on a folder and on nothing', () => {
    const other = join(path, '..', 'folder');
    mkdirSync(other);
    expect(readPostureJournal(other)).toMatchObject({ ok: false });
    expect(readPostureJournal(join(other, 'nothing.db'))).toMatchObject({ ok: false });
    expect(readdirSync(other)).toEqual([]);
  });

  it('takes a time nobody can place as the oldest, so that its call is in a report of everything', () => {
    sql("UPDATE ledger SET ts = 'soon'");
    expect(valueOrThrow(readPostureJournal(path)).rows[0]?.ts).toBe('1970-01-01T00:00:00.000Z');
  });
});
