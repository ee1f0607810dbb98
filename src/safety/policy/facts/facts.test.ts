import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { analyseCommand } from '../../../shell/index.ts';
import { type CallFacts, factsOf } from './call-facts.ts';
import { COMMAND_TOOLS, commandOfCall, quoted } from './command-of-call.ts';
import { followLinks } from './follow-links.ts';
import type { PolicyCall } from './policy-call.ts';
import { readScriptFile } from './read-script.ts';
import { hostsIn, urlsIn } from './urls-of-call.ts';

const place = { home: '/home/u', workspace: '/home/u/proj', hermaHome: '/home/u/.herma' };

function facts(call: Partial<PolicyCall>, realPath?: (path: string) => string): CallFacts {
  return factsOf(
    { tool: 'read_file', args: {}, cwd: '/home/u/proj', paths: [], effect: 'none', ...call },
    {
      analyse: analyseCommand,
      commandTools: COMMAND_TOOLS,
      place: realPath === undefined ? place : { ...place, realPath },
      unattended: false,
    },
  );
}

const classes = (call: Partial<PolicyCall>): readonly string[] =>
  facts(call).findings.map((finding) => finding.class);

describe('commandOfCall', () => {
  it.each([
    [
      { tool: 'terminal', args: { command: 'ls' } },
      { type: 'command', text: 'ls' },
    ],
    [
      { tool: 'Bash', args: { command: 'ls' } },
      { type: 'command', text: 'ls' },
    ],
    [
      { tool: 'exec_command', args: { cmd: 'ls' } },
      { type: 'command', text: 'ls' },
    ],
    [
      { tool: 'shell', args: { command: ['bash', '-lc', 'rm -rf /'] } },
      { type: 'command', text: "bash -lc 'rm -rf /'" },
    ],
    [{ tool: 'shell', args: { command: ['rm', 1] } }, { type: 'unreadable' }],
    [{ tool: 'terminal', args: { command: 7 } }, { type: 'unreadable' }],
    [{ tool: 'terminal', args: {} }, { type: 'none' }],
    [
      { tool: 'execute_code', args: { language: 'Bash', code: 'ls' } },
      { type: 'command', text: 'ls' },
    ],
    [{ tool: 'execute_code', args: { language: 'python', code: 'x' } }, { type: 'none' }],
    [{ tool: 'write_file', args: { command: 'ls' } }, { type: 'none' }],
  ])('%j is %j', (call, command) => {
    expect(commandOfCall(call, COMMAND_TOOLS)).toEqual(command);
  });

  it('quotes words so that a shell reads them back', () => {
    expect(["it's", 'a b', '~', '', 'X=1', 'plain-1.txt'].map(quoted)).toEqual([
      `'it'\\''s'`,
      "'a b'",
      "'~'",
      "''",
      "'X=1'",
      'plain-1.txt',
    ]);
  });
});

