import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  file = join(home, 'approvals.json');
});

const always = {
  id: 'apr_1',
  tool: 'terminal',
  rule: 'call:abc',
  project: '/work/project',
  approved_at: '2029-12-31T22:00:00.000Z',
  shown: 'terminal: rm -rf d3',
};
const session = {
  ...always,
  id: 'apr_2',
  rule: 'rule:rm_recursive',
  session_id: 's1',
  shown: 'terminal: a\u001b[2Jb',
};

function remember(...approvals: readonly object[]): void {
  writeFileSync(file, JSON.stringify({ version: 1, approvals }));
}

async function approvals(...argv: readonly string[]): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home }), ['approvals', ...argv]);
}

describe('herma approvals in the shell of an agent', () => {
  it.each([
    ['revoke', 'apr_1'],
    ['clear', '-y'],
  ])('refuses to %s, and changes nothing', async (...argv) => {
    remember(always);
    const before = readFileSync(file, 'utf8');
    const host = new FakeHost({ home, environment: { HERMA_SESSION: 'ses_1' } });
    expect(await runOn(host, ['approvals', ...argv])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'approvals are not for an agent to withdraw: HERMA_SESSION is set here',
      ),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('lists them', async () => {
    remember(always);
    const host = new FakeHost({ home, environment: { HERMA_SESSION: 'ses_1' } });
    expect(await runOn(host, ['approvals', 'list'])).toMatchObject({ code: 0 });
  });
});

describe('herma approvals list', () => {
  it('shows what was approved, how long and where it holds', async () => {
    remember(always, session);
    const { code, stdout, stderr } = await approvals('list');
    expect([code, stderr, stdout.trimEnd().split('\n')]).toEqual([
      0,
      '',
      [
        'ID     HOLDS                          APPROVED  PROJECT        CALL',
        'apr_1  always                         2h ago    /work/project  terminal: rm -rf d3',
        'apr_2  session s1, rule:rm_recursive  2h ago    /work/project  terminal: a\\x1b[2Jb',
      ],
    ]);
  });

  it('prints an array with --json', async () => {
    remember(always, session);
    const { stdout } = await approvals('list', '--json');
    expect(JSON.parse(stdout)).toEqual([{ ...always, session_id: null }, session]);
  });

  it('is empty where nothing was approved', async () => {
    expect(await approvals('list')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'nothing is approved for longer than once\n',
    });
    expect(await approvals('list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(existsSync(file)).toBe(false);
  });

  it.each(['{"version":1,"approvals":[{}]}', '{"version":9,"approvals":[]}', 'nonsense', ''])(
    'fails, exit 2, on a file that holds %j, and leaves it',
    async (text) => {
      writeFileSync(file, text);
      for (const verb of [['list'], ['revoke', 'apr_1'], ['clear', '-y']]) {
        const { code, stderr } = await approvals(...verb);
        expect([code, stderr]).toEqual([2, expect.stringContaining(file)]);
      }
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );
});

describe('herma approvals revoke', () => {
  it('withdraws one', async () => {
    remember(always, session);
    expect(await approvals('revoke', 'apr_1')).toEqual({
      code: 0,
      stdout: 'withdrawn: terminal: rm -rf d3\n',
      stderr: '',
    });
    expect(JSON.parse((await approvals('list', '--json')).stdout)).toEqual([session]);
    expect(JSON.parse((await approvals('revoke', 'apr_2', '--json')).stdout)).toEqual(session);
  });

  it('refuses an id that is not there, exit 2', async () => {
    remember(always);
    const before = readFileSync(file, 'utf8');
    expect(await approvals('revoke', 'apr_9')).toMatchObject({
      code: 2,
      stderr: 'herma: There is no approval "apr_9".\n  See `herma approvals list`.\n',
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(before));
  });

  it('needs an id', async () => {
    expect((await approvals('revoke')).code).toBe(2);
  });
});

describe('herma approvals clear', () => {
  it('withdraws all with -y', async () => {
    remember(always, session);
    expect(await approvals('clear', '-y')).toEqual({
      code: 0,
      stdout: 'withdrawn: 2 approvals\n',
      stderr: '',
    });
    expect(JSON.parse((await approvals('list', '--json')).stdout)).toEqual([]);
    expect(JSON.parse((await approvals('clear', '--json')).stdout)).toEqual({ withdrawn: 0 });
  });

  it('does nothing when nobody can be asked, exit 2', async () => {
    remember(always);
    const { code, stderr } = await approvals('clear');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Withdraw 1 approval\?\n {2}Add -y/)]);
    expect(readFileSync(file, 'utf8')).toContain('apr_1');
  });

  it.each([
    ['n', 1, 'nothing was withdrawn\n'],
    ['y', 0, 'withdrawn: 1 approval\n'],
  ])('asks on a terminal; %s is exit %i', async (typed, expected, said) => {
    remember(always);
    const host = new FakeHost({ home, isTty: true });
    const input = host.stdin();
    if (!(input instanceof PassThrough)) throw new Error('the input is no terminal');
    const run = runOn(host, ['approvals', 'clear']);
    input.write(`${typed}\n`);
    const { code, stdout, stderr } = await run;
    expect([code, stdout, stderr]).toEqual([expected, said, 'Withdraw 1 approval? [y/N] ']);
    expect(readFileSync(file, 'utf8').includes('apr_1')).toBe(typed === 'n');
  });
});
