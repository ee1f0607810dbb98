import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { getString, type JsonObject } from '../../../kernel/json/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { fingerprintOfCall, type ToolCall } from '../../../kernel/tool-call/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { HeadAnchors, type Ledger, openLedger } from '../../../safety/ledger/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

const TOKEN = '12345:secret-of-the-bot';
const CHAT = '-100200';
const DAY_MS = 24 * 60 * 60_000;

let folder: string;
let home: string;
let database: string;
let clock: FakeClock;
let ledger: Ledger;
let calls = 0;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'posture-verb-')));
  home = join(folder, 'herma');
  mkdirSync(home, { mode: 0o700 });
  database = homePaths(home).ledgerDatabase;
  clock = new FakeClock(new FakeClock().now() - 2 * DAY_MS);
  ledger = openLedger({ path: database, clock, redactor: createRedactor(), onDamage: () => undefined });
  return () => ledger.close();
});

async function herma(argv: readonly string[], more: Partial<FakeHostOptions> = {}): ReturnType<typeof runOn> {
  const { environment, ...rest } = more;
  const host = new FakeHost({
    home,
    workingDirectory: folder,
    environment: { HOME: '/home/p', ...environment },
    ...rest,
  });
  return runOn(host, ['posture', ...argv]);
}

async function json(argv: readonly string[]): Promise<JsonObject> {
  const value: JsonObject = JSON.parse((await herma([...argv, '--json'])).stdout);
  return value;
}

/** A command that ran. */
async function ran(command: string, given: Partial<ToolCall> = {}): Promise<void> {
  calls += 1;
  const base = { tool: 'terminal', args: { command }, cwd: '/home/p/project' };
  const call: ToolCall = {
    ...base,
    callId: `c${String(calls)}`,
    sessionId: 's1',
    rootSessionId: 's1',
    turnId: 't1',
    ordinal: 0,
    effect: 'execute',
    paths: [],
    origin: { kind: 'herma', surface: 'cli' },
    fingerprint: fingerprintOfCall(base),
    ...given,
  };
  const id = valueOrThrow(await ledger.issue({ call, isOwn: false, graceMs: 1000 }));
  valueOrThrow(await ledger.settle(id, { status: 'ok', result: '', durationMs: 1, effect: 'applied' }));
}

/** A session of three calls: 100 − 15 (credentials) − 8 (dynamic code) = 77. */
async function session(): Promise<void> {
  await ran('ls -l');
  await ran('cat ~/.aws/credentials');
  await ran('eval "$PLAN"');
}

function sql(text: string): void {
  const opened = new DatabaseSync(database);
  opened.exec(text);
  opened.close();
}

