import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

const MODULE = `export function register(ctx) {
  ctx.registerHook('pre_tool_call', () => undefined);
  ctx.registerTool({ name: 'mine', description: 'does\\u001b[2J much', execute: () => 'ran' });
  ctx.registerCommand({ name: 'hello', summary: 'says hello', run: () => undefined });
  ctx.registerSystemPromptSection({ id: 'rules', text: 'Be kind.' });
}`;
const REGISTERS = [
  '  hook pre_tool_call: may block and rewrite every call',
  '  tool mine (external): does\\x1b[2J much',
  '  command /hello: says hello',
  '  section rules of the system prompt (8 characters)',
];

let home: string;
let project: string;
let config: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  project = mkdtempSync(join(tmpdir(), 'project-'));
  config = join(home, 'config.yaml');
});

function write(folder: string, name: string, module = MODULE): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), `name: ${name}\nversion: 1.10\ndescription: a plugin\n`);
  writeFileSync(join(folder, 'index.js'), module);
}

async function plugins(...argv: readonly string[]): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home, workingDirectory: project }), ['plugins', ...argv]);
}

describe('herma plugins in the shell of an agent', () => {
  it.each(['enable', 'disable', 'install', 'remove'])('refuses to %s, and changes nothing', async (verb) => {
    const folder = join(home, 'plugins', 'good');
    const other = join(project, 'other');
    write(folder, 'good');
    write(other, 'other');
    writeFileSync(config, 'plugins: {enabled: [good]}\n');
    const host = new FakeHost({
      home,
      workingDirectory: project,
      environment: { HERMA_SESSION: 'ses_1' },
    });
    const argv = ['plugins', verb, verb === 'install' ? './other' : 'good', '-y'];
    expect(await runOn(host, argv)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`plugins are not for an agent to ${verb}: HERMA_SESSION is set here`),
    });
    expect(readFileSync(config, 'utf8')).toBe('plugins: {enabled: [good]}\n');
    expect(readdirSync(join(home, 'plugins'))).toEqual(['good']);
  });
});

describe('herma plugins list', () => {
  it('lists what is there, broken or not', async () => {
    write(join(home, 'plugins', 'good'), 'good');
    mkdirSync(join(home, 'plugins', 'empty'));
    const { code, stdout, stderr } = await plugins('list');
    expect([code, stderr, stdout.trimEnd().split('\n')]).toEqual([
      0,
      '',
      [
        'NAME   VERSION  STATE             SOURCE  DESCRIPTION',
        'empty           disabled, broken  folder  there is no plugin.yaml and no plugin.yml in it',
        'good   1.10     disabled          folder  a plugin',
      ],
    ]);
    expect(JSON.parse((await plugins('list', '--json')).stdout)).toMatchObject([
      { name: 'empty', problem: expect.stringContaining('plugin.yaml'), enabled: false },
      { name: 'good', version: '1.10', problem: null, enabled: false, source: 'folder' },
    ]);
  });

  it('is empty in a new home, and says no when an enabled plugin is not there', async () => {
    expect(await plugins('list')).toEqual({ code: 0, stdout: '', stderr: 'there are no plugins\n' });
    writeFileSync(config, 'plugins:\n  enabled: [gone]\n');
    expect(await plugins('list')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('enabled, broken'),
    });
  });
});

