import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../support/fake-openai.ts';
import { eventually, type HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const ON = 'checkpoints: {enabled: true}\n';

const call = (id: string, name: string, args: object) => ({ calls: [{ id, name, args }] });

async function callTool(scene: Scene, request: object, config = {}): Promise<Record<string, unknown>> {
  const ids = { session: 's1', cwd: scene.project };
  const { stdout, stderr } = await scene.run(['call'], {
    stdin: JSON.stringify({ ...ids, ...request }),
    ...config,
  });
  try {
    return JSON.parse(stdout) as Record<string, unknown>;
  } catch {
    throw new Error(`no document: ${stdout}\n${stderr}`);
  }
}

function parsed<Value>({ stdout, stderr }: HermaExit): Value {
  try {
    return JSON.parse(stdout) as Value;
  } catch {
    throw new Error(`no document: ${stdout}\n${stderr}`);
  }
}

interface Listed {
  readonly n: number;
  readonly id: string;
  readonly reason: string;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly call_id: string | null;
}

interface Restored {
  readonly ok: boolean;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly kept: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly safety_id: string | null;
  readonly error: unknown;
}

/** The store is a sound git repository after every test. */
function fsck(scene: Scene): void {
  const store = join(scene.home, 'checkpoints', 'store');
  execFileSync('git', ['-C', store, 'fsck', '--full'], { stdio: 'pipe', env: { PATH: process.env['PATH'] } });
}

describe.concurrent('herma chat --checkpoints', () => {
  it('takes back what tools and commands did, and what the model remembers of it', async () => {
    await using scene = await Scene.create({
      replies: [
        call('w', 'write_file', { path: 'new.txt', content: 'new\n' }),
        { text: 'Written.' },
        call('p', 'patch', { mode: 'replace', path: 'app.py', old_string: 'old', new_string: 'changed' }),
        { text: 'Patched.' },
        call('r', 'terminal', { command: 'rm -r data && sed -i s/1/2/ config.ini && chmod 600 run.sh' }),
        { text: 'Removed.' },
        { text: 'I know.' },
      ],
    });
    mkdirSync(scene.path('data'));
    const before = {
      'app.py': 'old = True\r\n',
      'config.ini': 'port=1\n',
      'data/x': '\u0000\u0001',
      'run.sh': '#!\n',
    };
    for (const [name, content] of Object.entries(before)) writeFileSync(scene.path(name), content);
    chmodSync(scene.path('run.sh'), 0o755);
    const { code, stdout, stderr } = await scene.run(['chat', '--checkpoints', ...scene.model], {
      stdin: [
        'write',
        'patch',
        'remove',
        '/rollback',
        '/rollback diff 1',
        '/rollback 1',
        '/rollback 3',
        'what?',
      ].join('\n'),
      env: { FORCE_COLOR: '0' },
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain(`📸 Checkpoints for ${scene.project}:`);
    expect(stdout).toMatch(
      /1\. [0-9a-f]{7} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}before terminal: rm -r data.* {2}\(3 files, \+1\/-1\)/,
    );
    expect(stdout).toMatch(/2\. [0-9a-f]{7} {2}.{16} {2}before patch {2}\(1 file, \+1\/-1\)/);
    expect(stdout).toMatch(/3\. [0-9a-f]{7} {2}.{16} {2}before write_file {2}\(1 file, \+1\/-0\)/);
    expect(stdout).toContain('/rollback <N> <file>');
    expect(stdout).toMatch(/-port=1\n.*\+port=2/);
    // The first one put the data back; the second (the list has moved by one: 1 is the snapshot before the first) undid the patch.
    expect(scene.read('config.ini')).toBe('port=1\n');
    expect(scene.read('data/x')).toBe('\u0000\u0001');
    expect(statSync(scene.path('run.sh')).mode & 0o777).toBe(0o755);
    const last = scene.server.requests.at(-1)?.messages.map((message) => textOf(message)) ?? [];
    expect(last.slice(1)).toEqual(['write', '', expect.stringContaining('new.txt'), 'Written.', 'what?']);
    expect(scene.read('app.py')).toBe(before['app.py']);
    fsck(scene);
  });

  it('does nothing at all when it is off', async () => {
    await using scene = await Scene.create({ config: 'checkpoints: {auto_prune: false}\n' });
    await callTool(scene, { tool: 'write_file', args: { path: 'a', content: 'x' } });
    expect(existsSync(join(scene.home, 'checkpoints'))).toBe(false);
    const listed = await scene.run(['rollback']);
    expect(listed.code).toBe(4);
    expect(listed.stdout + listed.stderr).toMatch(/off/);
    expect(existsSync(join(scene.home, 'checkpoints'))).toBe(false);
  });
});

describe.concurrent('herma rollback', () => {
  it('lists, shows and restores, and takes that back, in JSON', async () => {
    await using scene = await Scene.create({ config: ON });
    writeFileSync(scene.path('a b.txt'), 'one\n');
    writeFileSync(scene.path('keep.txt'), 'kept\n');
    symlinkSync('keep.txt', scene.path('link'));
    await callTool(scene, {
      turn: 't1',
      call_id: 'c1',
      tool: 'write_file',
      args: { path: 'a b.txt', content: 'two\n' },
    });
    await callTool(scene, {
      turn: 't2',
      call_id: 'c2',
      tool: 'terminal',
      args: { command: 'rm link keep.txt; echo n > new' },
    });
    const list = parsed<readonly Listed[]>(await scene.run(['rollback', '--json']));
    expect(list.map(({ n, reason, call_id }) => [n, reason, call_id])).toEqual([
      [1, 'before terminal: rm link keep.txt; echo n > new', 'c2'],
      [2, 'before write_file', 'c1'],
    ]);
    expect(list[1]).toMatchObject({ files: 1, insertions: 1, deletions: 1, holes: 0 });
    const diff = parsed<{
      readonly files: readonly { readonly path: string; readonly status: string }[];
      readonly patch: string;
    }>(await scene.run(['rollback', 'diff', '2', '--json']));
    expect(diff.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified a b.txt',
      'deleted keep.txt',
      'deleted link',
      'created new',
    ]);
    const dry = parsed<Restored>(await scene.run(['rollback', '2', '--dry-run', '--json']));
    expect(dry).toMatchObject({
      ok: true,
      restored: ['a b.txt', 'keep.txt', 'link', 'new'],
      deleted: ['new'],
    });
    expect(scene.read('a b.txt')).toBe('two\n');
    const restored = parsed<Restored>(await scene.run(['rollback', list[1]?.id.slice(0, 8) ?? '', '--json']));
    expect(restored).toMatchObject({
      ok: true,
      restored: ['a b.txt', 'keep.txt', 'link', 'new'],
      kept: [],
      error: null,
    });
    expect([scene.read('a b.txt'), scene.read('keep.txt'), scene.read('link'), scene.read('new')]).toEqual([
      'one\n',
      'kept\n',
      'kept\n',
      undefined,
    ]);
    expect((await scene.run(['rollback', 'undo'])).code).toBe(0);
    expect([scene.read('a b.txt'), scene.read('keep.txt'), scene.read('new')]).toEqual([
      'two\n',
      undefined,
      'n\n',
    ]);
    expect((await scene.run(['rollback', 'undo'])).code).toBe(0);
    expect([scene.read('a b.txt'), scene.read('new')]).toEqual(['one\n', undefined]);
    fsck(scene);
  });

  it('undoes one call, and one file of a checkpoint', async () => {
    await using scene = await Scene.create({ config: ON });
    for (const name of ['a', 'b']) writeFileSync(scene.path(name), '0');
    await callTool(scene, {
      turn: 't',
      call_id: 'ca',
      tool: 'write_file',
      args: { path: 'a', content: '1' },
    });
    await callTool(scene, {
      turn: 't',
      call_id: 'cb',
      tool: 'write_file',
      args: { path: 'b', content: '1' },
    });
    expect(parsed<Restored>(await scene.run(['rollback', '--call', 'ca', '--json']))).toMatchObject({
      ok: true,
      restored: ['a'],
    });
    expect([scene.read('a'), scene.read('b')]).toEqual(['0', '1']);
    const list = parsed<readonly Listed[]>(await scene.run(['rollback', '--json']));
    const turn = list.find(({ reason }) => reason === 'before write_file');
    expect((await scene.run(['rollback', String(turn?.n), 'b'])).code).toBe(0);
    expect([scene.read('a'), scene.read('b')]).toEqual(['0', '0']);
    fsck(scene);
  });

  it('keeps what the person did since, and what may be the person’s; says so, and how to take it back too', async () => {
    await using scene = await Scene.create({ config: ON });
    for (const name of ['mine', 'agents']) writeFileSync(scene.path(name), '0');
    await callTool(scene, {
      turn: 't',
      tool: 'terminal',
      args: { command: 'echo 1 > mine; echo 1 > agents' },
    });
    writeFileSync(scene.path('mine'), 'by hand');
    // Two windows at once: nobody knows which of the two changed what.
    const wait = (file: string, other: string): string =>
      `touch ${file}.ready; until [ -e ${other}.ready ]; do sleep 0.05; done; echo x > ${file}; until [ -e ${other} ]; do sleep 0.05; done`;
    await Promise.all([
      callTool(scene, {
        session: 's2',
        turn: 'x',
        tool: 'terminal',
        args: { command: wait('left', 'right') },
      }),
      callTool(scene, {
        session: 's3',
        turn: 'y',
        tool: 'terminal',
        args: { command: wait('right', 'left') },
      }),
    ]);
    const list = parsed<readonly Listed[]>(await scene.run(['rollback', '--json']));
    const first = String(list.length);
    const restored = parsed<Restored>(await scene.run(['rollback', first, '--json']));
    expect(restored).toMatchObject({ ok: true, kept: ['mine'] });
    expect(restored.restored).toContain('agents');
    expect(restored.skipped.map(({ path }) => path)).toEqual(expect.arrayContaining(['left', 'right']));
    expect([scene.read('agents'), scene.read('mine'), scene.read('left')]).toEqual(['0', 'by hand', 'x\n']);
    const again = parsed<readonly Listed[]>(await scene.run(['rollback', '--json']));
    const all = parsed<Restored>(
      await scene.run(['rollback', String(again.length), '--include-ambiguous', '--json']),
    );
    expect(all.deleted).toEqual(expect.arrayContaining(['left', 'right']));
    fsck(scene);
  });

  it.each([
    ['a path above the project', ['1', '../outside'], 'outside'],
    ['an absolute path elsewhere', ['1', '/etc/passwd'], 'outside'],
    ['a number that is not in the list', ['99'], 'no_such_checkpoint'],
    ['a word', ['yesterday'], 'usage'],
    ['an id of nobody', ['deadbeef'], 'no_such_checkpoint'],
  ])('refuses %s and touches nothing', async (_, args, code) => {
    await using scene = await Scene.create({ config: ON });
    writeFileSync(scene.path('a'), '0');
    await callTool(scene, { turn: 't', tool: 'write_file', args: { path: 'a', content: '1' } });
    const exit = await scene.run(['rollback', '--json', ...args]);
    expect(exit.code).toBe(2);
    expect(parsed<{ readonly error: { readonly code: string } }>(exit).error.code).toBe(code);
    expect(scene.read('a')).toBe('1');
  });

  it('knows the id of another project for what it is', async () => {
    await using scene = await Scene.create({ config: ON });
    const other = join(scene.project, '..', 'other');
    mkdirSync(other);
    await callTool(scene, { turn: 't', tool: 'write_file', args: { path: 'a', content: '1' } });
    await callTool(scene, { turn: 't', tool: 'write_file', args: { path: 'b', content: '1' }, cwd: other });
    const [entry] = parsed<readonly Listed[]>(await scene.run(['rollback', '--dir', other, '--json']));
    const { code, stdout } = await scene.run(['rollback', entry?.id ?? '', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'other_project', message: expect.stringContaining(other) },
    });
    fsck(scene);
  });
});

