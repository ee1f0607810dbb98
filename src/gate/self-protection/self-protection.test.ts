import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callOf, type ProtectionRig, protectionRig } from './protection-rig.ts';
import { TamperRecords } from './tamper-records.ts';

let folder: string;
let home: string;
let project: string;
let rig: ProtectionRig;

const FILES = new Map([
  ['config.yaml', 'agent:\n  max_iterations: 5\n'],
  ['shell-hooks-allowlist.json', '{"approvals": []}\n'],
  ['approvals.json', '{"version":1,"approvals":[]}\n'],
  ['agent-hooks/guard.sh', '#!/bin/sh\nexit 2\n'],
  ['hooks/notify/HOOK.yaml', 'name: notify\n'],
  ['plugins/one/index.js', 'export const one = 1;\n'],
  ['plugin-data/agent-ledger/policy.json', '{"rules":[]}\n'],
  ['plugin-data/agent-ledger/policy_mode', 'enforce\n'],
]);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'self-')));
  [home, project] = [join(folder, 'you/.herma'), join(folder, 'you/project')];
  for (const path of [home, project]) mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const [name, content] of FILES) {
    mkdirSync(join(home, name, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, name), content, { mode: name.endsWith('.sh') ? 0o750 : 0o600 });
  }
  writeFileSync(join(home, 'state.db'), 'x');
  rig = protectionRig({ home, userHome: join(folder, 'you'), cwd: project });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** All protected files with content and mode, and the links. */
function everything(): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^(?:tampered|run|state\.db)/.test(name)) continue;
    const stat = lstatSync(join(home, name));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) seen[name] = `-> ${readlinkSync(join(home, name))}`;
    else seen[name] = stat.isFile() ? `${mode} ${readFileSync(join(home, name), 'utf8')}` : `${mode} folder`;
  }
  return seen;
}

/** Runs shell code out of the sight of any analysis. */
async function hidden(code: string, from?: Parameters<ProtectionRig['run']>[1]) {
  writeFileSync(join(project, 'do.sh'), code);
  return rig.run('sh do.sh', from);
}

const H = '$HERMA_HOME';