describe('herma posture', () => {
  it('gives the score that a calculation by hand gives, in the documented form', async () => {
    await session();
    const report = await json([]);
    expect(report).toMatchObject({
      score: 77,
      window: { since: null },
      ledger: { rows: 3, sessions: 1, chain: 'ok' },
      totals: { CRITICAL: 0, HIGH: 1, MEDIUM: 1, LOW: 0 },
      findings: [
        { rule: 'cred-access', asi: 'ASI02', severity: 'HIGH', weight: 15, ledger_ids: [2], count: 1 },
        { rule: 'dynamic-exec', asi: 'ASI05', severity: 'MEDIUM', weight: 8, ledger_ids: [3], count: 1 },
      ],
    });
    const keys =
      'schema generated_at window ledger coverage score formula weights totals by_rule findings caveat';
    expect(Object.keys(report)).toEqual(expect.arrayContaining(keys.split(' ')));
  });

  it('shows the score, a bar for each category with the worst first, the findings and the sum', async () => {
    await session();
    const { code, stdout } = await herma([]);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('Score 77 of 100');
    const bars = lines.filter((line) => line.includes('░'));
    expect(bars.map((line) => line.slice(0, 5))).toEqual(['ASI02', 'ASI05', 'ASI08', 'ASI10', 'ASI11']);
    expect(bars.map((line) => line.split('█').length - 1)).toEqual([3, 2, 0, 0, 0]);
    expect(bars[4]).toContain('community extension');
    expect(stdout).toContain('max(0, 100 − (0 × 25 + 1 × 15 + 1 × 8 + 0 × 3)) = max(0, 100 − 23) = 77');
    expect(stdout).toMatch(/HIGH +15 +cred-access +ASI02 +#2 +cred-read: /);
    expect(stdout).toContain('cred-access 1 (33.33 in 100 calls)');
    expect(stdout).toContain('Not covered: ASI01 Agent Goal Hijack');
    expect(stdout).toContain('written by the agent it scores');
    expect(stdout).not.toContain('\u001b');
    expect((await herma([], { isTty: true, columns: 100 })).stdout).toContain('\u001b');
  });

  it('shows steering characters of a command as text', async () => {
    await ran('eval "$X" \u001b[2J');
    for (const argv of [[], ['--markdown']]) expect((await herma(argv)).stdout).not.toContain('\u001b');
  });

  it('prints Markdown whose cells nothing breaks', async () => {
    for (let count = 0; count < 3; count += 1) await ran('make `cat goals` | tee log');
    const { stdout } = await herma(['--markdown']);
    expect(stdout).toMatch(/^# Posture\n\n\*\*Score \d+ of 100\*\*\n/);
    const row = stdout.split('\n').find((line) => line.includes('retry-dup | ASI08'));
    expect(row).toContain('`` 3 equal calls within 10 minutes: terminal: make `cat goals` \\| tee log ``');
    expect(row?.replaceAll(String.raw`\|`, '').split('|')).toHaveLength(8);
    expect((await herma(['--markdown', '--json'])).code).toBe(2);
  });

  it('keeps to the window and gives the trend', async () => {
    await ran('rm -rf /');
    await clock.advance(1.5 * DAY_MS);
    await ran('ls');
    expect(await json(['--since', '24h'])).toMatchObject({
      score: 100,
      ledger: { rows: 1 },
      trend: { previous: { score: 75 }, score_change: 25 },
    });
    expect((await herma(['--since', '24h'])).stdout).toContain('75 and 100 in the window before (score +25');
    expect(await json([])).toMatchObject({ score: 75, trend: null });
    expect((await herma(['--since', 'soon'])).code).toBe(2);
    expect((await herma(['--since', '2099-01-01'])).code).toBe(2);
  });

  it('judges what was done unattended where sessions are named', async () => {
    await ran('git push --force', { sessionId: 'nightly', rootSessionId: 'nightly' });
    expect(await json([])).toMatchObject({ score: 100 });
    for (const name of ['nightly', 'all'])
      expect(await json(['--unattended', name])).toMatchObject({
        score: 92,
        findings: [{ rule: 'unattended-write', asi: 'ASI11', extension: true }],
      });
    expect(await json(['--unattended', 'other'])).toMatchObject({ score: 100 });
  });
});

describe('herma posture --fail-under', () => {
  it.each([
    ['77', 0, ''],
    ['78', 1, 'the score 77 is below --fail-under 78\n'],
  ])('%s', async (limit, code, stderr) => {
    await session();
    expect(await herma(['--fail-under', limit])).toMatchObject({ code, stderr });
  });

  it('fails without a score, and with a journal that was changed by hand', async () => {
    await session();
    expect((await herma(['--since', '1s', '--fail-under', '0'])).code).toBe(4);
    sql("UPDATE ledger SET status = 'BLOCKED:policy' WHERE id = 2");
    const { code, stderr } = await herma(['--fail-under', '0']);
    expect(code).toBe(1);
    expect(stderr).toContain('the journal was changed by hand (chain broken@row 2)');
    expect(await json([])).toMatchObject({ ledger: { chain: 'broken@row 2' } });
    expect((await herma([])).code).toBe(0);
  });

  it('is no number above 100', async () => {
    expect((await herma(['--fail-under', '101'])).code).toBe(2);
  });
});

describe('a journal', () => {
  it('that is missing is said to be, and is not made', async () => {
    expect(await herma(['--json'])).toMatchObject({ code: 4, stdout: 'null\n' });
    expect((await herma(['--fail-under', '10'])).code).toBe(4);
    expect((await herma(['--db', 'nothing.db'])).code).toBe(4);
    expect(readdirSync(home)).toEqual([]);
  });

  it('that cannot be read is exit code 2, and stays as it is', async () => {
    await session();
    ledger.close();
    for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true });
    writeFileSync(database, 'hello, I am text');
    expect((await herma([])).code).toBe(2);
    expect(readFileSync(database, 'utf8')).toBe('hello, I am text');
    expect(await json([])).toHaveProperty('error');
  });

  it('is held against what was noted of it elsewhere', async () => {
    await session();
    const head = valueOrThrow(await ledger.head());
    const anchors = new HeadAnchors(homePaths(home).ledgerHeads);
    if (head !== undefined) valueOrThrow(await anchors.note(head, new Date(clock.now()).toISOString()));
    expect(await json([])).toMatchObject({ ledger: { chain: 'ok' } });
    sql('DELETE FROM event WHERE ledger_id = 3; DELETE FROM ledger WHERE id = 3');
    expect(await json([])).toMatchObject({ score: 85, ledger: { rows: 2, chain: 'broken@5' } });
  });

  it('of elsewhere is read from its file, without a chain where its key is missing', async () => {
    await session();
    ledger.close();
    const copy = join(folder, 'copy.db');
    copyFileSync(database, copy);
    rmSync(home, { recursive: true });
    expect(await json(['--db', 'copy.db'])).toMatchObject({ score: 77, ledger: { chain: 'absent' } });
    expect((await herma(['--db', copy])).stderr).toContain('no ledger.key lies beside it');
    expect(existsSync(join(folder, 'ledger.key'))).toBe(false);
  });

  it('without calls has no score', async () => {
    await session();
    sql('DELETE FROM ledger');
    const { stdout, code } = await herma([]);
    expect([stdout.split('\n')[0], code]).toEqual(['No score: no call is recorded', 0]);
  });
});