describe.concurrent('maintenance', () => {
  const programsOf = (home: string): readonly string[] =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(home) && line.includes('maintain'));

  it('is started once when it is due, after the answer, and never by itself', async () => {
    await using scene = await Scene.create({ config: ON });
    await callTool(scene, { tool: 'write_file', args: { path: 'a', content: '1' } });
    const marker = join(scene.home, 'checkpoints', '.last_prune');
    const made = join(scene.home, 'checkpoints', 'store', 'herma-version');
    expect(existsSync(marker)).toBe(false);
    utimesSync(made, 1000, 1000);
    await callTool(scene, { tool: 'write_file', args: { path: 'a', content: '2' } });
    await eventually(() => {
      expect(existsSync(marker)).toBe(true);
      expect(programsOf(scene.home)).toEqual([]);
    });
    utimesSync(marker, 1000, 1000);
    expect((await scene.run(['checkpoints', 'maintain'])).code).toBe(0);
    expect(programsOf(scene.home)).toEqual([]);
    for (const command of [['rollback'], ['checkpoints'], ['checkpoints', 'verify']]) {
      utimesSync(marker, 1000, 1000);
      await scene.run(command);
      expect(programsOf(scene.home)).toEqual([]);
    }
  });
});

describe.concurrent('a store that fails', () => {
  it('lets the call run and says so, or blocks it where that is configured', async () => {
    await using scene = await Scene.create({ config: ON });
    writeFileSync(join(scene.home, 'checkpoints'), 'a file in the way');
    const warned = await callTool(scene, { tool: 'write_file', args: { path: 'a', content: '1' } });
    expect(warned).toMatchObject({ executed: true, status: 'ok' });
    expect(JSON.stringify(warned['warnings'])).toMatch(/no checkpoint/);
    writeFileSync(join(scene.home, 'config.yaml'), 'checkpoints: {enabled: true, on_failure: block}\n');
    const blocked = await callTool(scene, { tool: 'write_file', args: { path: 'b', content: '1' } });
    expect(blocked).toMatchObject({ executed: false, blocked: true });
    expect(scene.read('b')).toBeUndefined();
    rmSync(join(scene.home, 'checkpoints'));
    expect(await callTool(scene, { tool: 'write_file', args: { path: 'b', content: '1' } })).toMatchObject({
      warnings: [],
    });
    expect(readFileSync(scene.path('b'), 'utf8')).toBe('1');
  });

  it('brings a project back after the agent was killed in a command', async () => {
    await using scene = await Scene.create({ config: ON });
    writeFileSync(scene.path('a'), '0');
    const killed = scene.start(['call'], {
      stdin: JSON.stringify({
        session: 's',
        cwd: scene.project,
        tool: 'terminal',
        args: { command: 'rm a; echo $$ > pid; sleep 60' },
      }),
    });
    const shell = await scene.numberIn('pid');
    await killed.end();
    process.kill(shell, 'SIGKILL');
    const listed = parsed<readonly Listed[]>(await scene.run(['rollback', '--json']));
    expect(listed).toHaveLength(1);
    const restored = parsed<Restored>(await scene.run(['rollback', '1', '--include-ambiguous', '--json']));
    expect(restored.restored).toContain('a');
    expect(scene.read('a')).toBe('0');
    fsck(scene);
  });
});