describe('factsOf', () => {
  it('reads a command where the call says it runs', () => {
    const { place: where, findings } = facts({
      tool: 'terminal',
      args: { command: 'rm -rf *', workdir: '/' },
      effect: 'execute',
    });
    expect([where.cwd, findings[0]?.class]).toEqual(['/', 'delete-root']);
    expect(facts({ tool: 'terminal', args: { command: 'ls', workdir: '~/x' } }).place.cwd).toBe('/home/u/x');
  });

  it('keeps what a command runs apart from what it mentions', () => {
    const { texts } = facts({ tool: 'terminal', args: { command: "echo 'rm -rf /'; ls" } });
    expect([
      texts.code.includes('rm -rf'),
      texts.data.includes('rm -rf'),
      texts.raw.includes('rm -rf'),
    ]).toEqual([false, true, true]);
  });

  it('takes all of a command for code when it cannot be read', () => {
    const { texts, problem } = facts({ tool: 'terminal', args: { command: 'echo "x' } });
    expect([texts.code, texts.data, problem]).toEqual(['echo "x', 'echo "x', 'syntax']);
  });

  it('sees the lines that run before a mistake, and the beginning of what is too long', () => {
    const early = facts({ tool: 'terminal', args: { command: 'rm -rf /\necho "unfinished' } });
    expect([early.findings[0]?.class, early.problem]).toEqual(['delete-root', 'syntax']);
    const later = `ls\nrm -rf /\n${'ls\n'.repeat(20)}echo "unfinished\n${'more\n'.repeat(20)}`;
    expect(classes({ tool: 'terminal', args: { command: later } })).toContain('delete-root');
    const long = facts({ tool: 'terminal', args: { command: `rm -rf / # ${'x'.repeat(40_000)}` } });
    expect([long.findings[0]?.class, long.problem]).toEqual(['delete-root', 'too_long']);
  });

  it('does not take data of a command that is too long for commands', () => {
    const text = `cat <<'E' > notes\n${'rm -rf /\n'.repeat(5000)}E\n`;
    expect(classes({ tool: 'terminal', args: { command: text } })).toEqual(['not-understood']);
  });

  it.each<[Partial<PolicyCall>, string]>([
    [{ tool: 'read_file', args: { path: '~/.ssh/id_ed25519' }, paths: ['~/.ssh/id_ed25519'] }, 'cred-read'],
    [{ tool: 'Read', args: { file_path: '/home/u/.aws/credentials' } }, 'cred-read'],
    [{ tool: 'search_files', args: { path: '/home/u/.ssh' } }, 'cred-read'],
    [
      { tool: 'write_file', effect: 'write', paths: ['/home/u/.herma/plugin-data/agent-ledger/policy_mode'] },
      'self-tamper',
    ],
    [{ tool: 'patch', effect: 'write', paths: ['../.herma/config.yaml'] }, 'self-tamper'],
    [{ tool: 'write_file', effect: 'write', paths: ['/home/u/.ssh/authorized_keys'] }, 'persistence'],
    [{ tool: 'write_file', effect: 'write', paths: ['~/.bashrc'] }, 'startup'],
    [{ tool: 'write_file', effect: 'write', paths: ['/dev/sda'] }, 'device'],
    [{ tool: 'mcp__fs__read', effect: 'external', args: { path: '/etc/shadow' } }, 'cred-read'],
    [{ tool: 'web_extract', args: { url: 'http://169.254.169.254/latest/' } }, 'imds'],
  ])('%j is %s', (call, name) => {
    expect(classes(call)).toContain(name);
  });

  it.each<Partial<PolicyCall>>([
    { tool: 'read_file', paths: ['README.md'] },
    { tool: 'read_file', paths: ["it's; rm -rf ~"] },
    { tool: 'read_file', paths: ['a\u200db.txt'] },
    { tool: 'write_file', effect: 'write', paths: ['src/a.ts', '-rf'] },
    {
      tool: 'write_file',
      effect: 'write',
      paths: ['notes.md'],
      args: { content: 'rm -rf / && cat ~/.ssh/id_rsa' },
    },
    { tool: 'write_file', effect: 'write', paths: ['.env'], args: { content: 'A=1' } },
    { tool: 'search_files', args: { path: '.' }, paths: ['.'] },
    { tool: 'web_extract', args: { url: 'https://example.com/' } },
  ])('%j is no danger', (call) => {
    expect(classes(call)).toEqual([]);
  });

  it.each([
    'herma policy mode off -y',
    'herma --home /home/u/.herma policy mode off',
    'env -u HERMA_SESSION herma config set policy.floors false',
    "sh -c 'herma hooks approve pre_tool_call x'",
    'npx herma plugins install ./x',
    'node /opt/herma/bin/herma.js policy init',
    'X=herma; $X approvals clear',
  ])('%s is for a person', (command) => {
    expect(classes({ tool: 'terminal', args: { command } })).toContain('self-tamper');
  });

  it.each([
    'herma policy mode',
    'herma policy list',
    "herma policy check 'herma policy mode off'",
    'herma config get model',
    'echo herma policy mode off',
    'git commit -m "herma policy mode off"',
    'constructor policy mode off',
  ])('%s is not', (command) => {
    expect(classes({ tool: 'terminal', args: { command } })).toEqual([]);
  });

  it('judges files by where their links lead', () => {
    const call = { tool: 'read_file', paths: ['notes.txt'] };
    const { findings, reads } = facts(call, (path) =>
      path.endsWith('notes.txt') ? '/home/u/.ssh/id_rsa' : path,
    );
    expect([findings[0]?.class, reads]).toEqual(['cred-read', ['/home/u/.ssh/id_rsa']]);
  });

  it('takes the files of a call by its effect', () => {
    const paths = ['a.txt'];
    const file = '/home/u/proj/a.txt';
    expect(facts({ paths, effect: 'none' })).toMatchObject({ reads: [file], writes: [] });
    expect(facts({ paths, effect: 'write' })).toMatchObject({ reads: [], writes: [file] });
    expect(facts({ paths, effect: 'external' })).toMatchObject({ reads: [file], writes: [file] });
  });
});

describe('the web addresses of a call', () => {
  it('are found in any text', () => {
    const urls = urlsIn(
      'see https://A.test/x?y=1, (http://b.test:8080/) and ftp://u:p@c.test/ or httpx://no',
    );
    expect(hostsIn(urls)).toEqual(['a.test', 'b.test', 'c.test']);
  });

  it('are those a browser would go to', () => {
    expect(hostsIn(urlsIn('http://0xA9FEA9FE/ http://good.test@evil.test/'))).toEqual([
      '169.254.169.254',
      'evil.test',
    ]);
  });
});

describe('files of this machine', () => {
  let folder = '';
  beforeEach(async () => {
    folder = followLinks(await mkdtemp(join(tmpdir(), 'policy-')));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('are followed through links, also to what is not there yet', async () => {
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'link'));
    await symlink(join(folder, 'real/new.txt'), join(folder, 'dangling'));
    await symlink('loop', join(folder, 'loop'));
    expect(followLinks(join(folder, 'link/x/y'))).toBe(join(folder, 'real/x/y'));
    expect(followLinks(join(folder, 'dangling'))).toBe(join(folder, 'real/new.txt'));
    expect(followLinks(`${folder}/link/../z`)).toBe(join(folder, 'z'));
    expect(followLinks(join(folder, 'loop'))).toContain('loop');
  });

  it('are read as scripts when they are short texts', async () => {
    await writeFile(join(folder, 'a.sh'), 'ls\n');
    await writeFile(join(folder, 'b.bin'), new Uint8Array([1, 0, 2]));
    await writeFile(join(folder, 'c.bin'), new Uint8Array([0xff, 0xfe, 0x41]));
    await writeFile(join(folder, 'd.sh'), 'x'.repeat(65_537));
    const read = (name: string): string | undefined => readScriptFile(join(folder, name));
    expect(['a.sh', 'b.bin', 'c.bin', 'd.sh', 'e.sh', 'a.sh/x'].map(read)).toEqual([
      'ls\n',
      ...Array.from({ length: 5 }, () => undefined),
    ]);
  });
});