describe('herma plugins enable and disable', () => {
  it('change config.yaml and leave its comments', async () => {
    write(join(home, 'plugins', 'good'), 'good');
    const before = '# mine\nplugins:\n  # those I trust\n  enabled: []\nagent:\n  max_iterations: 5 # few\n';
    writeFileSync(config, before);
    expect(await plugins('enable', 'good')).toEqual({
      code: 0,
      stdout: [...REGISTERS, 'good is enabled, in effect from the next session on', ''].join('\n'),
      stderr: '',
    });
    const after = readFileSync(config, 'utf8');
    for (const kept of ['# mine', '# those I trust', 'max_iterations: 5 # few'])
      expect(after).toContain(kept);
    expect(JSON.parse((await plugins('list', '--json')).stdout)).toMatchObject([{ enabled: true }]);
    expect(await plugins('enable', 'good')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('enabled already'),
    });
    expect(await plugins('disable', 'good')).toMatchObject({
      code: 0,
      stdout: 'good is disabled, in effect from the next session on\n',
    });
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(await plugins('disable', 'good')).toMatchObject({ code: 0, stdout: 'good was not enabled\n' });
  });

  it('know the list of plugins that are disabled whatever the other list says', async () => {
    write(join(home, 'plugins', 'good'), 'good');
    writeFileSync(config, 'plugins:\n  enabled: [good]\n  disabled: [good, other]\n');
    expect(JSON.parse((await plugins('list', '--json')).stdout)).toMatchObject([{ enabled: false }]);
    expect((await plugins('enable', 'good')).code).toBe(0);
    expect(JSON.parse((await plugins('list', '--json')).stdout)).toMatchObject([{ enabled: true }]);
    expect(readFileSync(config, 'utf8')).toMatch(/disabled:.*other/s);
  });

  it('refuse what cannot be loaded, what is not there, and what is no name, exit 2', async () => {
    write(join(home, 'plugins', 'bad'), 'bad', 'throw new Error("no")');
    for (const [verb, name] of [
      ['enable', 'bad'],
      ['enable', 'gone'],
      ['disable', 'gone'],
      ['enable', '../x'],
      ['show', '../x'],
    ] as const)
      expect(await plugins(verb, name)).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(config)).toBe(false);
  });
});

describe('herma plugins show', () => {
  it('says what the plugin registers', async () => {
    write(join(home, 'plugins', 'good'), 'good');
    const { code, stdout } = await plugins('show', 'good');
    expect([code, stdout.trimEnd().split('\n')]).toEqual([
      0,
      ['good 1.10', '  a plugin', '  runs in the thread of the agent', ...REGISTERS],
    ]);
    expect(JSON.parse((await plugins('show', 'good', '--json')).stdout)).toMatchObject({
      name: 'good',
      registers: { hooks: ['pre_tool_call'], tools: [{ name: 'mine', effect: 'external' }] },
    });
  });
});

describe('herma plugins install', () => {
  it('installs without enabling, also with -y', async () => {
    write(join(project, 'mine'), 'good');
    const { code, stdout } = await plugins('install', './mine', '-y');
    expect(code).toBe(0);
    expect(stdout).toContain('installed: good 1.10\n');
    for (const line of REGISTERS) expect(stdout).toContain(line);
    expect(stdout).toContain('it is not enabled: herma plugins enable good\n');
    expect(existsSync(config)).toBe(false);
  });

  it('enables with --enable', async () => {
    write(join(project, 'mine'), 'good');
    const { code, stdout } = await plugins('install', './mine', '--enable', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { name: 'good', enabled: true, source: './mine', registers: { hooks: ['pre_tool_call'] } },
    ]);
    expect(readFileSync(config, 'utf8')).toContain('good');
  });

  it.each([
    ['y', true],
    ['n', false],
  ])('asks on a terminal whether to enable; %s', async (typed, isEnabled) => {
    write(join(project, 'mine'), 'good');
    const host = new FakeHost({ home, workingDirectory: project, isTty: true });
    const input = host.stdin();
    if (!(input instanceof PassThrough)) throw new Error('the input is no terminal');
    const run = runOn(host, ['plugins', 'install', './mine']);
    input.write(`${typed}\n`);
    expect(await run).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Enable good from the next session on? [y/N]'),
    });
    expect(existsSync(config)).toBe(isEnabled);
  });

  it('answers that the journal is built in', async () => {
    expect(await plugins('install', 'agent-ledger')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('agent-ledger is built in'),
      stderr: '',
    });
  });

  it('fails, exit 2, and leaves nothing', async () => {
    mkdirSync(join(project, 'mine'));
    expect(await plugins('install', './mine')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is no plugin'),
    });
    expect(await plugins('install', './nothing')).toMatchObject({ code: 2 });
    expect(readdirSync(join(home, 'plugins'))).toEqual([]);
  });
});

describe('herma plugins remove', () => {
  it('asks, disables and removes', async () => {
    write(join(home, 'plugins', 'good'), 'good');
    await plugins('enable', 'good');
    expect(await plugins('remove', 'good')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add -y'),
    });
    expect(await plugins('remove', 'good', '-y')).toMatchObject({ code: 0, stdout: 'removed: good\n' });
    expect(readdirSync(join(home, 'plugins'))).toEqual([]);
    expect(readFileSync(config, 'utf8')).not.toContain('good');
    expect(await plugins('remove', 'good', '-y')).toMatchObject({ code: 2 });
  });
});
