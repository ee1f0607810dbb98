import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { TamperRecords } from '../../../gate/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import { freezeVariables } from '../../../platform/environment/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import type { DoctorCheck } from '../doctor/doctor-check.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

interface Report {
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly remedy?: string;
  }[];
  readonly problems: number;
  readonly warnings: number;
}

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'home-')), '.herma');
});

async function doctor(
  options: Partial<FakeHostOptions> = {},
): Promise<{ readonly code: number; readonly report: Report }> {
  const host = new FakeHost({ home, workingDirectory: tmpdir(), ...options });
  const { code, stdout, stderr } = await runOn(host, ['doctor', '--json']);
  expect(stderr).toBe('');
  return { code, report: JSON.parse(stdout) };
}

function find(report: Report, name: string): Report['checks'][number] | undefined {
  return report.checks.find((check) => check.name === name);
}

describe('doctor', () => {
  it('finds no problems on a machine that has everything, and makes a private home', async () => {
    const { code, report } = await doctor();
    expect(report.checks.filter(({ status }) => status === 'problem')).toEqual([]);
    expect([code, report.problems, report.warnings]).toEqual([0, 0, 1]);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'node',
      'git',
      'bash',
      'home',
      'disk',
      'sqlite',
      'config',
      'model',
      'sessions',
      'approvals',
      'checkpoints',
      'hooks',
      'policy',
      'tampering',
    ]);
    expect(find(report, 'node')?.message).toContain(process.versions.node);
    expect(find(report, 'sqlite')?.message).toMatch(/^SQLite 3\.\d+/);
    expect(find(report, 'disk')?.message).toMatch(/\d [MGT]B free/);
    expect(find(report, 'model')).toMatchObject({ status: 'warn', message: 'no model is configured' });
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('says what is missing and what to do, exit 1', async () => {
    const { code, report } = await doctor({ environment: { PATH: mkdtempSync(join(tmpdir(), 'empty-')) } });
    expect(code).toBe(1);
    expect(find(report, 'bash')).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('install bash'),
    });
    expect(find(report, 'git')).toMatchObject({
      status: 'warn',
      remedy: expect.stringContaining('install git'),
    });
    expect(find(report, 'disk')).toMatchObject({ status: 'warn' });
  });

  it('reports a broken configuration with its line', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_iterations: x\n');
    const { code, report } = await doctor();
    expect(code).toBe(1);
    expect(find(report, 'config')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('config.yaml:2:19'),
    });
  });

  it('reports a home that is a file', async () => {
    writeFileSync(home, '');
    const { code, report } = await doctor();
    expect(code).toBe(1);
    expect(find(report, 'home')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('not a folder'),
    });
  });

  it('mends and reports a home that others may enter', async () => {
    mkdirSync(home);
    chmodSync(home, 0o755);
    const { report } = await doctor();
    expect(find(report, 'home')).toMatchObject({ status: 'warn', message: expect.stringContaining('0755') });
  });

  it('reports a damaged database and leaves it as it is', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'state.db'),
      'this is no database, but it is long enough to look at'.repeat(100),
    );
    const before = statSync(join(home, 'state.db'));
    const { code, report } = await doctor();
    expect([code, find(report, 'sessions')?.status]).toEqual([1, 'problem']);
    expect(statSync(join(home, 'state.db'))).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs });
  });

  it('reports approvals that cannot be read', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'approvals.json'), '{');
    const { code, report } = await doctor();
    expect([code, find(report, 'approvals')?.status]).toEqual([1, 'problem']);
  });

  it.each([
    [200, 'application/json', '{"data":[{"id":"m"}]}', 'ok'],
    [401, 'application/json', '{"error":{"message":"no"}}', 'problem'],
    [200, 'text/html', '<html>', 'problem'],
  ])('asks the server of the model: %d %s', async (status, type, body, expected) => {
    const server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      `model: {name: "openai-compatible:m", base_url: "http://127.0.0.1:${port}/v1"}\n`,
    );
    const { report } = await doctor();
    server.close();
    expect(find(report, 'model')?.status).toBe(expected);
  });

  it('reports a server that is not there', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      'model: {name: "openai-compatible:m", base_url: "http://127.0.0.1:1/v1"}\n',
    );
    const { code, report } = await doctor();
    expect(code).toBe(1);
    expect(find(report, 'model')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('openai-compatible:m'),
    });
  });

  it('prints a line per check for a person', async () => {
    const host = new FakeHost({ home, workingDirectory: tmpdir() });
    const { stdout } = await runOn(host, ['doctor']);
    expect(stdout).toMatch(/^ok {7}node +Node\.js /m);
    expect(stdout).toMatch(/^warning {2}model +no model is configured\n +set one with/m);
    expect(stdout.endsWith('No problems.\n')).toBe(true);
  });
});

