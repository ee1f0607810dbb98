import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';

let home: string;
let project: string;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollback-')));
  home = join(folder, 'herma');
  project = join(folder, 'project');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{}\n');
  writeFileSync(join(home, 'config.yaml'), 'checkpoints:\n  enabled: true\n', { mode: 0o600 });
});

const at = (name: string): string => join(project, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');

async function herma(argv: readonly string[], more: Partial<FakeHostOptions> = {}): ReturnType<typeof runOn> {
  return finish(new FakeHost({ home, workingDirectory: project, ...more }), argv);
}

/** Lets the pauses of long work pass, in which others get their turn. */
async function finish(host: FakeHost, argv: readonly string[]): ReturnType<typeof runOn> {
  const over = new AbortController();
  const ended = runOn(host, argv).finally(() => over.abort());
  while (!over.signal.aborted) {
    await host.clock.advance(0);
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
  return ended;
}

/** One call, by the gate, as an agent makes it. */
async function call(tool: string, args: object): Promise<void> {
  const { code, stdout, stderr } = await herma(['call', '--json'], { stdin: JSON.stringify({ tool, args }) });
  expect([code, stderr, stdout]).toEqual([0, '', expect.any(String)]);
}

interface Listed {
  readonly n: number;
  readonly id: string;
  readonly reason: string;
  readonly files: number;
}

async function listed(...argv: readonly string[]): Promise<readonly Listed[]> {
  const { stdout } = await herma(['rollback', '--json', ...argv]);
  const entries: readonly Listed[] = JSON.parse(stdout);
  return entries;
}

describe('herma rollback on a real store', () => {
  it('brings back what a tool wrote and what a command removed, and takes that back', async () => {
    writeFileSync(at('my file.txt'), 'old\r\n', { mode: 0o600 });
    writeFileSync(at('other.txt'), 'other\n');
    await call('write_file', { path: 'my file.txt', content: 'new\n' });
    await call('terminal', { command: 'rm other.txt && touch made.txt' });
    const entries = await listed('--all-calls');
    expect(entries.map(({ reason }) => reason)).toEqual([
      'before terminal: rm other.txt && touch made.txt',
      'before write_file',
    ]);
    const { stdout: patch } = await herma(['rollback', 'diff', String((await listed()).length)]);
    expect(patch).toContain('-old\r\n+new\n');
    const oldest = entries.at(-1)?.id ?? '';
    const restored = await herma(['rollback', oldest]);
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect([read('my file.txt'), read('other.txt')]).toEqual(['old\r\n', 'other\n']);
    expect(statSync(at('my file.txt')).mode & 0o777).toBe(0o600);
    expect(existsSync(at('made.txt'))).toBe(false);
    expect(restored.stdout).toContain('  removed   made.txt\n');
    const undone = await herma(['rollback', 'undo']);
    expect([undone.code, undone.stderr]).toEqual([0, '']);
    expect([read('my file.txt'), existsSync(at('other.txt')), existsSync(at('made.txt'))]).toEqual([
      'new\n',
      false,
      true,
    ]);
    expect((await herma(['checkpoints', 'verify'])).code).toBe(0);
  });

  it('brings one file back by its name, and leaves the others', async () => {
    writeFileSync(at('a b.txt'), 'old a\n');
    writeFileSync(at('-c.txt'), 'old c\n');
    await call('terminal', { command: "sed -i s/old/new/ 'a b.txt' ./-c.txt" });
    expect((await herma(['rollback', '1', '--', '-c.txt'])).code).toBe(0);
    expect([read('a b.txt'), read('-c.txt')]).toEqual(['new a\n', 'old c\n']);
    const { code, stdout } = await herma(['rollback', '2', 'a b.txt', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, restored: ['a b.txt'], rewound: null }]);
    expect(read('a b.txt')).toBe('old a\n');
    expect((await herma(['rollback', '2', '../x.txt'])).code).toBe(2);
    expect((await herma(['rollback', '2', 'nowhere.txt'])).code).toBe(2);
  });

  it('keeps what a person changed since, unless told otherwise', async () => {
    writeFileSync(at('a.txt'), 'old\n');
    await call('write_file', { path: 'a.txt', content: 'new\n' });
    writeFileSync(at('a.txt'), 'mine\n');
    const { code, stdout } = await herma(['rollback', '1']);
    expect([code, read('a.txt'), stdout]).toEqual([
      0,
      'mine\n',
      expect.stringContaining('  kept      a.txt'),
    ]);
    const id = (await listed()).find(({ reason }) => reason === 'before write_file')?.id ?? '';
    expect((await herma(['rollback', id, '--all', '--dry-run'])).code).toBe(0);
    expect(read('a.txt')).toBe('mine\n');
    expect((await herma(['rollback', id, '--all'])).code).toBe(0);
    expect(read('a.txt')).toBe('old\n');
  });

  it('deletes with --exact only what was shown and agreed to', async () => {
    writeFileSync(at('a.txt'), 'old\n');
    expect((await herma(['checkpoints', 'take', '-m', 'start'])).stdout).toMatch(/^[0-9a-f]{7} {2}.*2 files/);
    writeFileSync(at('mine.txt'), 'mine\n');
    const refused = await herma(['rollback', '1', '--exact']);
    expect([refused.code, read('mine.txt')]).toEqual([2, 'mine\n']);
    expect(refused.stderr).toContain('  mine.txt\n');
    const id = (await listed()).at(-1)?.id ?? '';
    expect((await herma(['rollback', id, '--exact', '-y'])).code).toBe(0);
    expect(existsSync(at('mine.txt'))).toBe(false);
    expect((await herma(['rollback', 'undo'])).code).toBe(0);
    expect(read('mine.txt')).toBe('mine\n');
  });

  it('brings a project back whose folder is gone', async () => {
    writeFileSync(at('a.txt'), 'old\n');
    await herma(['checkpoints', 'take']);
    rmSync(project, { recursive: true });
    const { code, stderr } = await finish(new FakeHost({ home }), [
      'rollback',
      '1',
      '--all',
      '--dir',
      project,
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(read('a.txt')).toBe('old\n');
  });

  it('says what is not captured', async () => {
    writeFileSync(at('.gitignore'), 'ignored.txt\n');
    writeFileSync(at('ignored.txt'), 'x');
    await herma(['checkpoints', 'take']);
    const { stderr, code } = await herma(['rollback', 'diff', '1']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('  ignored.txt (ignored)')]);
    expect((await herma(['rollback'])).stdout).toContain('[1 path not captured]');
  });

  it('is empty where nothing was taken, exit 4, and makes no store', async () => {
    for (const argv of [[], ['1'], ['diff', '1'], ['undo']])
      expect([argv, (await herma(['rollback', ...argv])).code]).toEqual([argv, 4]);
    expect((await herma(['rollback', '--json'])).stdout).toBe('[]\n');
    expect(existsSync(join(home, 'checkpoints/store'))).toBe(false);
  });

  it('refuses a folder that was never there, exit 2', async () => {
    const { code, stderr } = await herma(['rollback', '--dir', at('nowhere')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${at('nowhere')} is not there`)]);
    await herma(['checkpoints', 'take']);
    expect((await herma(['rollback', '--dir', at('nowhere')])).code).toBe(0);
  });

  it('refuses a checkpoint that is not there, exit 2', async () => {
    await herma(['checkpoints', 'take']);
    for (const ref of ['9', 'dead', '99999999999999999999']) {
      const { code, stderr } = await herma(['rollback', ref]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^herma: (There is n|N)o checkpoint /)]);
    }
  });
});

describe('herma checkpoints on a real store', () => {
  it('shows, drops, prunes and clears', async () => {
    expect((await herma(['checkpoints', '--json'])).stdout).toContain('"projects":[]');
    expect((await herma(['checkpoints', 'clear'])).stdout).toBe('Nothing to clear.\n');
    await herma(['checkpoints', 'take']);
    const status: { readonly projects: readonly object[] } = JSON.parse(
      (await herma(['checkpoints', 'status', '--json'])).stdout,
    );
    expect(status.projects).toMatchObject([{ workdir: project, snapshots: 1, state: 'live' }]);
    expect((await herma(['checkpoints', 'show', '1'])).stdout).toContain('Kind:        manual\n');
    expect((await herma(['checkpoints', 'prune', '--json'])).code).toBe(0);
    expect((await herma(['checkpoints', 'repair'])).code).toBe(0);
    expect((await herma(['checkpoints', 'maintain'])).code).toBe(0);
    expect((await herma(['checkpoints', 'drop', '1'])).stdout).toMatch(/^dropped [0-9a-f]{7}\n$/);
    expect(await listed()).toEqual([]);
    await herma(['checkpoints', 'take']);
    expect((await herma(['checkpoints', 'clear', '-f'])).code).toBe(0);
    expect((await herma(['checkpoints', 'clear'])).stdout).toBe('Nothing to clear.\n');
  });

  it('asks before it deletes a project whose folder is gone', async () => {
    await herma(['checkpoints', 'take']);
    rmSync(project, { recursive: true });
    const elsewhere = { workingDirectory: home };
    expect((await herma(['checkpoints', 'prune'], elsewhere)).code).toBe(2);
    expect((await herma(['checkpoints'], elsewhere)).stdout).toMatch(/ orphan\n/);
    expect((await herma(['checkpoints', 'prune', '-f'], elsewhere)).stdout).toContain('Deleted orphan:  1\n');
    expect((await herma(['checkpoints', '--json'], elsewhere)).stdout).toContain('"projects":[]');
  });

  it('puts a damaged journal of a restore aside, and restores again', async () => {
    writeFileSync(at('a.txt'), 'old\n');
    await call('write_file', { path: 'a.txt', content: 'new\n' });
    const journals = join(home, 'checkpoints/store/journals');
    const [h16 = ''] = readdirSync(journals);
    const journal = join(journals, h16, 'restore.json');
    writeFileSync(journal, '{"version":1,"transac', { mode: 0o600 });
    const refused = await herma(['rollback', '1']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('herma checkpoints repair')]);
    const verified = await herma(['checkpoints', 'verify']);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining(journal)]);
    const { code, stdout } = await herma(['checkpoints', 'repair', '--json']);
    const { done }: { readonly done: readonly string[] } = JSON.parse(stdout);
    const moved = /^moved (.*) aside, to (.*)$/.exec(done[0] ?? '');
    expect([code, moved?.[1]]).toEqual([0, journal]);
    expect(done[1]).toContain(project);
    expect(readFileSync(moved?.[2] ?? '', 'utf8')).toBe('{"version":1,"transac');
    expect((await herma(['checkpoints', 'verify'])).code).toBe(0);
    expect([(await herma(['rollback', '1'])).code, read('a.txt')]).toEqual([0, 'old\n']);
  });

  it('finds damage, exit 1', async () => {
    await herma(['checkpoints', 'take']);
    const { stdout } = await herma(['rollback', '--json']);
    const [entry]: readonly Listed[] = JSON.parse(stdout);
    const id = entry?.id ?? '';
    const file = join(home, 'checkpoints/store/objects', id.slice(0, 2), id.slice(2));
    chmodSync(file, 0o600);
    writeFileSync(file, 'x');
    expect((await herma(['checkpoints', 'verify'])).code).toBe(1);
  });
});

it('the shell is offered the ids of the project in hand', async () => {
  expect((await herma(['__complete', 'checkpoint-ids'])).stdout).toBe('');
  await herma(['checkpoints', 'take']);
  const [entry] = await listed();
  expect((await herma(['__complete', 'checkpoint-ids'])).stdout).toBe(`${entry?.id.slice(0, 7) ?? ''}\n`);
});

it('the doctor knows of the store', async () => {
  const check = async (): Promise<unknown> => {
    const { stdout } = await herma(['doctor', '--json']);
    const { checks }: { readonly checks: readonly { readonly name: string; readonly message: string }[] } =
      JSON.parse(stdout);
    return checks.find(({ name }) => name === 'checkpoints')?.message;
  };
  expect(await check()).toBe('on; none yet');
  await herma(['checkpoints', 'take']);
  expect(await check()).toMatch(/^on; .* for 1 project$/);
});

describe('herma rollback --call with a number of the journal', () => {
  const rowOf = async (tool: string): Promise<number> => {
    const { stdout } = await herma(['ledger', '--json', '--tool', tool]);
    const rows: readonly { readonly id: number }[] = JSON.parse(stdout);
    return rows[0]?.id ?? 0;
  };

  it('takes back that call, from whatever folder, and no other', async () => {
    writeFileSync(at('a.txt'), 'old a\n');
    writeFileSync(at('b.txt'), 'old b\n');
    await call('write_file', { path: 'a.txt', content: 'new a\n' });
    await call('patch', { mode: 'replace', path: 'b.txt', old_string: 'old', new_string: 'new' });
    const id = String(await rowOf('write_file'));
    const { stdout: shown } = await herma(['ledger', 'show', id]);
    expect(shown).toContain(`herma rollback --call ${id}\n`);
    const dry = await herma(['rollback', '--call', id, '--dry-run'], { workingDirectory: '/' });
    expect([dry.code, read('a.txt')]).toEqual([0, 'new a\n']);
    const undone = await herma(['rollback', '--call', `#${id}`, '--json'], { workingDirectory: '/' });
    expect([undone.code, undone.stderr]).toEqual([0, '']);
    expect(JSON.parse(undone.stdout)).toMatchObject({ ok: true, restored: ['a.txt'] });
    expect([read('a.txt'), read('b.txt')]).toEqual(['old a\n', 'new b\n']);
  });

  it('tells two calls apart to which a model gave the same id', async () => {
    for (const name of ['one.txt', 'two.txt']) {
      const payload = { tool: 'write_file', args: { path: name, content: name }, call_id: 'call_1' };
      await herma(['call'], { stdin: JSON.stringify(payload) });
    }
    const { stdout } = await herma(['ledger', '--json']);
    const rows: readonly { readonly id: number; readonly args_json: string }[] = JSON.parse(stdout);
    const first = rows.find(({ args_json: args }) => args.includes('one.txt'))?.id;
    expect((await herma(['rollback', '--call', String(first)])).code).toBe(0);
    expect([existsSync(at('one.txt')), existsSync(at('two.txt'))]).toEqual([false, true]);
  });

  it('takes back some files of a call, named from where the person is', async () => {
    mkdirSync(at('sub'));
    for (const name of ['sub/a.txt', 'sub/b.txt']) writeFileSync(at(name), 'old\n');
    await call('terminal', { command: 'for f in sub/*.txt; do echo new >$f; done' });
    const id = String(await rowOf('terminal'));
    const { code } = await herma(['rollback', '--call', id, '--', 'a.txt'], { workingDirectory: at('sub') });
    expect([code, read('sub/a.txt'), read('sub/b.txt')]).toEqual([0, 'old\n', 'new\n']);
  });

  it('says which call has no checkpoint', async () => {
    writeFileSync(join(home, 'config.yaml'), 'checkpoints:\n  enabled: false\n', { mode: 0o600 });
    await call('write_file', { path: 'a.txt', content: 'new\n' });
    expect(await herma(['rollback', '--call', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no checkpoint was taken for call #1'),
    });
    expect(read('a.txt')).toBe('new\n');
  });

  it('falls back on the id that the model gave, for a number that the journal does not know', async () => {
    await call('write_file', { path: 'a.txt', content: 'new\n' });
    expect(await herma(['rollback', '--call', '99'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no checkpoint was taken here for a call "99"'),
    });
  });
});