describe('a change that no analysis sees', () => {
  it.each([
    ['appends', `echo x >> ${H}/shell-hooks-allowlist.json`, 'shell-hooks-allowlist.json', 'content'],
    ['replaces', `echo x > new; mv new ${H}/config.yaml`, 'config.yaml', 'content'],
    [
      'sets the time back, with the same size',
      `cp -p ${H}/approvals.json ref; tr 1 2 < ref > ${H}/approvals.json; touch -r ref ${H}/approvals.json`,
      'approvals.json',
      'content',
    ],
    ['deletes', `rm ${H}/agent-hooks/guard.sh`, 'agent-hooks/guard.sh', 'deleted'],
    [
      'puts a link in its place',
      `echo evil > evil; ln -sf "$PWD/evil" ${H}/plugin-data/agent-ledger/policy.json`,
      'plugin-data/agent-ledger/policy.json',
      'replaced',
    ],
    [
      'puts a folder in its place',
      `rm ${H}/config.yaml; mkdir ${H}/config.yaml; echo x > ${H}/config.yaml/y`,
      'config.yaml',
      'replaced',
    ],
    ['changes only the mode', `chmod 777 ${H}/agent-hooks/guard.sh`, 'agent-hooks/guard.sh', 'mode'],
    [
      'makes it unreadable and changes it',
      `echo x > ${H}/config.yaml; chmod 0 ${H}/config.yaml`,
      'config.yaml',
      'content',
    ],
    ['opens a folder', `chmod 777 ${H}/plugins`, 'plugins', 'mode'],
    ['locks a folder', `chmod 000 ${H}/plugins`, 'plugins', 'mode'],
    ['adds a plugin', `mkdir ${H}/plugins/two; echo x > ${H}/plugins/two/index.js`, 'plugins/two', 'created'],
    [
      'adds a hook',
      `echo x > ${H}/agent-hooks/new.sh; chmod 755 ${H}/agent-hooks/new.sh`,
      'agent-hooks/new.sh',
      'created',
    ],
    ['adds a link', `mkdir evil; ln -s "$PWD/evil" ${H}/hooks/evil`, 'hooks/evil', 'created'],
    ['moves a folder away', `mv ${H}/agent-hooks elsewhere`, 'agent-hooks', 'deleted'],
    [
      'moves a folder on the way away',
      `mv ${H}/plugin-data elsewhere`,
      'plugin-data/agent-ledger/policy.json',
      'deleted',
    ],
    [
      'puts a link in the place of a folder on the way',
      `cp -r ${H}/plugin-data evil; echo x > evil/agent-ledger/policy_mode; rm -r ${H}/plugin-data; ln -s "$PWD/evil" ${H}/plugin-data`,
      'plugin-data',
      'replaced',
    ],
    ['moves the home away', `mv ${H} elsewhere`, '', 'deleted'],
    ['removes the home', `rm -rf ${H}`, 'config.yaml', 'deleted'],
    [
      'writes through another name of the file',
      `ln ${H}/config.yaml other; echo x >> other`,
      'config.yaml',
      'content',
    ],
    [
      'writes with python',
      `python3 -c 'import os; open(os.environ["HERMA_HOME"]+"/plugin-data/agent-ledger/policy_mode","w").write("off")'`,
      'plugin-data/agent-ledger/policy_mode',
      'content',
    ],
  ])('is put back byte for byte when a script %s', async (_, code, path, change) => {
    const before = everything();
    const { status, text } = await hidden(code);
    expect([status, text]).toEqual(['ok', '']);
    expect(everything()).toEqual(before);
    const found = rig.findings.find((each) => each.path === join(home, path));
    expect(found).toMatchObject({ change, isPutBack: true, problem: '' });
    expect(rig.findings.every(({ isPutBack }) => isPutBack)).toBe(true);
    expect(rig.events).toHaveLength(1);
  });

  it('is found by the one time that nobody can set, in files that were left alone for long', async () => {
    const path = join(home, 'approvals.json');
    await expect.poll(() => Date.now() - statSync(path).ctimeMs).toBeGreaterThan(60);
    const before = everything();
    await hidden(`cp -p ${path} ref; tr 1 2 < ref > ${path}; touch -r ref ${path}`);
    expect(rig.findings).toMatchObject([{ path, change: 'content', isPutBack: true }]);
    expect(everything()).toEqual(before);
  });

  it('is kept aside, for the owner only and outside of the folders that are run', async () => {
    await hidden(
      `echo evil >> ${H}/config.yaml; mkdir ${H}/plugins/two; echo x > ${H}/plugins/two/run.sh; chmod 777 ${H}/plugins/two/run.sh`,
    );
    const [config, plugin] = ['config.yaml', 'plugins/two'].map(
      (name) => rig.findings.find(({ path }) => path === join(home, name))?.aside ?? '',
    );
    expect(config).toMatch(/\/\.herma\/tampered\/\d{8}T\d{6}Z-[a-z0-9]+\/config\.yaml$/);
    expect(readFileSync(config ?? '', 'utf8')).toBe(`${FILES.get('config.yaml') ?? ''}evil\n`);
    expect(statSync(config ?? '').mode & 0o7777).toBe(0o600);
    expect(statSync(join(plugin ?? '', 'run.sh')).mode & 0o7777).toBe(0o600);
    expect(statSync(join(home, 'tampered')).mode & 0o7777).toBe(0o700);
  });

  it('does not become a stranger’s file mode when the new one is another name of it', async () => {
    await hidden(`echo x > mine; chmod 644 mine; mkdir ${H}/plugins/two; ln mine ${H}/plugins/two/x`);
    expect(statSync(join(project, 'mine')).mode & 0o777).toBe(0o644);
  });

  it('is found where a configuration is kept elsewhere, behind a link', async () => {
    const elsewhere = join(folder, 'dotfiles.yaml');
    renameSync(join(home, 'config.yaml'), elsewhere);
    symlinkSync(elsewhere, join(home, 'config.yaml'));
    await hidden(`echo x >> ${elsewhere}`);
    expect(readFileSync(elsewhere, 'utf8')).toBe(FILES.get('config.yaml'));
    await hidden(`ln -sf /dev/null ${H}/config.yaml`, { rootSessionId: 's2', sessionId: 's2' });
    expect(readlinkSync(join(home, 'config.yaml'))).toBe(elsewhere);
  });

  it('is put back where the home is a link that was made to lead elsewhere', async () => {
    renameSync(home, join(folder, 'real'));
    symlinkSync(join(folder, 'real'), home);
    const before = everything();
    await hidden(`mkdir evil; rm ${H}; ln -s "$PWD/evil" ${H}`);
    expect(readlinkSync(home)).toBe(join(folder, 'real'));
    expect(everything()).toEqual(before);
  });

  it('is none when the content stays: a touch, a copy of itself, another name', async () => {
    await hidden(
      `touch ${H}/config.yaml; cp -p ${H}/approvals.json a; mv a ${H}/approvals.json; ln ${H}/config.yaml b`,
    );
    expect(rig.findings).toEqual([]);
  });

  it('is none in what Herma writes all the time', async () => {
    await hidden(
      `mkdir -p ${H}/logs ${H}/run/calls; echo x >> ${H}/state.db; echo x > ${H}/logs/herma.log; chmod 700 ${H}`,
    );
    expect(rig.findings).toEqual([]);
  });

  it('is told of the journal when that is gone, and not when it is written', async () => {
    const ledger = join(home, 'plugin-data/agent-ledger/ledger.db');
    writeFileSync(ledger, 'rows');
    await hidden(`echo more >> ${ledger}`);
    expect(rig.findings).toEqual([]);
    await hidden(`rm ${ledger}`);
    expect(rig.findings).toMatchObject([{ path: ledger, change: 'deleted', isPutBack: false }]);
    expect((await rig.run('touch x')).status).toBe('blocked');
  });

  it('is reported and not put back when the content was too large to keep', async () => {
    const path = join(home, 'plugins/one/big.bin');
    writeFileSync(path, Buffer.alloc(17 * 1024 * 1024));
    await hidden(`printf x >> ${path}`);
    expect(rig.findings).toMatchObject([{ path, change: 'content', isPutBack: false }]);
    expect(rig.findings[0]?.problem).toContain('too large');
    expect((await rig.run('touch x')).status).toBe('blocked');
  });

  it('is put back even where it cannot be kept aside', async () => {
    writeFileSync(join(home, 'tampered'), 'no folder');
    const before = everything();
    await hidden(`echo x >> ${H}/config.yaml`);
    expect(everything()).toEqual(before);
  });

  it('is put back when it is made in a background job that is waited for', async () => {
    const before = everything();
    await rig.run(
      'sh -c "sh do2.sh" & printf "echo x > %s/config.yaml" "$HERMA_HOME" > do2.sh; sh do2.sh; wait',
    );
    expect(everything()).toEqual(before);
  });
});