interface Received {
  readonly path: string;
  readonly body: JsonObject;
}

async function receiver(
  status: number,
): Promise<{ readonly base: string; readonly received: readonly Received[]; readonly close: () => void }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: JSON.parse(text) });
      response.writeHead(status, { location: '/elsewhere' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { base: `http://127.0.0.1:${String(port)}`, received, close };
}

function telegram(base: string): Partial<FakeHostOptions> {
  return {
    environment: {
      POSTURE_TELEGRAM_BOT_TOKEN: TOKEN,
      POSTURE_TELEGRAM_CHAT_ID: CHAT,
      POSTURE_TELEGRAM_API_BASE: base,
    },
  };
}

describe('herma posture daily', () => {
  it('sends the report to the chat, of the last day only', async () => {
    await ran('rm -rf /');
    await clock.advance(1.5 * DAY_MS);
    await session();
    const { base, received, close } = await receiver(200);
    expect(await herma(['daily'], telegram(`${base}/`))).toMatchObject({
      code: 0,
      stdout: 'sent to Telegram: score 77\n',
    });
    const [{ path, body } = { path: '', body: {} }] = received;
    expect(path).toBe(`/bot${TOKEN}/sendMessage`);
    expect(body['chat_id']).toBe(CHAT);
    expect(body['text']).toContain('Score 77 of 100');
    expect(body['text']).toContain('cred-access');
    expect(body['text']).toContain('written by the agent it scores');
    expect(body).not.toHaveProperty('parse_mode');
    close();
  });

  it('fits many findings into one message, and says how many more there are', async () => {
    await clock.advance(1.5 * DAY_MS);
    for (let index = 0; index < 60; index += 1) await ran(`eval "$X" ${String(index)} ${'ä'.repeat(150)}`);
    const { base, received, close } = await receiver(200);
    expect((await herma(['daily'], telegram(base))).code).toBe(0);
    const text = getString(received[0]?.body ?? {}, 'text') ?? '';
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.length).toBeGreaterThan(3500);
    expect(text).toMatch(/… and \d+ findings more\nThe journal is written by/);
    close();
  });

  it.each([
    [401, 'POSTURE_TELEGRAM_BOT_TOKEN is not accepted'],
    [400, 'check POSTURE_TELEGRAM_CHAT_ID'],
    [429, 'try again later'],
    [302, 'status 302'],
    [500, 'status 500'],
  ])('says what Telegram answered with %i, without the token', async (status, message) => {
    await session();
    const { base, received, close } = await receiver(status);
    const { code, stdout, stderr } = await herma(['daily', '--json'], telegram(base));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout + stderr).not.toContain('secret-of-the-bot');
    expect(received).toHaveLength(1);
    close();
  });

  it('says that nothing listens, without the token', async () => {
    await session();
    const { base, close } = await receiver(200);
    close();
    const { code, stderr } = await herma(['daily'], telegram(base));
    expect(code).toBe(2);
    expect(stderr).toContain('connection refused');
    expect(stderr).not.toContain('secret-of-the-bot');
  });

  it.each([
    [{}, 'POSTURE_TELEGRAM_BOT_TOKEN and POSTURE_TELEGRAM_CHAT_ID not set'],
    [{ POSTURE_TELEGRAM_BOT_TOKEN: TOKEN }, 'POSTURE_TELEGRAM_CHAT_ID not set'],
    [
      { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: CHAT },
      'POSTURE_TELEGRAM_BOT_TOKEN and POSTURE_TELEGRAM_CHAT_ID not set',
    ],
    [
      { POSTURE_TELEGRAM_BOT_TOKEN: 'secret-of-the-bot/../x', POSTURE_TELEGRAM_CHAT_ID: CHAT },
      'is not the token of a bot',
    ],
    [
      {
        POSTURE_TELEGRAM_BOT_TOKEN: TOKEN,
        POSTURE_TELEGRAM_CHAT_ID: CHAT,
        POSTURE_TELEGRAM_API_BASE: 'file:///secret-of-the-bot',
      },
      'POSTURE_TELEGRAM_API_BASE is no address',
    ],
  ])('uses its own variables only: %o', async (environment, message) => {
    await session();
    const { code, stderr } = await herma(['daily'], { environment });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret-of-the-bot');
  });

  it('does not read the .env of the home', async () => {
    await session();
    writeFileSync(
      join(home, '.env'),
      `POSTURE_TELEGRAM_BOT_TOKEN=${TOKEN}\nPOSTURE_TELEGRAM_CHAT_ID=${CHAT}\n`,
    );
    expect((await herma(['daily'])).stderr).toContain('not set');
  });

  it('sends the whole report to a webhook instead', async () => {
    await clock.advance(1.5 * DAY_MS);
    await session();
    const { base, received, close } = await receiver(204);
    const argv = ['daily', '--webhook', `${base}/hooks/secret-path`];
    expect(await herma(argv, telegram('http://127.0.0.1:1'))).toMatchObject({
      code: 0,
      stdout: `sent to the webhook at ${base}: score 77\n`,
    });
    expect(received).toMatchObject([{ path: '/hooks/secret-path', body: { score: 77, findings: [{}, {}] } }]);
    close();
  });

  it.each([302, 500])('says that a webhook answered with %i, without its path', async (status) => {
    await session();
    const { base, received, close } = await receiver(status);
    const { code, stderr } = await herma(['daily', '--webhook', `${base}/hooks/secret-path`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`status ${String(status)}`);
    expect(stderr).not.toContain('secret-path');
    expect(received).toHaveLength(1);
    close();
  });

  it('sends nothing where there is no journal, and refuses what is no address', async () => {
    const { base, received, close } = await receiver(200);
    expect((await herma(['daily', '--webhook', base])).code).toBe(4);
    expect((await herma(['daily', '--webhook', 'ftp://x'])).code).toBe(2);
    expect(received).toEqual([]);
    close();
  });
});