describe('what was changed by an agent', () => {
  const config = () => join(home, 'config.yaml');

  function tampered(session = 's1'): string {
    mkdirSync(join(home, 'tampered/t'), { recursive: true, mode: 0o700 });
    writeFileSync(config(), 'agent:\n  max_iterations: 5\n');
    const aside = join(home, 'tampered/t/config.yaml');
    writeFileSync(aside, 'agent:\n  max_iterations: 500\nx: \u001b[2J\n');
    const records = new TamperRecords(join(home, 'run/tampered'), randomId);
    const files = [
      { path: config(), change: 'content', detail: '', aside, isPutBack: true, problem: '' } as const,
    ];
    const calls = [{ callId: 'c1', tool: 'terminal', description: 'terminal: sh x.sh' }];
    expect(records.add(session, { at: '2030-01-01T00:00:00.000Z', calls, files }).ok).toBe(true);
    return records.pathOf(session);
  }

  async function accept(answer: string, options: Partial<FakeHostOptions> = {}) {
    const host = new FakeHost({ home, workingDirectory: tmpdir(), isTty: true, ...options });
    const stdin = host.stdin();
    if (stdin instanceof PassThrough) stdin.write(answer);
    return runOn(host, ['doctor', '--accept', '-y']);
  }

  it('is a problem, and shown with its difference and without what steers a terminal', async () => {
    tampered();
    const { code, stdout } = await runOn(new FakeHost({ home, workingDirectory: tmpdir() }), ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {2}tampering +1 session is blocked/m);
    expect(stdout).toContain('terminal: sh x.sh');
    expect(stdout).toContain('-  max_iterations: 5\n');
    expect(stdout).toContain('+  max_iterations: 500\n');
    expect(stdout).toContain('+x: \\x1b[2J');
    expect(stdout).toContain(`copy ${join(home, 'tampered/t/config.yaml')} over it by hand`);
  });

  it('is a problem too when its record is damaged', async () => {
    writeFileSync(tampered(), '{');
    const { code, report } = await doctor();
    expect([code, find(report, 'tampering')?.status]).toEqual([1, 'problem']);
  });

  it('is accepted by a yes at a terminal, which lifts the block and changes nothing else', async () => {
    const record = tampered();
    const { code, stdout, stderr } = await accept('y\n');
    expect([code, stdout, existsSync(record)]).toEqual([0, 'accepted: the block is lifted\n', false]);
    expect(stderr).toContain('+  max_iterations: 500');
    expect(readFileSync(config(), 'utf8')).toContain('max_iterations: 5\n');
    expect((await accept('')).stdout).toBe('there is nothing to accept\n');
  });

  it.each([
    ['a no', 'n\n', {}, 1],
    ['nobody at a terminal', '', { isTty: false }, 2],
    ['an agent', 'y\n', { environment: { HERMA_SESSION: 's9' } }, 2],
  ] as const)('is not accepted by %s, whatever --yes says', async (_, answer, options, expected) => {
    const record = tampered();
    const { code } = await accept(answer, options);
    expect([code, existsSync(record)]).toEqual([expected, true]);
  });
});

describe('the checks', () => {
  const subject = () => ({
    paths: homePaths(home),
    environment: freezeVariables([]),
    clock: new FakeClock(),
    workingDirectory: '/',
  });

  it('that throw or hang are problems, and do not hold up the others', async () => {
    const given = subject();
    const checks: readonly DoctorCheck[] = [
      { name: 'throws', run: () => Promise.reject(new Error('oh\nno')) },
      { name: 'hangs', run: () => new Promise(() => undefined) },
      { name: 'works', run: () => Promise.resolve({ status: 'ok', message: 'fine' }) },
    ];
    const running = runChecks(checks, given, new AbortController().signal);
    await given.clock.advance(15_000);
    expect(await running).toMatchObject([
      { name: 'throws', status: 'problem', message: 'could not be checked: oh' },
      { name: 'hangs', status: 'problem', message: 'could not be checked within 15 s' },
      { name: 'works', status: 'ok' },
    ]);
  });

  it('end when they are interrupted', async () => {
    const controller = new AbortController();
    const checks: readonly DoctorCheck[] = [{ name: 'hangs', run: () => new Promise(() => undefined) }];
    const running = runChecks(checks, subject(), controller.signal);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});
