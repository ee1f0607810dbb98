import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRedactor } from '../../../kernel/redact/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { openLedger, recordDecision } from '../../../safety/ledger/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PRETENDED = ['--cwd', '/home/u/proj', '--home-dir', '/home/u'];

let folder: string;
let home: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'policy-verb-')));
  home = join(folder, 'herma');
});

async function policy(
  argv: readonly string[],
  more: Partial<FakeHostOptions> = {},
): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home, workingDirectory: folder, ...more }), ['policy', ...argv]);
}

async function json(argv: readonly string[], more: Partial<FakeHostOptions> = {}): Promise<unknown> {
  const { stdout } = await policy([...argv, '--json'], more);
  const value: unknown = JSON.parse(stdout);
  return value;
}

/** Writes a file of the policy. */
function write(name: 'policy.json' | 'policy_mode', content: string | object): string {
  const path = join(home, 'plugin-data/agent-ledger', name);
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

const ruled = (...rules: readonly object[]): object => ({ version: 1, rules });
const modeFile = (): string => join(home, 'plugin-data/agent-ledger/policy_mode');

describe('herma policy check', () => {
  it.each([
    ['rm -rf /', 1, 'block', 'floor-delete-root', 'delete-root'],
    ['X=rm; $X -rf ../sibling', 1, 'ask', 'delete-outside', 'delete-outside'],
    ["echo 'rm -rf /'", 0, 'allow', null, null],
  ])('judges %s', async (command, code, verdict, rule, named) => {
    const run = await policy(['check', command, ...PRETENDED, '--json']);
    expect([run.code, run.stderr]).toEqual([code, '']);
    expect(JSON.parse(run.stdout)).toEqual({
      verdict,
      rule,
      class: named,
      resolved: expect.any(String),
      message: verdict === 'allow' ? '' : expect.stringContaining(`policy rule ${String(rule)}: rm -rf`),
    });
  });

  it('tells a person the verdict, the rule, what would run and why', async () => {
    const { code, stdout } = await policy(['check', 'X=rm; $X -rf ../sibling', ...PRETENDED]);
    expect([code, stdout.split('\n')]).toEqual([
      1,
      [
        'ask  delete-outside',
        '  would run: rm -rf ../sibling',
        expect.stringMatching(/^ {2}policy rule delete-outside: .*one by one/),
        '',
      ],
    ]);
    expect((await policy(['check', 'ls'])).stdout).toBe('allow\n  would run: ls\n');
  });

  it('is coloured on a terminal only, and shows nothing that steers it', async () => {
    const colourful = await policy(['check', 'rm -rf /'], { isTty: true });
    expect(colourful.stdout).toContain('\u001b[31mblock\u001b[39m');
    const { stdout } = await policy(['check', "rm -rf '../a\u001b[2Jb'"]);
    expect(stdout).toBe(stripVTControlCharacters(stdout));
  });

  it('takes a question for a block when nobody can be asked', async () => {
    expect(await json(['check', 'rm -rf ../x', '--unattended', ...PRETENDED])).toMatchObject({
      verdict: 'block',
      message: expect.stringContaining('nobody is there'),
    });
  });

  it.each(['off', 'dry_run', 'enforce'])('judges in mode %s as if it was enforced', async (mode) => {
    write('policy_mode', mode);
    expect(await json(['check', 'cat ~/.ssh/id_rsa'])).toMatchObject({ verdict: 'block', rule: 'cred-read' });
  });

  it('judges by the rules of policy.json too, and by floors that policy.floors says', async () => {
    write('policy.json', ruled({ id: 'mine', decision: 'ask', when: { 'argv.prefix': ['make'] } }));
    expect(await json(['check', 'make all'])).toMatchObject({ verdict: 'ask', rule: 'mine' });
    writeFileSync(join(home, 'config.yaml'), 'policy: {floors: false}\n');
    expect(await json(['check', 'rm -rf /'])).toMatchObject({ verdict: 'block', rule: 'delete-root' });
  });

  it('makes nothing, records nothing and asks nobody', async () => {
    const { code } = await policy(['check', 'cat ~/.ssh/id_rsa', '--cwd', 'nowhere/at/all'], { isTty: true });
    expect([code, readdirSync(folder)]).toEqual([1, []]);
  });

  it('knows the folder of the call and the project around it', async () => {
    write('policy.json', ruled({ id: 'lib', decision: 'ask', when: { 'path.write': 'lib/**' } }));
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
    mkdirSync(join(folder, 'project/src'));
    const ruleIn = async (command: string, cwd: string): Promise<unknown> =>
      json(['check', command, '--cwd', cwd]);
    expect(await ruleIn('touch ../lib/x', 'project/src')).toMatchObject({ rule: 'lib' });
    expect(await ruleIn('touch lib/x', join(folder, 'project/src'))).toMatchObject({ rule: null });
    expect(await ruleIn('touch lib/x', 'nowhere')).toMatchObject({ rule: 'lib' });
  });

  it('knows the pretended home, with that of Herma below it', async () => {
    write('policy.json', ruled({ id: 'real', decision: 'block', when: { 'argv.prefix': ['make'] } }));
    const pretended = join(folder, 'other');
    mkdirSync(join(pretended, '.herma/plugin-data/agent-ledger'), { recursive: true });
    const path = join(pretended, '.herma/plugin-data/agent-ledger/policy.json');
    const document = ruled({ id: 'below', decision: 'ask', when: { 'argv.prefix': ['make'] } });
    writeFileSync(path, JSON.stringify(document), { mode: 0o600 });
    const there = ['--home-dir', 'other', '--cwd', '/srv/p'];
    expect(await json(['check', 'make', ...there])).toMatchObject({ rule: 'below' });
    expect(await json(['check', 'make', ...there, '--home', home])).toMatchObject({ rule: 'real' });
    expect(await json(['check', 'rm -rf ~', ...there])).toMatchObject({ class: 'delete-home' });
    expect(await json(['check', `echo off >${pretended}/.herma/config.yaml`, ...there])).toMatchObject({
      rule: 'floor-self-tamper',
    });
  });

  it('needs no folder to be in when one is given', async () => {
    const nowhere = (): FakeHost => new FakeHost({ home });
    expect(await runOn(nowhere(), ['policy', 'check', 'ls', ...PRETENDED])).toMatchObject({ code: 0 });
    expect(await runOn(nowhere(), ['policy', 'check', 'ls'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no longer exists'),
    });
  });

  it.each([
    ['Bash', 'rm -rf ../x', 'delete-outside'],
    ['execute_code', 'rm -rf ../x', 'delete-outside'],
    ['exec_command', 'rm -rf ../x', 'delete-outside'],
    ['read_file', '{"path": "~/.ssh/id_rsa"}', 'cred-read'],
    ['write_file', '{"path": "~/.bashrc", "content": ""}', 'startup'],
    ['Read', '{"file_path": "/home/u/.aws/credentials"}', 'cred-read'],
    [
      'patch',
      '{"mode": "patch", "patch": "*** Begin Patch\\n*** Delete File: /home/u/.bashrc\\n"}',
      'startup',
    ],
    ['write_file', '{"path": "a.txt", "content": ""}', null],
    ['constructor', '{}', null],
  ])('judges a call of %s', async (tool, text, rule) => {
    expect(await json(['check', text, '--tool', tool, ...PRETENDED])).toMatchObject({ rule });
  });

  it.each([
    [['check'], 'no command is given'],
    [['check', 'ls', '--stdin'], '--stdin and a command are both given'],
    [['check', 'notes.txt', '--tool', 'read_file'], 'the tool "read_file" runs no commands'],
    [['check', 'ls', '--tool', ''], 'expected a text that is not empty'],
    [['explain'], 'no command is given'],
  ])('refuses %j', async (argv, message) => {
    expect(await policy(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('is refused, and allows nothing, when the configuration cannot be used', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), 'polcy: {}\n');
    expect(await policy(['check', 'ls'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('says when policy.json cannot be used', async () => {
    write('policy.json', '{"version": 1, "rulez": []}');
    const { code, stderr } = await policy(['check', 'ls']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/CANNOT BE USED(.|\n)*"rulez"/)]);
  });
});

describe('herma policy check --stdin', () => {
  async function answers(lines: string, ...argv: readonly string[]): Promise<readonly unknown[]> {
    const { code, stdout } = await policy(['check', '--stdin', ...PRETENDED, ...argv], { stdin: lines });
    expect(code).toBe(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }

  it('answers each line with one', async () => {
    const lines = [
      '"rm -rf /"',
      '{"command": "rm -rf ../proj/build", "cwd": "/home/u/proj"}',
      '{"command": "rm -rf ../proj/build", "cwd": "/srv/other", "id": 3}',
      '{"command": "ls", "cwd": "src"}',
      '{"command": "rm -rf ../x", "unattended": true}',
      '{"command": "{\\"path\\": \\"~/.netrc\\"}", "tool": "read_file"}',
      '"a\u2028b"',
    ];
    const verdicts = ['block', 'allow', 'ask', 'allow', 'block', 'block'];
    const given = await answers(`${lines.join('\r\n')}\n`);
    expect(given.slice(0, 6)).toMatchObject(verdicts.map((verdict) => ({ verdict })));
    expect(given).toHaveLength(7);
    expect(given[0]).toEqual({
      verdict: 'block',
      rule: 'floor-delete-root',
      class: 'delete-root',
      resolved: 'rm -rf /',
      message: expect.stringContaining('Nothing lifts this rule'),
    });
  });

  it('answers a line that cannot be judged with an error, which is a block, and goes on', async () => {
    const bad = [
      '',
      'rm -rf /',
      '7',
      'null',
      '["ls"]',
      '{}',
      '{"command": 7}',
      '{"command": "ls", "cwd": ""}',
      '{"command": "ls", "tool": 1}',
      '{"command": "ls", "unattended": "no"}',
      '{"command": "ls", "tool": "read_file"}',
      `"${'x'.repeat(4 * 1024 * 1024)}"`,
    ];
    const given = await answers(`${bad.join('\n')}\n"ls"`);
    expect(given).toHaveLength(bad.length + 1);
    for (const answer of given.slice(0, -1))
      expect(answer).toMatchObject({ verdict: 'block', error: { message: expect.any(String) } });
    expect(given.at(-1)).toMatchObject({ verdict: 'allow' });
  });

  it('says nothing to an input that is empty, and waits for no terminal', async () => {
    expect(await policy(['check', '--stdin'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await policy(['check', '--stdin'], { isTty: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input is a terminal'),
    });
  });
});

describe('herma policy explain', () => {
  it('shows every rule that fits or comes near, what was found, and what is not seen', async () => {
    write(
      'policy.json',
      ruled(
        { id: 'lax', decision: 'allow', when: { 'argv.prefix': ['cat'] } },
        { id: 'all', decision: 'ask' },
      ),
    );
    const { code, stdout } = await policy([
      'explain',
      'cat ~/.ssh/id_rsa; rm -rf ../x',
      ...PRETENDED,
      '--home',
      home,
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^block {2}cred-read\n/);
    expect(stdout).toMatch(/\nDangers that were found:\n {2}cred-read: cat .*\n {2}delete-outside: rm -rf/);
    expect(stdout).toMatch(/\ncred-read +builtin +block +critical +match +cred-read/);
    expect(stdout).toMatch(/\nlax +file +allow +medium +near +.*covers only a part/);
    expect(stdout).toMatch(/\nA seat belt, not a wall: .*\n$/);
  });

  it('is one document with --json', async () => {
    expect(await json(['explain', 'rm -rf ../x', ...PRETENDED])).toMatchObject({
      verdict: 'ask',
      rule: 'delete-outside',
      resolved: 'rm -rf ../x',
      unattended: false,
      classes: [{ class: 'delete-outside', evidence: 'rm -rf ../x', targets: ['/home/u/x'] }],
      candidates: [
        {
          rule: 'delete-outside',
          source: 'builtin',
          decision: 'ask',
          severity: 'high',
          state: 'match',
          why: expect.any(String),
        },
      ],
      limits: expect.stringContaining('not a wall'),
    });
  });

  it('says that there is nothing to say', async () => {
    const { code, stdout } = await policy(['explain', 'ls']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('No danger was found.')]);
    expect(stdout).toContain('No rule fits or comes near.');
  });
});

describe('herma policy test', () => {
  it('runs the tests of every rule', async () => {
    write(
      'policy.json',
      ruled({
        id: 'mine',
        decision: 'ask',
        when: { 'argv.prefix': ['make'] },
        tests: { hit: ['make all'], miss: ['ls'] },
      }),
    );
    const { code, stdout } = await policy(['test']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ tests of \d+ rules: all pass\n$/)]);
    const builtin = Number(/^\d+/.exec(stdout)?.[0]);
    write('policy.json', ruled());
    expect(await json(['test'])).toMatchObject({ tests: builtin - 2, failures: [] });
  });

  it('fails when one fails, with the rule and the text', async () => {
    write(
      'policy.json',
      ruled({
        id: 'mine',
        decision: 'ask',
        when: { 'argv.prefix': ['make'] },
        tests: { hit: ['cmake all'] },
      }),
    );
    const { code, stdout } = await policy(['test']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^failed {2}mine: its test says it fits, and it does not: cmake all\n.*: 1 failure\n$/,
      ),
    ]);
    expect(await json(['test'])).toMatchObject({
      failures: [{ rule: 'mine', message: expect.stringContaining('cmake all') }],
    });
  });

  it('fails when the policy cannot be used', async () => {
    write('policy.json', '{"version": 2}');
    expect(await policy(['test'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('failed  version: must be 1'),
    });
  });
});

describe('herma policy list', () => {
  it('lists floors, built-in rules and those of the file', async () => {
    write(
      'policy.json',
      ruled({ id: 'mine', decision: 'ask', when: { 'argv.prefix': ['make'] }, message: 'No.' }),
    );
    const off = await policy(['list']);
    expect(off.stdout).toMatch(
      /^mode off; only the floors hold; rules of policy\.json\n\nRULE +SOURCE +DECISION/,
    );
    expect(off.stdout).toMatch(/\nfloor-delete-root +floor +block +critical +yes /);
    expect(off.stdout).toMatch(/\ncred-read +builtin +block +critical +no /);
    expect(off.stdout).toMatch(/\nmine +file +ask +medium +no +No\.\n/);
    write('policy_mode', 'enforce');
    expect((await policy(['list'])).stdout).toMatch(
      /^mode enforce; rules of policy\.json\n(.|\n)*\nmine .* yes +No\./,
    );
  });

  it('is one document with --json', async () => {
    expect(await json(['list'])).toMatchObject({
      mode: 'off',
      source: 'builtin',
      rules: expect.arrayContaining([
        {
          id: 'power',
          source: 'builtin',
          decision: 'block',
          severity: 'critical',
          active: false,
          tools: expect.any(Array),
          message: expect.any(String),
          tests: { hit: expect.any(Number), miss: expect.any(Number) },
        },
      ]),
    });
  });

  it('leaves out what there is not', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), 'policy: {floors: false}\n');
    const { stdout } = await policy(['list']);
    expect([...stdout.matchAll(/^floor-\S+/gm)].map(([id]) => id)).toEqual(['floor-self-tamper']);
  });
});

describe('herma policy mode', () => {
  it('prints the mode, also in the shell of an agent', async () => {
    const inside = { environment: { HERMA_SESSION: 's' } };
    expect(await policy(['mode'], inside)).toEqual({ code: 0, stdout: 'off\n', stderr: '' });
    write('policy_mode', 'enforc');
    const { stdout, stderr } = await policy(['mode'], inside);
    expect([stdout, stderr]).toEqual(['enforce\n', expect.stringContaining('did you mean "enforce"?')]);
    expect(await json(['mode'])).toEqual({ mode: 'enforce', source: 'builtin', problems: [] });
  });

  it('sets it, for what comes next', async () => {
    expect(await policy(['mode', 'dry_run'])).toEqual({
      code: 0,
      stdout: 'mode dry_run (before: off)\n',
      stderr: '',
    });
    expect(readFileSync(modeFile(), 'utf8')).toBe('dry_run\n');
    expect(await json(['mode', 'off'])).toEqual({ mode: 'off', set: true, before: 'dry_run' });
    expect(await policy(['mode', 'dry-run'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected one of off, dry_run, enforce'),
    });
  });

  it.each(['off', 'dry_run', 'enforce'])('is not set to %s by an agent', async (mode) => {
    const inside = { environment: { HERMA_SESSION: 's' } };
    expect(await policy(['mode', mode, '-y'], inside)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HERMA_SESSION is set here'),
    });
    expect(existsSync(modeFile())).toBe(false);
  });

  it('is not enforced where nobody answers, after it was shown what is refused then', async () => {
    await decided({ subject: 'cat ~/.ssh/id_rsa' });
    const { code, stdout, stderr } = await policy(['mode', 'enforce']);
    expect([code, stdout, existsSync(modeFile())]).toEqual([2, '', false]);
    expect(stderr).toMatch(/cred-read {2}critical {2}enforced: 1 block(.|\n)*id_rsa(.|\n)*Add -y/);
  });

  it('is enforced with -y, and the report is in the document', async () => {
    await decided({ subject: 'cat ~/.ssh/id_rsa' });
    expect(await json(['mode', 'enforce', '-y'])).toMatchObject({
      mode: 'enforce',
      set: true,
      before: 'off',
      report: { total: 1, rules: [{ rule: 'cred-read' }] },
    });
    expect(readFileSync(modeFile(), 'utf8')).toBe('enforce\n');
  });

  it('says that nothing is known yet', async () => {
    const { stderr } = await policy(['mode', 'enforce', '-y']);
    expect(stderr).toContain('In the mode dry_run it is recorded');
    writeFileSync(join(home, 'config.yaml'), 'ledger: {enabled: false}\n');
    expect((await policy(['mode', 'enforce', '-y'])).stderr).toContain('ledger.enabled is false');
  });

  it.each([
    ['y', 0, 'mode enforce (before: off)\n', true],
    ['n', 1, 'the mode is still off\n', false],
  ])('is enforced by a person who says so (%s)', async (typed, expected, said, isSet) => {
    const host = new FakeHost({ home, workingDirectory: folder, isTty: true });
    const run = runOn(host, ['policy', 'mode', 'enforce']);
    const input = host.stdin();
    if (!(input instanceof PassThrough)) throw new Error('no terminal');
    input.write(`${typed}\n`);
    const { code, stdout, stderr } = await run;
    expect([code, stdout, existsSync(modeFile())]).toEqual([expected, said, isSet]);
    expect(stderr).toContain('Enforce the policy from the next call on? [y/N] ');
  });
});

interface Decided {
  readonly subject: string;
  readonly rule?: string;
  readonly severity?: string;
  readonly raw?: string;
  readonly effective?: string;
  readonly daysAgo?: number;
}

async function decided(...decisions: readonly Decided[]): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const clock = new FakeClock();
  const ledger = openLedger({
    path: homePaths(home).ledgerDatabase,
    clock,
    redactor: createRedactor(),
    onDamage: (line) => {
      throw new Error(line);
    },
  });
  for (const {
    subject,
    rule = 'cred-read',
    severity = 'critical',
    raw = 'block',
    effective = 'allow',
    daysAgo = 1,
  } of decisions) {
    const call = { tool: 'terminal', callId: 'c', sessionId: 's', rootSessionId: 's', turnId: 't' };
    const at = new Date(clock.now() - daysAgo * DAY_MS).toISOString();
    const recorded = await recordDecision(
      ledger,
      { call, mode: 'dry_run', raw, effective, rule, severity, subject },
      at,
    );
    expect(recorded).toMatchObject({ ok: true });
  }
  ledger.close();
}

describe('herma policy report', () => {
  const three: readonly Decided[] = [
    { subject: 'rm -rf ../x', rule: 'delete-outside', severity: 'high', raw: 'ask', daysAgo: 20 },
    { subject: 'cat ~/.ssh/id_rsa\u001b[2J' },
    { subject: 'cat ~/.ssh/id_rsa\u001b[2J', daysAgo: 2 },
    { subject: 'rm -rf /', rule: 'floor-delete-root', effective: 'block' },
    { subject: 'ls', rule: '', severity: 'odd', raw: 'odd', effective: 'odd' },
  ];

  it('shows what was stopped and what would have been, by rule and command', async () => {
    await decided(...three);
    const { code, stdout, stderr } = await policy(['report']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      '5 decisions: 2 held, 3 passed because of the mode',
      '',
      'cred-read  critical  enforced: 2 block, 0 ask  in effect: 0 held, 2 passed',
      '     2 ×  cat ~/.ssh/id_rsa\\x1b[2J  (1d ago)',
      '',
      'floor-delete-root  critical  enforced: 1 block, 0 ask  in effect: 1 held, 0 passed',
      '     1 ×  rm -rf /  (1d ago)',
      '',
      'delete-outside  high  enforced: 0 block, 1 ask  in effect: 0 held, 1 passed',
      '     1 ×  rm -rf ../x  (20d ago)',
      '',
      'policy default  medium  enforced: 1 block, 0 ask  in effect: 1 held, 0 passed',
      '     1 ×  ls  (1d ago)',
      '',
    ]);
  });

  it('is of the last days when that is asked for', async () => {
    await decided(...three);
    expect(await json(['report', '--since', '7d'])).toMatchObject({
      since: new Date(new FakeClock().now() - 7 * DAY_MS).toISOString(),
      total: 4,
      held: 2,
      passed: 2,
      rules: [
        {
          rule: 'cred-read',
          severity: 'critical',
          raw: { block: 2, ask: 0 },
          effective: { held: 0, passed: 2 },
          calls: [{ tool: 'terminal', count: 2, last: expect.any(String) }],
        },
        { rule: 'floor-delete-root' },
        { rule: 'policy default' },
      ],
    });
    expect(await policy(['report', '--since', 'soon'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"soon" is neither a length of time nor a date'),
    });
  });

  it('leaves out calls of a rule that has many, except with --json', async () => {
    await decided(...Array.from({ length: 12 }, (_, index) => ({ subject: `cat ${String(index)}` })));
    expect((await policy(['report'])).stdout).toMatch(/\n {2}… and 2 other calls; --json shows all\n$/);
    expect(await json(['report'])).toMatchObject({ rules: [{ calls: { length: 12 } }] });
  });

  it('says that there is nothing', async () => {
    expect(await policy(['report', '--json'])).toMatchObject({
      code: 4,
      stdout: '{"total":0,"held":0,"passed":0,"rules":[]}\n',
      stderr: expect.stringContaining('there is no journal yet'),
    });
    await decided();
    writeFileSync(join(home, 'config.yaml'), 'ledger: {enabled: false}\n');
    const { stderr } = await policy(['report']);
    expect(stderr).toContain('ledger.enabled is false: decisions are not recorded');
  });
});

describe('herma policy init', () => {
  const file = (name: string): string => join(home, 'plugin-data/agent-ledger', name);

  it('writes the example, and a policy that can be used', async () => {
    const { code, stdout } = await policy(['init']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^wrote \S+policy\.json\nwrote \S+policy\.example\.json\nThe mode is off/),
    ]);
    expect(readFileSync(file('policy.json'), 'utf8')).toBe(readFileSync(file('policy.example.json'), 'utf8'));
    expect((await policy(['test'])).code).toBe(0);
    expect(existsSync(modeFile())).toBe(false);
  });

  it('keeps a policy that is there', async () => {
    const path = write('policy.json', ruled());
    expect(await json(['init'])).toEqual({
      policy: { path, new: false },
      example: file('policy.example.json'),
      mode: 'off',
    });
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(ruled()));
  });

  it('is not for an agent', async () => {
    expect(await policy(['init', '-y'], { environment: { HERMA_SESSION: 's' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('policies are not for an agent to write'),
    });
    expect(existsSync(home)).toBe(false);
  });
});
