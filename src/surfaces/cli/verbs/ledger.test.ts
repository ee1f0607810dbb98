import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { fingerprintOfCall, type ToolCall } from '../../../kernel/tool-call/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import { HeadAnchors, type Ledger, openLedger } from '../../../safety/ledger/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let home: string;
let clock: FakeClock;
let ledger: Ledger;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ledger-verb-')));
  home = join(folder, 'herma');
  mkdirSync(home, { mode: 0o700 });
  clock = new FakeClock();
  ledger = openLedger({
    path: homePaths(home).ledgerDatabase,
    clock,
    redactor: createRedactor(),
    onDamage: (line) => {
      throw new Error(line);
    },
  });
  return () => ledger.close();
});

async function herma(argv: readonly string[], more: Partial<FakeHostOptions> = {}): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home, workingDirectory: '/', ...more }), ['ledger', ...argv]);
}

async function rowsOf(argv: readonly string[]): Promise<readonly JsonObject[]> {
  const rows: readonly JsonObject[] = JSON.parse((await herma(argv)).stdout);
  return rows;
}

async function json(argv: readonly string[]): Promise<unknown> {
  const { stdout } = await herma([...argv, '--json']);
  const value: unknown = JSON.parse(stdout);
  return value;
}

function callOf(given: Partial<ToolCall> = {}): ToolCall {
  const { tool = 'create_job', args = { name: 'nightly' }, cwd = '/p' } = given;
  return {
    callId: 'call-1',
    sessionId: 's1',
    rootSessionId: given.sessionId ?? 's1',
    turnId: 't1',
    ordinal: 0,
    effect: 'external',
    paths: [],
    origin: { kind: 'herma', surface: 'cli' },
    ...given,
    tool,
    args,
    cwd,
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
  };
}

/** A call whose process has died: a ghost. */
async function lost(given: Partial<ToolCall> = {}): Promise<number> {
  const owner = { ...currentProcessIdentity(), bootId: 'an-earlier-boot' };
  return valueOrThrow(
    await ledger.issue({
      call: callOf(given),
      owner,
      isOwn: false,
      graceMs: 1000,
      checkpoint: 'some-checkpoint',
      verdicts: [{ by: 'guard.sh', verdict: 'ask' }],
    }),
  );
}

/** A call that has ended. */
async function ended(given: Partial<ToolCall> = {}, errorType?: string): Promise<number> {
  const id = await lost(given);
  const status = errorType === undefined ? 'ok' : 'error';
  valueOrThrow(
    await ledger.settle(id, { status, errorType, result: 'the result', durationMs: 7, effect: 'applied' }),
  );
  return id;
}

