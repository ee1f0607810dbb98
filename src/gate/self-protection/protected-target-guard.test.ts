import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { callOf, type ProtectionRig, protectionRig } from './protection-rig.ts';

let folder: string;
let home: string;
let project: string;
let rig: ProtectionRig;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'target-')));
  [home, project] = [join(folder, 'you/.herma'), join(folder, 'you/project')];
  for (const path of [project, join(home, 'agent-hooks'), join(home, 'plugins')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), 'a: 1\n');
  writeFileSync(join(home, 'agent-hooks/guard.sh'), 'exit 2\n');
  rig = protectionRig({ home, userHome: join(folder, 'you'), cwd: project });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function judged(command: string, more: Partial<ToolCall> = {}) {
  const call = { ...callOf('execute'), args: { command }, cwd: project, ...more };
  const { verdict } = await rig.guard.consult(call, { recheck: false, signal: new AbortController().signal });
  return verdict.type;
}

describe('a command that names a protected file', () => {
  it.each([
    'echo x >> ~/.herma/shell-hooks-allowlist.json',
    'echo x >> $HOME/.herma/shell-hooks-allowlist.json',
    'echo x >> "${HOME}/.herma/approvals.json"',
    'echo x | tee "$HERMA_HOME/config.yaml"',
    'echo x > ../.herma/config.yaml',
    'echo x > ../project/../.herma/./config.yaml',
    'cd ~/.herma && sed -i s/1/2/ config.yaml',
    'cd ../.herma && echo x > config.yaml',
    'cp evil.sh ~/.herma/agent-hooks/guard.sh',
    'mkdir -p ~/.herma/plugins/evil',
    'chmod +x ~/.herma/agent-hooks/guard.sh',
    'ln -sf /tmp/x ~/.herma/plugin-data/agent-ledger/policy.json',
    'rm ~/.herma/plugin-data/agent-ledger/ledger.db',
    'rm -rf ~/.herma',
    'rm -rf ~/.herma/',
    'rm -rf ~/.herma/*',
    'rm -f ~/.herma/*.yaml',
    'rm -rf ~/.her*',
    'mv ~/.herma ~/old',
    'rm -rf ~',
    'rm -rf ..',
    'sudo rm -rf "$HOME"',
    'true; rm -rf ..',
    'mv .. /tmp/x',
    'chmod -R 777 ~',
    'rm -rf ~/.herma/run/tampered',
    'rm -rf ~/.herma/tampered',
    'bash -c "echo x > ~/.herma/config.yaml"',
    'echo x > ~/.herma/Config.YAML',
    'echo x > link',
    'echo x > way/config.yaml',
    'echo x > dangling',
    'echo x >> other-name',
    'python3 edit.py ~/.herma/config.yaml',
  ])('is refused: %s', async (command) => {
    symlinkSync(join(home, 'config.yaml'), join(project, 'link'));
    symlinkSync(home, join(project, 'way'));
    symlinkSync('../.herma/policy_link', join(project, 'first'));
    symlinkSync('../.herma/plugin-data/agent-ledger/policy.json', join(project, 'dangling'));
    linkSync(join(home, 'config.yaml'), join(project, 'other-name'));
    expect(await judged(command)).toBe('block');
  });

  it.each([
    'cat ~/.herma/config.yaml',
    'ls -la ~/.herma ~/.herma/plugins',
    'cat ~/.herma/logs/herma.log | head',
    'echo x > notes.txt',
    'cp a.txt ~/',
    'mv a.txt ~',
    'mv a.txt ..',
    'rm -rf build dist',
    'rm *.txt',
    'chmod 755 ..',
    'echo x > ~/.hermax/config.yaml',
    'npm test && git commit -m "about ~/.herma/config.yaml"',
    'echo x > ~/.herma/logs/x',
    'echo x > config.yaml',
    'echo x > plugins/x',
  ])('passes: %s', async (command) => {
    expect(await judged(command)).toBe('abstain');
  });

  it('is told that only the person can change it', async () => {
    const report = await rig.run('echo x >> ~/.herma/shell-hooks-allowlist.json');
    expect(report).toMatchObject({ status: 'blocked', executed: false, by: 'protected-files' });
    expect(report.message).toContain(join(home, 'shell-hooks-allowlist.json'));
    expect(report.message).toMatch(/only the person can change it.*herma config set/);
  });

  it('is seen from the folder it runs in', async () => {
    const report = await rig.call('terminal', { command: 'echo x > config.yaml', workdir: '../.herma' });
    expect(report).toMatchObject({ status: 'blocked', executed: false });
  });
});

describe('a tool that writes a file', () => {
  it.each([
    '~/.herma/config.yaml',
    '../.herma/agent-hooks/new.sh',
    '../.herma/CONFIG.yaml',
    'link',
    'way/plugins/x/index.js',
    'dangling',
    'other-name',
    'other-hook',
  ])('is refused %s', async (path) => {
    symlinkSync(join(home, 'config.yaml'), join(project, 'link'));
    symlinkSync(home, join(project, 'way'));
    symlinkSync('../.herma/approvals.json', join(project, 'dangling'));
    linkSync(join(home, 'config.yaml'), join(project, 'other-name'));
    linkSync(join(home, 'agent-hooks/guard.sh'), join(project, 'other-hook'));
    expect(await rig.call('write_file', { path })).toMatchObject({
      status: 'blocked',
      by: 'protected-files',
    });
    expect((await rig.call('read_file', { path })).status).toBe('ok');
  });

  it('is refused a configuration that is kept elsewhere behind a link', async () => {
    rmSync(join(home, 'config.yaml'));
    writeFileSync(join(project, 'herma.yaml'), '');
    symlinkSync(join(project, 'herma.yaml'), join(home, 'config.yaml'));
    expect((await rig.call('write_file', { path: 'herma.yaml' })).status).toBe('blocked');
  });

  it('may write other files, also those with other names', async () => {
    writeFileSync(join(project, 'a'), '');
    linkSync(join(project, 'a'), join(project, 'b'));
    for (const path of ['a', 'b', 'config.yaml', '.herma/config.yaml'])
      expect((await rig.call('write_file', { path })).status).toBe('ok');
  });
});

describe('a tool of another agent', () => {
  const foreign = { effect: 'external', origin: { kind: 'foreign', agent: 'other' } } as const;

  it.each([
    { command: 'echo x >> ~/.herma/config.yaml' },
    { file_path: '~/.herma/config.yaml', content: 'x' },
    { path: '../.herma/agent-hooks/guard.sh' },
  ])('is refused %j', async (args) => {
    expect(await judged('', { ...foreign, args })).toBe('block');
  });

  it('may do the rest', async () => {
    expect(await judged('', { ...foreign, args: { command: 'echo x > y', file_path: 'a' } })).toBe('abstain');
  });
});
