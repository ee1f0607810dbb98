import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  file = join(home, 'config.yaml');
});

async function herma(...argv: readonly string[]): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home }), argv);
}

describe('config set in the shell of an agent', () => {
  it.each(['', 'model: openai:gpt-5\n'])('is refused and changes nothing (%j)', async (text) => {
    writeFileSync(file, text);
    const host = new FakeHost({ home, environment: { HERMA_SESSION: 'ses_1' } });
    expect(await runOn(host, ['config', 'set', 'approvals.timeout', '1'])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('settings are not for an agent to change: HERMA_SESSION is set here'),
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('may still be preceded by a look', async () => {
    const host = new FakeHost({ home, environment: { HERMA_SESSION: 'ses_1' } });
    expect(await runOn(host, ['config', 'get', 'agent.max_iterations'])).toMatchObject({ code: 0 });
  });
});

describe('config get', () => {
  it('prints a value as it is, a section line by line, and everything', async () => {
    writeFileSync(file, 'model: openai:gpt-5\nagent: {verify: [npm test]}\n');
    expect(await herma('config', 'get', 'model')).toEqual({ code: 0, stdout: 'openai:gpt-5\n', stderr: '' });
    expect((await herma('config', 'get', 'agent')).stdout).toBe(
      'max_iterations = 90\nverify = ["npm test"]\nmax_verify_nudges = 3\n',
    );
    expect((await herma('config', 'get')).stdout).toContain('agent.max_iterations = 90\n');
  });

  it('prints one document with --json', async () => {
    const { code, stdout } = await herma('config', 'get', 'agent.max_iterations', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { value: 90, source: 'default' }]);
  });

  it('says that nothing is set, exit 4', async () => {
    expect(await herma('config', 'get', 'model')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'model is not set\n',
    });
    expect(JSON.parse((await herma('config', 'get', 'model', '--json')).stdout)).toEqual({
      value: null,
      source: 'none',
    });
  });

  it('refuses a key that does not exist, exit 2', async () => {
    expect(await herma('config', 'get', 'agent.max_iteration')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: agent.max_iteration is not a setting\n  did you mean agent.max_iterations?\n',
    });
  });
});

describe('config set', () => {
  it('writes, and says where', async () => {
    expect(await herma('config', 'set', 'agent.max_iterations', '5')).toEqual({
      code: 0,
      stdout: `agent.max_iterations is set in ${file}\n`,
      stderr: '',
    });
    expect(readFileSync(file, 'utf8')).toBe('agent:\n  max_iterations: 5\n');
    expect((await herma('config', 'set', 'agent.max_iterations', '5')).stdout).toBe(
      `${file} says so already\n`,
    );
  });

  it('refuses what does not fit, exit 2, and writes nothing', async () => {
    const { code, stderr } = await herma('config', 'set', 'agent.max_iterations', 'ninety');
    expect(code).toBe(2);
    expect(stderr).toBe(
      'herma: agent.max_iterations is "ninety" (text), expected a whole number from 1 to 10000\n' +
        '  correct it, or remove the line: the default is 90\n',
    );
    expect(() => readFileSync(file)).toThrow(/ENOENT/);
  });

  it('warns about a secret on standard error only', async () => {
    writeFileSync(file, 'mcp_servers: {a: {command: x}}\n');
    const { code, stdout, stderr } = await herma(
      'config',
      'set',
      'mcp_servers.a.env.API_KEY',
      'abc',
      '--json',
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { file, changed: true, problems: [{ severity: 'warning' }] },
    ]);
    expect(stderr).toContain('holds a secret in plain text');
  });
});

describe('config check', () => {
  it('is content without a file and with a good one', async () => {
    expect(await herma('config', 'check')).toEqual({ code: 0, stdout: `${file}: no problems\n`, stderr: '' });
  });

  it('lists every problem with its line, exit 1', async () => {
    writeFileSync(
      file,
      'agent:\n  max_iterations: x\negress:\n  rules:\n    - command: ./guard\ncron: {a: 1}\n',
    );
    const { code, stdout } = await herma('config', 'check');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      `error  ${file}:2:19: agent.max_iterations is "x" (text), expected a whole number from 1 to 10000`,
      '  correct it, or remove the line: the default is 90',
      `error  ${file}:3:1: egress is not supported by this version`,
      '  remove the section: it would protect nothing here',
      `warning  ${file}:6:1: cron is not supported by this version`,
      '  remove the section: it has no effect',
      `3 problems in ${file}`,
      '',
    ]);
  });

  it('lists them as one document with --json', async () => {
    writeFileSync(file, 'agent:\n\tx: 1\n');
    const { code, stdout } = await herma('config', 'check', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { file, exists: true, errors: 1, problems: [{ line: 2, column: 1, remedy: 'indent with spaces' }] },
    ]);
  });

  it('lists a file that cannot be read', async () => {
    mkdirSync(file);
    expect(await herma('config', 'check')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('a folder, not a file'),
    });
  });
});

describe('config path', () => {
  it('follows --home', async () => {
    expect((await herma('config', 'path')).stdout).toBe(`${file}\n`);
    expect((await herma('config', 'path', '--home', '/elsewhere')).stdout).toBe('/elsewhere/config.yaml\n');
    expect(JSON.parse((await herma('config', 'path', '--json')).stdout)).toEqual({ path: file });
  });
});