function sql(text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(homePaths(home).ledgerDatabase);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

const LOOKING = [['list'], ['status'], ['ghosts'], ['verify'], ['export'], ['tail'], ['prune', '--dry-run']];

describe('herma ledger without a journal', () => {
  it.each([
    [['list'], 4, '[]'],
    [['ghosts'], 0, '[]'],
    [['verify'], 4, 'null'],
    [['export'], 4, '[]'],
    [['prune', '-y'], 0, '{"dry_run":false,"rows":0,"entries":0,"kept":0}'],
    [['ack', '3'], 1, '{"acknowledged":[],"not_ghosts":[{"id":3,"status":null}]}'],
  ])('%j ends with %i', async (argv, code, document) => {
    expect(await herma([...argv, '--json'])).toMatchObject({ code, stdout: `${document}\n` });
  });

  it('makes none by looking', async () => {
    for (const argv of LOOKING) await herma(argv);
    for (const argv of [
      ['show', '1'],
      ['erase', '1', '-y'],
    ])
      expect((await herma(argv)).code).toBe(2);
    expect(existsSync(homePaths(home).ledgerDatabase)).toBe(false);
    expect(await json(['status'])).toMatchObject({ exists: false, rows: 0, head: null, enabled: true });
  });
});

describe('herma ledger list', () => {
  it.each([[[]], [['list']]])('shows the newest first: %j', async (argv) => {
    await ended();
    await ended({ tool: 'terminal', args: { command: 'make \u001b[2Jit' } }, 'timeout');
    const { code, stdout, stderr } = await herma(argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'ID  WHEN      STATUS         CALL',
      ' 2  just now  ERROR:timeout  terminal: make \\u{1b}[2Jit',
      ' 1  just now  CONFIRMED      create_job: nightly',
      '',
    ]);
  });

  it('is an array of rows with the columns of the table', async () => {
    await ended();
    const [column] = sql("SELECT group_concat(name) AS names FROM pragma_table_info('ledger')");
    const rows = await rowsOf(['list', '--json']);
    expect(rows).toMatchObject([
      {
        id: 1,
        tool_name: 'create_job',
        status: 'CONFIRMED',
        args_json: '{"name":"nightly"}',
        acked_at: null,
      },
    ]);
    expect(Object.keys(rows[0] ?? {}).join(',')).toBe(column?.['names']);
  });

  it('shows what is asked for alone', async () => {
    await ended({ sessionId: 'old' });
    await clock.advance(2 * DAY_MS);
    await ended({ sessionId: 'child', rootSessionId: 's1' });
    await ended({ tool: 'patch' }, 'stale');
    await lost({ tool: 'patch' });
    const ids = async (...argv: readonly string[]): Promise<readonly unknown[]> => {
      const host = new FakeHost({ home, workingDirectory: '/' });
      await host.clock.advance(2 * DAY_MS);
      const { code, stdout } = await runOn(host, ['ledger', 'list', '--json', ...argv]);
      expect(code).toBe(0);
      const rows: readonly JsonObject[] = JSON.parse(stdout);
      return rows.map((row) => row['id']);
    };
    expect(await ids()).toEqual([4, 3, 2, 1]);
    expect(await ids('--limit', '2')).toEqual([4, 3]);
    expect(await ids('--session', 's1')).toEqual([4, 3, 2]);
    expect(await ids('--session', 'child')).toEqual([2]);
    expect(await ids('--tool', 'patch')).toEqual([4, 3]);
    expect(await ids('--status', 'error')).toEqual([3]);
    expect(await ids('--status', 'ERROR:stale')).toEqual([3]);
    expect(await ids('--status', 'error:sta')).toEqual([]);
    expect(await ids('--since', '1d')).toEqual([4, 3, 2]);
    expect(await ids('--since', '2030-01-03T00:00:00Z', '--tool', 'create_job')).toEqual([2]);
    expect(await ids('--tool', "x' OR 1=1 --")).toEqual([]);
  });

  it.each([
    [['--since', 'yesterday'], '"yesterday" is neither a length of time nor a date'],
    [['--since', '2026-13-45'], 'neither'],
    [['--status', 'GHOST'], 'there is no status "GHOST"'],
    [['--limit', '0'], 'expected a whole number'],
    [['nonsense'], ''],
  ])('refuses %j', async (argv, message) => {
    await ended();
    expect(await herma(['list', ...argv])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  it('cuts lines at the width of a terminal, and colours them there', async () => {
    await ended({ args: { name: 'n'.repeat(300) } });
    const plain = await herma(['list']);
    expect(plain.stdout).not.toContain('\u001b');
    const { stdout } = await herma(['list'], { isTty: true, columns: 60, environment: { TERM: 'xterm' } });
    expect(stdout).toContain('\u001b[32mCONFIRMED');
    for (const line of stripVTControlCharacters(stdout).split('\n'))
      expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe('herma ledger status', () => {
  it('counts by status and names the head of the chain and what was kept as damaged', async () => {
    await ended();
    await ended({}, 'timeout');
    await lost();
    const head = valueOrThrow(await ledger.head());
    const kept = `${homePaths(home).ledgerDatabase}.corrupt-20260101-000000`;
    writeFileSync(kept, 'rubbish');
    expect(await json(['status'])).toMatchObject({
      path: homePaths(home).ledgerDatabase,
      exists: true,
      enabled: true,
      rows: 3,
      by_status: { CONFIRMED: 1, ERROR: 1, PENDING: 1 },
      oldest: new Date(clock.now()).toISOString(),
      entries: 5,
      head: { seq: 5, sha256: head?.hash },
      retention_days: 90,
      max_rows: 50_000,
      damaged: [kept],
    });
    const { code, stdout } = await herma(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain(`damaged, kept aside: ${kept}\n`);
    expect(stdout).toContain('Journalling: on\n');
  });

  it('says that journalling is off', async () => {
    writeFileSync(
      join(home, 'config.yaml'),
      'ledger:\n  enabled: false\n  retention_days: 0\n  max_rows: 0\n',
      {
        mode: 0o600,
      },
    );
    const { stdout } = await herma(['status']);
    expect(stdout).toContain('Journalling: off (ledger.enabled)\n');
    expect(stdout).toContain('Retention:   everything is kept\n');
  });
});

describe('herma ledger show', () => {
  it('tells all of one call, and how to take it back', async () => {
    await ended({ args: { name: 'nightly', at: '8:00' } });
    const { code, stdout } = await herma(['show', '#1']);
    expect(code).toBe(0);
    for (const line of [
      'Call:         #1 create_job',
      'Status:       CONFIRMED',
      '    "at": "8:00"',
      'Result:       the result',
      '  guard.sh: ask',
      'Checkpoint:   some-checkpoint',
      'Undo:         herma rollback --call 1',
    ])
      expect(stdout.split('\n')).toContain(line);
    expect(stdout).toMatch(/History:\n +1 {2}\S+ {2}issued\n +2 {2}\S+ {2}settled\n$/);
    expect(await json(['show', '1'])).toMatchObject({
      id: 1,
      checkpoint: 'some-checkpoint',
      history: [
        { seq: 1, kind: 'issued', detail: null },
        { seq: 2, kind: 'settled', detail: null },
      ],
    });
  });

  it.each([
    ['7', 'There is no call #7'],
    ['-1', ''],
    ['one', '"one" is no number of a call'],
    ['1e3', 'is no number of a call'],
  ])('refuses %s', async (id, message) => {
    await ended();
    expect(await herma(['show', id])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('herma ledger ghosts', () => {
  it('ends with 0 when there are none', async () => {
    await ended();
    expect(await herma(['ghosts'])).toMatchObject({
      code: 0,
      stdout: 'No ghosts: of every call it is known how it ended.\n',
    });
    expect(await herma(['ghosts', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('lists each with its age, and looks at the world with --probe', async () => {
    const target = join(home, 'made.txt');
    const call = callOf({ tool: 'write_file', args: { path: target }, effect: 'write' });
    valueOrThrow(
      await ledger.issue({
        call,
        owner: { ...currentProcessIdentity(), bootId: 'an-earlier-boot' },
        isOwn: true,
        graceMs: 1000,
        foreseen: { files: [{ path: target, before: { type: 'absent' }, after: { type: 'folder' } }] },
      }),
    );
    const plain = await herma(['ghosts']);
    expect([plain.code, plain.stdout]).toEqual([
      1,
      expect.stringMatching(/\n 1 {2}0 s .*PENDING {2}not probed/),
    ]);
    expect(await json(['ghosts'])).toMatchObject([{ id: 1, tool_name: 'write_file', probe: null }]);
    const probed = await herma(['ghosts', '--probe', '--json']);
    expect(probed.code).toBe(1);
    expect(JSON.parse(probed.stdout)).toMatchObject([
      {
        id: 1,
        status: 'PENDING',
        probe: { verdict: 'NOT_LANDED', evidence: expect.stringContaining('made.txt') },
      },
    ]);
    expect((await herma(['ghosts'])).stdout).toContain('NOT_LANDED');
    expect(sql("SELECT kind FROM event WHERE kind = 'probed'")).toHaveLength(1);
  });
});

describe('herma ledger ack', () => {
  it('takes ghosts off the list, and names what is none', async () => {
    await ended();
    await lost();
    const { code, stdout, stderr } = await herma(['ack', '1', '2', '#2', '9']);
    expect([code, stdout]).toEqual([1, 'acknowledged: #2\n']);
    expect(stderr).toBe('call #1 is no ghost: CONFIRMED\nthere is no call #9\n');
    expect((await herma(['ghosts'])).code).toBe(0);
    expect((await herma(['list'])).stdout).toContain('GHOST_REPORTED (acknowledged)');
    expect((await herma(['verify'])).code).toBe(0);
  });

  it('takes all of them off with --all', async () => {
    await lost();
    await lost();
    expect(await herma(['ack', '--all', '--json'])).toMatchObject({
      code: 0,
      stdout: '{"acknowledged":[2,1],"not_ghosts":[]}\n',
    });
    expect(await herma(['ack', '--all'])).toMatchObject({ code: 0, stdout: 'nothing was acknowledged\n' });
  });

  it.each([
    [[], 'ack needs the number of a call'],
    [['1', '--all'], '--all names every ghost'],
    [['1', 'two'], '"two" is no number of a call'],
  ])('refuses %j', async (argv, message) => {
    await lost();
    expect(await herma(['ack', ...argv])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
    expect((await herma(['ghosts'])).code).toBe(1);
  });
});

describe('in the shell of an agent', () => {
  it.each([
    [['ack', '1']],
    [['ack', '--all', '-y']],
    [['prune', '--keep', '1', '-y']],
    [['erase', '2', '-y']],
  ])('%j is refused', async (argv) => {
    await lost();
    await ended();
    const before = sql('SELECT * FROM ledger');
    expect(await herma(argv, { environment: { HERMA_SESSION: 'ses_1' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HERMA_SESSION is set here'),
    });
    expect(sql('SELECT * FROM ledger')).toEqual(before);
  });

  it('looking is allowed', async () => {
    await ended();
    for (const argv of LOOKING)
      expect((await herma(argv, { environment: { HERMA_SESSION: 'ses_1' } })).code).toBe(0);
  });
});

describe('herma ledger verify', () => {
  it('is 0 while nobody has touched the journal', async () => {
    await ended();
    await lost();
    expect(await herma(['verify'])).toMatchObject({
      code: 0,
      stdout: '2 calls, 3 entries, held against 0 heads noted elsewhere: intact.\n',
    });
    expect(await json(['verify'])).toMatchObject({
      ok: true,
      rows: 2,
      entries: 3,
      head: { seq: 3 },
      flaws: [],
    });
  });

  it.each([
    ["UPDATE ledger SET args_json = '{}' WHERE id = 1", 'edited_row', 'row 1'],
    ['DELETE FROM ledger WHERE id = 1', 'deleted_row', 'row 1'],
    ['DELETE FROM event WHERE seq = 2', 'broken_chain', 'entry 2'],
  ])('names what was changed: %s', async (statement, kind, at) => {
    await ended();
    await ended();
    sql(statement);
    const { code, stdout } = await herma(['verify']);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${at}: `)]);
    expect(await json(['verify'])).toMatchObject({
      ok: false,
      flaws: expect.arrayContaining([expect.objectContaining({ kind, at })]),
    });
  });

  it.each([
    ['the store of checkpoints', async (seq: number, hash: string) => note(seq, hash)],
    ['the log', async (seq: number, hash: string) => log({ message: 'journal head', seq, sha256: hash })],
  ])('misses what is noted in %s', async (_, noteIt) => {
    await ended();
    await noteIt(2, valueOrThrow(await ledger.head())?.hash ?? '');
    expect((await herma(['verify'])).code).toBe(0);
    ledger.close();
    for (const end of ['', '-wal', '-shm']) rmSync(homePaths(home).ledgerDatabase + end, { force: true });
    await lost();
    const { code, stdout } = await herma(['verify']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('entries 2 to 2 were there once')]);
  });

  it('is told by heads that contradict each other', async () => {
    await ended();
    const hash = valueOrThrow(await ledger.head())?.hash ?? '';
    await note(2, 'f'.repeat(64));
    log({ message: 'journal head', seq: 2, sha256: hash });
    expect((await herma(['verify'])).stdout).toContain('two different entries 2 were noted');
  });

  it('passes over lines of the log that are none of its own', async () => {
    await ended();
    log({ message: 'journal head', seq: 'x', sha256: 'f'.repeat(64) });
    log({ message: 'a journal head', seq: 9, sha256: 'f'.repeat(64) });
    writeFileSync(homePaths(home).log, '{"message":"journal head"', { flag: 'a' });
    expect((await herma(['verify'])).code).toBe(0);
  });

  it('cannot tell without the key, and makes none', async () => {
    await ended();
    const key = join(homePaths(home).ledger, 'ledger.key');
    rmSync(key);
    expect(await herma(['verify', '--json'])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('"code":"no_key"'),
    });
    expect(existsSync(key)).toBe(false);
  });

  it('says that the file is damaged, and keeps it', async () => {
    await ended();
    ledger.close();
    writeFileSync(homePaths(home).ledgerDatabase, 'x'.repeat(8192));
    const { code, stdout } = await herma(['verify']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('The journal was damaged')]);
    expect(await json(['status'])).toMatchObject({
      damaged: [expect.stringContaining('ledger.db.corrupt-')],
    });
  });

  async function note(seq: number, hash: string): Promise<void> {
    valueOrThrow(await new HeadAnchors(homePaths(home).ledgerHeads).note({ seq, hash }, 'now'));
  }

  function log(line: object): void {
    mkdirSync(join(home, 'logs'), { recursive: true });
    writeFileSync(homePaths(home).log, `${JSON.stringify(line)}\n`, { flag: 'a' });
  }
});

describe('herma ledger prune', () => {
  it('removes what is old once it is agreed to, and the chain stays valid', async () => {
    for (let index = 0; index < 5; index += 1) await ended();
    const ghost = await lost();
    await ended();
    expect(await herma(['prune', '--keep', '2', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: 'Would remove 5 calls.\n',
    });
    expect(await herma(['prune', '--keep', '2'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nobody is here to answer: Remove 5 calls from the journal?'),
    });
    expect(sql('SELECT id FROM ledger')).toHaveLength(7);
    expect(await json(['prune', '--keep', '1', '-y'])).toEqual({
      dry_run: false,
      rows: 5,
      entries: expect.any(Number),
      kept: 1,
    });
    expect(sql('SELECT id FROM ledger')).toMatchObject([{ id: ghost }, { id: ghost + 1 }]);
    expect((await herma(['verify'])).code).toBe(0);
    expect((await herma(['prune', '--keep', '1', '-y'])).stdout).toContain(
      'Nothing to prune.\n1 old call stays',
    );
  });

  it('goes by --older-than, else by the configuration', async () => {
    await ended();
    const after = async (argv: readonly string[], days: number): Promise<string> => {
      const host = new FakeHost({ home, workingDirectory: '/' });
      await host.clock.advance(days * DAY_MS);
      return (await runOn(host, ['ledger', 'prune', '--dry-run', ...argv])).stdout;
    };
    expect(await after([], 89)).toBe('Nothing to prune.\n');
    expect(await after([], 91)).toBe('Would remove 1 call.\n');
    expect(await after(['--older-than', '30d'], 31)).toBe('Would remove 1 call.\n');
    expect(await after(['--older-than', '4w'], 27)).toBe('Nothing to prune.\n');
  });

  it('is told no by a person', async () => {
    await ended();
    await ended();
    const host = new FakeHost({ home, workingDirectory: '/', isTty: true });
    const running = runOn(host, ['ledger', 'prune', '--keep', '1']);
    await expect.poll(() => host.stderr.text).toContain('[y/N]');
    host.stdin().emit('data', Buffer.from('n\n'));
    expect(await running).toMatchObject({ code: 1, stdout: 'Aborted.\n' });
    expect(sql('SELECT id FROM ledger')).toHaveLength(2);
  });

  it.each([['0d'], ['soon'], ['-3d'], ['99999999w']])('refuses --older-than %s', async (span) => {
    await ended();
    expect((await herma(['prune', `--older-than=${span}`, '-y'])).code).toBe(2);
    expect(sql('SELECT id FROM ledger')).toHaveLength(1);
  });
});

describe('herma ledger erase', () => {
  it('takes the payload out of the file, keeps the row, and the chain stays valid', async () => {
    await ended({ args: { name: 'unmistakable-payload' } });
    await ended();
    expect(await herma(['erase', '1', '-y'])).toMatchObject({ code: 0, stdout: 'erased: #1\n' });
    expect(sql('SELECT * FROM ledger WHERE id = 1')).toMatchObject([
      {
        tool_name: 'create_job',
        status: 'CONFIRMED',
        args_json: null,
        foreseen_json: null,
        verdicts_json: null,
        result_digest: null,
      },
    ]);
    const folder = homePaths(home).ledger;
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes('unmistakable-payload')).toBe(false);
    expect((await herma(['verify'])).code).toBe(0);
    expect((await herma(['show', '1'])).stdout).toMatch(/Arguments: +erased\n[^]*erased\n$/);
    sql("UPDATE ledger SET result_digest = 'made up' WHERE id = 1");
    expect((await herma(['verify'])).code).toBe(1);
  });

  it('asks first, and leaves alone what is not there or open', async () => {
    await ended();
    await lost();
    expect((await herma(['erase', '1'])).stderr).toContain('Nobody is here to answer');
    expect(await herma(['erase', '2', '-y'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('herma ledger ack 2'),
    });
    expect(await herma(['erase', '3', '-y'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no call #3'),
    });
    expect(sql('SELECT id FROM ledger WHERE args_json IS NULL')).toEqual([]);
  });
});

describe('herma ledger export', () => {
  it('is one line of JSON for each call, the oldest first', async () => {
    for (let index = 0; index < 1205; index += 1) await lost({ callId: `c${String(index)}` });
    const { code, stdout } = await herma(['export']);
    expect(code).toBe(0);
    const rows: readonly JsonObject[] = JSON.parse(`[${stdout.trimEnd().replaceAll('\n', ',')}]`);
    expect(rows.map((row) => row['id'])).toEqual(Array.from({ length: 1205 }, (_, index) => index + 1));
    expect(await json(['export'])).toEqual(rows);
  });
});

describe('herma ledger selftest', () => {
  it('checks six things, and leaves nothing behind', async () => {
    await ended();
    const before = readdirSync(homePaths(home).ledger);
    const { code, stdout } = await herma(['selftest']);
    expect([code, stdout.match(/^✓ /gm)?.length, stdout.includes('✗')]).toEqual([0, 6, false]);
    expect(readdirSync(homePaths(home).ledger).filter((name) => name.startsWith('selftest'))).toEqual([]);
    expect(before.filter((name) => name.startsWith('selftest'))).toEqual([]);
    expect(sql('SELECT id FROM ledger')).toHaveLength(1);
  });

  it('works before there is a journal', async () => {
    expect(await json(['selftest'])).toMatchObject({
      ok: true,
      checks: Array.from({ length: 6 }, () => ({ ok: true })),
    });
    expect(existsSync(homePaths(home).ledgerDatabase)).toBe(false);
  });

  it('fails when the chain of the journal does not hold', async () => {
    await ended();
    sql("UPDATE ledger SET status = 'ERROR:x'");
    const { code, stdout } = await herma(['selftest']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('✗ the journal opens, and its chain holds (1 flaw'),
    ]);
  });
});

describe('herma ledger tail', () => {
  it('shows the last calls, the newest last', async () => {
    for (let index = 0; index < 3; index += 1) await ended();
    const { code, stdout } = await herma(['tail', '-n', '2', '--json']);
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([{ id: 2 }, { id: 3 }]);
  });

  it.each([[[]], [['--json']]])('follows until Ctrl-C, from before there is a journal: %j', async (more) => {
    const host = new FakeHost({ home, workingDirectory: '/' });
    const running = runOn(host, ['ledger', 'tail', '-f', ...more]);
    const poll = async (): Promise<string> => {
      await host.clock.whenPending(1);
      const before = host.stdout.text.length;
      await host.clock.advance(500);
      await host.clock.whenPending(1);
      return host.stdout.text.slice(before);
    };
    expect(await poll()).toBe('');
    const id = await lost();
    expect(await poll()).toContain('PENDING');
    expect(await poll()).toBe('');
    await ledger.settle(id, { status: 'ok', result: '', durationMs: 1, effect: 'applied' });
    expect(await poll()).toContain('CONFIRMED');
    host.send('SIGINT');
    expect((await running).code).toBe(130);
    const lines = host.stdout.text.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    if (more.length > 0)
      expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ id }, { id }]);
  });
});

describe('completion', () => {
  it('offers the numbers of the newest calls, and makes no journal for it', async () => {
    const complete = async (): ReturnType<typeof runOn> =>
      runOn(new FakeHost({ home, workingDirectory: '/' }), ['__complete', 'ledger-ids']);
    expect(await complete()).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(homePaths(home).ledgerDatabase)).toBe(false);
    await ended();
    await lost();
    expect((await complete()).stdout).toBe('2\n1\n');
  });
});