describe('the person', () => {
  it('may change everything between calls', async () => {
    await rig.run('touch x');
    writeFileSync(join(home, 'config.yaml'), 'mine: 1\n');
    rmSync(join(home, 'agent-hooks'), { recursive: true });
    mkdirSync(join(home, 'plugins/mine'));
    const before = everything();
    expect((await rig.run('touch y')).status).toBe('ok');
    expect(rig.findings).toEqual([]);
    expect(everything()).toEqual(before);
  });

  it('may answer while a call runs: what this process writes for them is right', async () => {
    const path = join(home, 'approvals.json');
    const running = hidden('while [ ! -e go ]; do sleep 0.01; done');
    await rig.protection.expectChange(path, async () => {
      writeFileSync(path, 'new');
      await Promise.resolve();
    });
    writeFileSync(join(project, 'go'), '');
    await running;
    expect(rig.findings).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('does not approve what a call had put there before', async () => {
    const path = join(home, 'approvals.json');
    const running = hidden(`echo evil > ${path}; touch there; while [ ! -e go ]; do sleep 0.01; done`);
    await expect.poll(() => existsSync(join(project, 'there'))).toBe(true);
    await rig.protection.expectChange(path, async () => {
      writeFileSync(path, `${readFileSync(path, 'utf8')}more`);
      await Promise.resolve();
    });
    writeFileSync(join(project, 'go'), '');
    await running;
    expect(readFileSync(path, 'utf8')).toBe(`${FILES.get('approvals.json') ?? ''}more`);
    expect(rig.findings).toMatchObject([{ path, change: 'content', isPutBack: true }]);
  });
});

describe('calls side by side', () => {
  it('share what is found, which is put back once', async () => {
    const before = everything();
    const wait = (name: string) => `touch ${name}; while [ ! -e go ]; do sleep 0.01; done`;
    writeFileSync(join(project, 'a.sh'), wait('a'));
    writeFileSync(join(project, 'b.sh'), `echo x >> ${H}/config.yaml; ${wait('b')}`);
    const one = rig.run('sh a.sh', { rootSessionId: 's2', sessionId: 's2' });
    await expect.poll(() => existsSync(join(project, 'a'))).toBe(true);
    const other = rig.run('sh b.sh');
    await expect.poll(() => existsSync(join(project, 'b'))).toBe(true);
    // A third that begins in between does not take the change for right.
    await rig.run('true; touch third', { rootSessionId: 's3', sessionId: 's3' });
    writeFileSync(join(project, 'go'), '');
    await Promise.all([one, other]);
    expect(everything()).toEqual(before);
    expect(rig.events.map(({ calls }) => calls.length)).toEqual([2]);
    expect(rig.findings).toHaveLength(2);
    const blocked = async (id: string) =>
      (await rig.run('touch z', { rootSessionId: id, sessionId: id })).status;
    expect([await blocked('s1'), await blocked('s2'), await blocked('s3')]).toEqual([
      'blocked',
      'blocked',
      'ok',
    ]);
  });
});

describe('a session that was caught', () => {
  const record = () => join(home, 'run/tampered/s1.json');

  beforeEach(async () => {
    await hidden(`echo x >> ${H}/config.yaml`);
  });

  it('may read and nothing else, also after a restart, until the record is gone', async () => {
    expect(await rig.run('touch y')).toMatchObject({
      status: 'blocked',
      executed: false,
      by: 'self-protection',
    });
    expect((await rig.call('write_file', { path: 'a' })).status).toBe('blocked');
    expect((await rig.call('mcp__x__do', {})).status).toBe('blocked');
    expect((await rig.call('read_file', { path: 'a' })).status).toBe('ok');
    expect((await rig.run('touch y', { sessionId: 's1-continued' })).status).toBe('blocked');
    const restarted = protectionRig({ home, userHome: join(folder, 'you'), cwd: project });
    expect((await restarted.run('touch y')).status).toBe('blocked');
    rmSync(record());
    expect((await rig.run('touch y')).status).toBe('ok');
  });

  it('leaves other sessions alone', async () => {
    expect((await rig.run('touch y', { sessionId: 's2', rootSessionId: 's2' })).status).toBe('ok');
  });

  it('takes those with it that it delegates to, and is taken by those that it delegated to', async () => {
    const child = { sessionId: 'c1', rootSessionId: 'c1', parentSessionId: 's1' };
    expect((await rig.run('touch y', child)).status).toBe('blocked');
    const parent = { sessionId: 'p2', rootSessionId: 'p1' };
    await rig.run('touch y', parent);
    await hidden(`echo x >> ${H}/config.yaml`, {
      sessionId: 'c2',
      rootSessionId: 'c2',
      parentSessionId: 'p2',
    });
    expect((await rig.run('touch y', parent)).status).toBe('blocked');
    expect((await rig.run('touch y', { sessionId: 'p3', rootSessionId: 'p1' })).status).toBe('blocked');
  });

  it('is told why, without what the model could use to lift it', async () => {
    const { message } = await rig.run('touch y');
    expect(message).toMatch(/files of Herma itself were changed.*sh do\.sh.*the person has looked/);
    expect(message).not.toContain('--accept');
  });

  it.each(['{', '', '{"version":1}', '[]', '{"version":1,"root_session_id":"s1","events":[{}]}'])(
    'stays blocked by a record that is damaged: %j',
    async (content) => {
      writeFileSync(record(), content);
      expect((await rig.run('touch y')).status).toBe('blocked');
    },
  );

  it('stays blocked when the record is a folder or a link, and when records cannot be looked into', async () => {
    rmSync(record());
    mkdirSync(record());
    expect((await rig.run('touch y')).status).toBe('blocked');
    rmSync(record(), { recursive: true });
    symlinkSync('/dev/null', record());
    expect((await rig.run('touch y')).status).toBe('blocked');
    rmSync(join(home, 'run'), { recursive: true });
    writeFileSync(join(home, 'run'), '');
    expect((await rig.run('touch y')).status).toBe('blocked');
  });

  it('is not freed by a call of another one', async () => {
    const other = { sessionId: 's2', rootSessionId: 's2' };
    await hidden(`rm -r ${H}/run/tampered`, other);
    expect((await rig.run('touch y')).status).toBe('blocked');
    expect((await rig.run('touch y', other)).status).toBe('blocked');
  });

  it('is recorded under a safe name when its id is none', async () => {
    const odd = { sessionId: '../../x', rootSessionId: '../../x' };
    await hidden(`echo x >> ${H}/config.yaml`, odd);
    expect((await rig.run('touch y', odd)).status).toBe('blocked');
    expect(readdirSync(join(home, 'run/tampered')).sort()).toEqual([
      's1.json',
      expect.stringMatching(/^sha256-[0-9a-f]{64}\.json$/),
    ]);
  });
});

it('blocks in this process even when the record cannot be written', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const records = new TamperRecords(join(file, 'tampered'), () => 'x');
  const added = records.add('s1', { at: '', calls: [], files: [] });
  expect(added).toMatchObject({ ok: false, message: expect.stringContaining('while this process lives') });
  rmSync(file);
  expect(records.whyBlocked('s1')).toContain('files of Herma itself were changed');
  expect(records.whyBlocked('s2')).toBeUndefined();
});

it('has no window for reads, for writes of files and for what acts by calls of its own', () => {
  expect(rig.protection.before(callOf('none'))).toBeUndefined();
  expect(rig.protection.before(callOf('write'))).toBeUndefined();
  expect(rig.protection.before({ ...callOf('external'), actsThroughGate: true })).toBeUndefined();
  expect(rig.protection.before(callOf('external'))).toBeDefined();
});

it('warns once of what cannot be watched', () => {
  writeFileSync(join(home, 'plugins/one/big.bin'), Buffer.alloc(17 * 1024 * 1024));
  const first = rig.protection.before(callOf('execute'));
  expect(first?.warnings.join()).toMatch(/big\.bin.*too large/);
  expect(rig.protection.before(callOf('execute'))?.warnings).toEqual([]);
});
