import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchProject } from './scratch-project.ts';

let base: string;
let p: ScratchProject;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'restore-')));
  p = new ScratchProject(base);
});
afterEach(() => {
  expect([...p.tree().keys()].filter((path) => path.includes('.herma-'))).toEqual([]);
  if (existsSync(join(base, 'checkpoints/store/HEAD'))) {
    const run = () =>
      execFileSync(
        'git',
        ['--git-dir', join(base, 'checkpoints/store'), 'fsck', '--strict', '--no-dangling'],
        { stdio: 'pipe' },
      );
    expect(run).not.toThrow();
  }
  rmSync(base, { recursive: true, force: true });
});

const reasonOf = (outcome: { skipped: readonly { path: string; reason: string }[] }, path: string) =>
  outcome.skipped.find((each) => each.path === path)?.reason;

describe('a restore of what agents did', () => {
  it('brings back what a tool wrote and removes what it made, folders included', async () => {
    p.write('a', 'a0');
    p.agentWrites('a', 'a1');
    p.agentWrites('new/deep/b', 'b1');
    const outcome = await p.restore(1);
    expect(outcome).toMatchObject({ ok: true, kept: [], skipped: [] });
    expect(outcome.restored).toEqual(['a', 'new', 'new/deep', 'new/deep/b']);
    expect(outcome.deleted).toEqual(['new', 'new/deep', 'new/deep/b']);
    expect([...p.tree().keys()]).toEqual(['a', 'package.json']);
    expect(p.read('a')).toBe('a0');
    expect(outcome.target).toMatchObject({ reason: 'before write_file', owner: { turnId: 't1' } });
    expect(p.opens().at(-1)).toMatchObject({ kind: 'rollback', id: outcome.safetyId });
    expect(p.opens().at(-1)?.reason).toBe(
      `pre-rollback snapshot (restoring to ${outcome.target?.id.slice(0, 8) ?? ''})`,
    );
  });

  it('brings back everything that one command did', async () => {
    p.write('d/x', '1');
    p.write('y', '2');
    p.write('z', '3');
    p.write('c.ini', 'port=1');
    p.link('l', 'y');
    p.write('run', '#!/bin/sh\n', 0o755);
    const before = p.tree();
    p.command(
      () => {
        p.remove('d');
        p.move('y', 'y2');
        p.write('c.ini', 'port=2');
        p.write('z', '');
        p.remove('l');
        p.chmod('run', 0o644);
      },
      { words: ['d', 'y', 'y2', 'c.ini', 'z', 'l', 'run'] },
    );
    expect(await p.restore(1)).toMatchObject({ ok: true, kept: [], skipped: [] });
    expect(p.tree()).toEqual(before);
  });

  it('goes through tools and commands of several turns back to the first', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1', { turn: 't1' });
    p.command(() => p.write('a', '2'), { turn: 't2', words: ['a'] });
    p.agentWrites('a', '3', { turn: 't3' });
    expect((await p.restore(2)).restored).toEqual(['a']);
    expect(p.read('a')).toBe('1');
    expect((await p.restore(4)).restored).toEqual(['a']);
    expect(p.read('a')).toBe('0');
  });

  it('keeps every bit of the mode and never widens it on the way', async () => {
    p.write('secret', 'k', 0o600);
    p.write('set', 's', 0o4755);
    p.command(() => {
      p.remove('secret');
      p.write('set', 'x', 0o644);
    });
    await p.restore(1);
    expect([p.mode('secret'), p.mode('set')]).toEqual(['600', '4755']);
  });

  it('brings back the mode of a file and of a folder alone', async () => {
    p.write('f', '1', 0o755);
    p.write('d/x', '1');
    p.chmod('d', 0o700);
    p.command(() => {
      p.chmod('f', 0o644);
      p.chmod('d', 0o755);
    });
    expect((await p.restore(1)).restored).toEqual(['d', 'f']);
    expect([p.mode('f'), p.mode('d')]).toEqual(['755', '700']);
  });

  it('brings back empty folders, and what is below them, from a folder that may not be written', async () => {
    p.folder('empty/inner', 0o711);
    p.write('locked/a', '1');
    p.chmod('locked', 0o555);
    const before = p.tree();
    p.command(() => {
      p.chmod('locked', 0o755);
      p.remove('locked');
      p.remove('empty');
    });
    expect((await p.restore(1)).ok).toBe(true);
    expect(p.tree()).toEqual(before);
    p.chmod('locked', 0o755);
  });

  it('brings back a folder that was made read-only with what was changed in it', async () => {
    p.write('d/a', '0');
    const before = p.tree();
    p.command(() => {
      p.write('d/a', '1');
      p.chmod('d', 0o555);
    });
    expect((await p.restore(1)).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it.each<[string, (q: ScratchProject) => void, (q: ScratchProject) => void]>([
    ['a file for a folder', (q) => q.write('t', 'f'), (q) => (q.remove('t'), q.write('t/a/b', '1'))],
    ['a folder for a file', (q) => q.write('t/a/b', '1'), (q) => (q.remove('t'), q.write('t', 'f'))],
    ['a link for a file', (q) => q.link('t', 'package.json'), (q) => (q.remove('t'), q.write('t', 'f'))],
    ['a file for a link', (q) => q.write('t', 'f'), (q) => (q.remove('t'), q.link('t', 'package.json'))],
    ['a folder for a link', (q) => q.write('t/a', 'f'), (q) => (q.remove('t'), q.link('t', '..'))],
    ['a link for a folder', (q) => q.link('t', '/nowhere'), (q) => (q.remove('t'), q.write('t/a', 'f'))],
    ['another link', (q) => q.link('t', 'one'), (q) => (q.remove('t'), q.link('t', 'two'))],
  ])('puts %s', async (_, prepare, change) => {
    prepare(p);
    const before = p.tree();
    p.command(() => change(p));
    const after = p.tree();
    expect(await p.restore(1)).toMatchObject({ ok: true, skipped: [], kept: [] });
    expect(p.tree()).toEqual(before);
    expect((await p.undo()).ok).toBe(true);
    expect(p.tree()).toEqual(after);
    expect((await p.undo()).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it('is exact to the byte whatever .gitattributes says, with any name', async () => {
    p.write('.gitattributes', '* text=auto ident\n*.u16 working-tree-encoding=UTF-16\n');
    const names = [
      'crlf.txt',
      ' lead',
      'trail ',
      'new\nline',
      '*star*',
      ':(top)c',
      '-dash',
      'ü/é',
      'x.u16',
      '\udc80\udcff',
      'a%2Fb',
      'em😀',
    ];
    for (const name of names) p.write(name, Buffer.from([13, 10, 0, 255, 36, 73, 100, 36, 13]));
    const before = p.tree();
    p.tool(names.slice(0, 6), () => {
      for (const name of names.slice(0, 6)) p.write(name, 'x\r\n');
    });
    p.command(() => {
      for (const name of names.slice(6)) p.remove(name);
    });
    expect(await p.restore(1)).toMatchObject({ ok: true, kept: [], skipped: [] });
    expect(p.tree()).toEqual(before);
    for (const name of names) p.write(name, 'x');
    for (const name of names)
      expect((await p.restore(p.entries(), { paths: [`./${name}`], mode: 'all' })).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it('notices a change of the same size and time', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1');
    const { mtime } = statSync(p.place('a'));
    writeFileSync(p.place('a'), 'P');
    execFileSync('touch', ['-d', mtime.toISOString(), p.place('a')]);
    expect((await p.restore(1)).kept).toEqual(['a']);
    expect(p.read('a')).toBe('P');
  });

  it('says that a call has not ended, instead of that nothing has changed', async () => {
    p.write('a', '0');
    const token = p.begin();
    p.write('a', '1');
    expect((await p.restore(1)).reason).toContain('one has not ended');
    p.end(token);
    expect((await p.restore(1)).restored).toEqual(['a']);
    expect((await p.restore(p.entries())).reason).toBe('nothing to restore: everything is as it was');
  });

  it('brings back the whole project when a command has removed its folder', async () => {
    p.write('a', '0');
    p.write('d/b', '0');
    const before = p.tree();
    p.command(() => {
      rmSync(p.root, { recursive: true });
    });
    mkdirSync(p.root);
    expect((await p.restore(1)).ok).toBe(true);
    expect(p.tree()).toEqual(before);
  });

  it('says what a command has removed that was not captured', async () => {
    p.write('.gitignore', 'out\n*.dat\n');
    for (const path of ['out/x', 'y.dat', 'kept.dat']) p.write(path, '0');
    p.command(() => {
      p.remove('out');
      p.remove('y.dat');
      p.write('z', '1');
    });
    const outcome = await p.restore(1);
    expect(outcome).toMatchObject({ ok: true, restored: ['z'] });
    expect(outcome.skipped).toEqual(
      ['out', 'y.dat'].map((path) => ({ path, reason: 'it was removed, and it is not captured: ignored' })),
    );
  });

  it('says that --all goes further where a rule of the agent hides what was there', async () => {
    p.write('x.dat', '0');
    p.command(() => {
      p.write('.gitignore', '*.dat\n');
    });
    p.command(
      () => {
        p.remove('x.dat');
      },
      { turn: 't2' },
    );
    const outcome = await p.restore(2);
    expect(reasonOf(outcome, 'x.dat')).toBe('it is not captured: ignored since; --all goes further');
    expect((await p.restore(p.entries(), { mode: 'all' })).restored).toEqual(['x.dat']);
    expect(p.read('x.dat')).toBe('0');
  });

  it('says so when there is nothing to do, and records nothing', async () => {
    p.agentWrites('a', '1');
    await p.restore(1);
    const count = p.records().length;
    const outcome = await p.restore(2);
    expect(outcome).toMatchObject({
      ok: true,
      restored: [],
      reason: 'nothing to restore: everything is as it was',
    });
    expect(outcome.safetyId).toBeUndefined();
    expect(p.records()).toHaveLength(count);
  });
});

describe('what a person did', () => {
  it('is kept where it was last, and listed', async () => {
    p.write('README', 'r0');
    p.write('mix', 'm0');
    p.agentWrites('a', '1');
    p.agentWrites('mix', 'm1');
    p.write('README', 'hand');
    p.write('mix', 'm1+mine');
    const outcome = await p.restore(1);
    expect(outcome).toMatchObject({ ok: true, restored: ['a'], deleted: ['a'], kept: ['mix'] });
    expect([p.read('README'), p.read('mix')]).toEqual(['hand', 'm1+mine']);
    const all = await p.restore(2, { mode: 'all' });
    expect(all).toMatchObject({ ok: true, restored: ['mix'] });
    expect([p.read('README'), p.read('mix')]).toEqual(['hand', 'm0']);
    expect((await p.restore(1, { mode: 'all' })).ok).toBe(true);
    expect(p.read('mix')).toBe('m1+mine');
  });

  it('between two calls is where a restore stops, and says so', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1', { turn: 't1' });
    p.write('a', 'P');
    p.agentWrites('a', '2', { turn: 't2' });
    const outcome = await p.restore(2);
    expect(outcome).toMatchObject({ ok: true, restored: ['a'] });
    expect(reasonOf(outcome, 'a')).toContain('--all');
    expect(p.read('a')).toBe('P');
    expect((await p.restore(3)).kept).toEqual(['a']);
    expect((await p.restore(3, { mode: 'all' })).restored).toEqual(['a']);
    expect(p.read('a')).toBe('0');
  });

  it('in a folder that a call made keeps the folder', async () => {
    p.agentWrites('d/a', '1');
    p.write('d/mine', '1');
    const outcome = await p.restore(1);
    expect(outcome).toMatchObject({ ok: true, deleted: ['d/a'] });
    expect(reasonOf(outcome, 'd')).toBe('the folder is not empty: mine is in it');
    expect(p.read('d/mine')).toBe('1');
  });

  it('is never deleted, not with --all either', async () => {
    execFileSync('git', ['init', '-q', p.root]);
    p.write('.gitignore', '*.tmp\n');
    for (const path of ['out/r1', 'secret.tmp', 'node_modules/x/i.js']) p.write(path, 'k');
    p.folder('empty');
    p.agentWrites('app.py', '1', { turn: 'a' });
    for (const path of ['late.csv', 'late.tmp', 'logs/2026/a']) p.write(path, 'late');
    for (const mode of ['agent', 'all'] as const) {
      p.agentWrites('app.py', '2', { turn: mode });
      const outcome = await p.restore(p.entries(), { mode });
      expect(outcome.restored).toContain('app.py');
      for (const path of [
        'out/r1',
        'secret.tmp',
        'node_modules/x/i.js',
        'late.csv',
        'late.tmp',
        'logs/2026/a',
        'empty',
      ])
        expect(existsSync(p.place(path))).toBe(true);
      expect(existsSync(p.place('app.py'))).toBe(false);
    }
  });

  it('while nobody looked is not ascribed to a command that names other files', async () => {
    p.write('a', '0');
    p.write('mine', '0');
    p.command(
      () => {
        p.write('a', '1');
        p.write('mine', 'P');
      },
      { words: ['a'] },
    );
    const outcome = await p.restore(1);
    expect(outcome.restored).toEqual(['a']);
    expect(reasonOf(outcome, 'mine')).toBe('the command does not name it');
    expect((await p.restore(2, { includeAmbiguous: true })).restored).toEqual(['mine']);
  });

  it('during a long command is not ascribed to it', async () => {
    p.write('a', '0');
    p.command(() => {
      p.write('a', '1');
      p.now += 61_000;
    });
    expect(reasonOf(await p.restore(1), 'a')).toBe('the command ran for 61 s');
    expect((await p.restore(1, { includeAmbiguous: true })).restored).toEqual(['a']);
  });

  it('of another session is kept inside a chat', async () => {
    p.write('a', '0');
    p.write('b', '0');
    p.agentWrites('a', '1', { session: 's1' });
    p.agentWrites('b', '1', { session: 's2' });
    const outcome = await p.restore(2, { lineage: ['s1'] });
    expect(outcome).toMatchObject({ restored: ['a'], kept: ['b'] });
    expect(reasonOf(outcome, 'b')).toBe('it was changed by another session');
    expect((await p.restore(3)).restored).toEqual(['b']);
  });

  it('in the place of a folder is not overwritten by what was in the folder', async () => {
    p.write('d/a', '0');
    p.agentWrites('d/a', '1');
    p.remove('d');
    p.link('d', base);
    expect(await p.restore(1)).toMatchObject({ ok: true, kept: ['d/a'] });
    const all = await p.restore(1, { mode: 'all' });
    expect(reasonOf(all, 'd/a')).toBe('its folder has become a link');
    expect(existsSync(join(base, 'a'))).toBe(false);
  });
});

describe('changes that overlap', () => {
  it('of two sessions are ambiguous where both saw them', async () => {
    for (const path of ['a', 'b', 'c']) p.write(path, '0');
    const first = p.begin({ session: 's1', turn: 'x', words: ['a', 'b'] });
    p.write('a', '1');
    const second = p.begin({ session: 's2', turn: 'y', words: ['b', 'c'] });
    p.write('b', '1');
    p.end(first);
    p.write('c', '1');
    p.end(second);
    const outcome = await p.restore(2);
    expect(outcome.restored).toEqual(['a', 'c']);
    expect(reasonOf(outcome, 'b')).toBe('another command ran at the same time');
  });

  it('of one turn are certain for the turn and ambiguous for one call', async () => {
    p.write('a', '0');
    const first = p.begin({ call: 'c1', words: ['a'] });
    const second = p.begin({ call: 'c2', words: ['a'] });
    p.write('a', '1');
    p.end(first);
    p.end(second);
    expect(reasonOf(await p.revert('c1'), 'a')).toBe('another command ran at the same time');
    expect((await p.restore(1)).restored).toEqual(['a']);
  });

  it('belong to the tool that names them', async () => {
    p.write('a', '0');
    p.write('b', '0');
    const token = p.begin({ session: 's2', turn: 'y' });
    p.agentWrites('a', '1');
    p.write('b', '1');
    p.end(token);
    expect((await p.revert('c')).ok).toBe(true);
    const outcome = await p.restore(p.entries());
    expect(outcome.skipped).toEqual([]);
    expect([p.read('a'), p.read('b')]).toEqual(['0', '0']);
  });

  it('after a command went on in the background are ambiguous until the next scan', async () => {
    for (const path of ['a', 'b']) p.write(path, '0');
    p.command(() => p.write('a', '1'), { words: ['a', 'b'], isDetached: true });
    p.write('b', 'late');
    expect(reasonOf(await p.restore(1), 'b')).toBe('a command went on in the background');
    p.command(() => {}, { turn: 't2' });
    p.write('b', 'P');
    expect((await p.restore(p.entries())).kept).toEqual(['b']);
  });

  it('of a call that never ended are ambiguous', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1');
    const journal = p.parts.journals.of(p.h16);
    const close = p.records().find((record) => record.type === 'close');
    if (close?.type !== 'close') throw new Error('there is no close');
    journal.remove([close.seq]);
    journal.append({ ...close, isLate: true });
    expect(reasonOf(await p.restore(1), 'a')).toBe('the call never ended');
  });
});

describe('undoing one call', () => {
  it('leaves what other calls did', async () => {
    p.write('a', '0');
    p.write('b', '0');
    p.agentWrites('a', '1', { call: 'one' });
    p.agentWrites('b', '1', { call: 'two' });
    expect((await p.revert('one')).restored).toEqual(['a']);
    expect([p.read('a'), p.read('b')]).toEqual(['0', '1']);
  });

  it('leaves what was changed again', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1', { call: 'one' });
    p.agentWrites('a', '2', { call: 'two' });
    const outcome = await p.revert('one');
    expect(outcome).toMatchObject({ ok: true, kept: ['a'], restored: [] });
    expect(reasonOf(outcome, 'a')).toMatch(/^it was changed again: before write_file/);
    expect((await p.revert('one', { mode: 'all' })).restored).toEqual(['a']);
    expect(p.read('a')).toBe('0');
  });
});

describe('undo', () => {
  it('takes a restore back, and back again', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1');
    p.agentWrites('new', '1');
    const after = p.tree();
    await p.restore(1);
    const before = p.tree();
    for (const expected of [after, before, after]) {
      expect((await p.undo()).ok).toBe(true);
      expect(p.tree()).toEqual(expected);
    }
    expect((await p.restore(p.entries())).restored).toEqual(['a', 'new']);
    expect(p.tree()).toEqual(before);
  });

  it('keeps what was changed since, and takes it back with all', async () => {
    p.write('a', '0');
    p.agentWrites('a', '1');
    await p.restore(1);
    p.write('a', 'P');
    expect(await p.undo()).toMatchObject({ ok: true, kept: ['a'], restored: [] });
    expect((await p.undo('all')).restored).toEqual(['a']);
    expect(p.read('a')).toBe('1');
    expect((await p.undo()).ok).toBe(true);
    expect(p.read('a')).toBe('P');
  });

  it('keeps what a person made again after a later call, though it is what the restore had left', async () => {
    p.agentWrites('a', '1');
    await p.restore(1);
    p.agentWrites('a', '2', { turn: 't2' });
    p.remove('a');
    expect(await p.undo()).toMatchObject({ ok: true, kept: ['a'], restored: [] });
    expect(p.read('a')).toBeUndefined();
  });

  it('fails when nothing was restored', async () => {
    p.agentWrites('a', '1');
    expect(await p.undo()).toMatchObject({ ok: false, error: { code: 'nothing_to_undo' } });
  });
});

describe('modes all and exact', () => {
  it('bring back the whole tree as it was scanned, over a person', async () => {
    p.write('a', '0');
    p.write('d/b', '0');
    const before = p.tree();
    p.take();
    p.write('a', 'P');
    p.remove('d');
    p.write('extra', 'P');
    expect(await p.restore(1)).toMatchObject({ ok: true, restored: [] });
    expect((await p.restore(1, { mode: 'all' })).restored).toEqual(['a', 'd', 'd/b']);
    expect(p.read('extra')).toBe('P');
    const exact = await p.restore(2, { mode: 'exact' });
    expect(exact).toMatchObject({ ok: true, restored: ['extra'], deleted: ['extra'] });
    expect(p.tree()).toEqual(before);
    expect((await p.undo()).ok).toBe(true);
    expect(p.read('extra')).toBe('P');
  });

  it('never touch what is not captured', async () => {
    execFileSync('git', ['init', '-q', p.root]);
    p.write('.gitignore', 'skip/\n*.tmp\n');
    p.take();
    for (const path of ['skip/a', 'b.tmp', 'd/c.tmp', 'd/e']) p.write(path, 'k');
    const git = readdirSync(p.place('.git'));
    const outcome = await p.restore(1, { mode: 'exact' });
    expect(outcome.deleted).toEqual(['d/e']);
    expect(reasonOf(outcome, 'd')).toContain('c.tmp');
    expect(readdirSync(p.place('.git'))).toEqual(git);
    for (const path of ['skip/a', 'b.tmp', 'd/c.tmp']) expect(p.read(path)).toBe('k');
  });

  it('are refused as exact where nothing was scanned', async () => {
    p.agentWrites('a', '1');
    expect(await p.restore(1, { mode: 'exact' })).toMatchObject({
      ok: false,
      error: { code: 'not_scanned' },
    });
  });

  it('remove what a command made, though a person changed it', async () => {
    p.command(() => p.write('made', '1'));
    p.write('made', 'P');
    expect((await p.restore(1)).kept).toEqual(['made']);
    expect((await p.restore(1, { mode: 'all' })).deleted).toEqual(['made']);
    expect((await p.undo()).ok).toBe(true);
    expect(p.read('made')).toBe('P');
  });

  it('give ignored files back that a tool has named', async () => {
    execFileSync('git', ['init', '-q', p.root]);
    p.write('.gitignore', '.env\n');
    p.write('.env', 'KEY=1', 0o600);
    p.agentWrites('.env', 'KEY=2');
    p.command(() => {}, { turn: 't2' });
    expect((await p.restore(2, { mode: 'all' })).restored).toEqual(['.env']);
    expect([p.read('.env'), p.mode('.env')]).toEqual(['KEY=1', '600']);
    expect(p.opens().at(-1)?.isPrivate).toEqual(['.env']);
  });
});

describe('nested repositories', () => {
  it('are files like any others, and their .git is never touched', async () => {
    execFileSync('git', ['init', '-q', p.root]);
    for (const repo of ['sub/inner', 'sub/empty']) execFileSync('git', ['init', '-q', p.place(repo)]);
    p.write('wt/.git', 'gitdir: /none');
    for (const path of ['sub/inner/code.c', 'sub/empty/e', 'wt/w', 'top']) p.write(path, '1');
    const gits = () => [...p.tree()].filter(([path]) => /(^|\/)\.git(\/|$)/.test(path));
    const before = gits();
    p.agentWrites('top', '2');
    p.command(() => {
      for (const path of ['sub/inner/code.c', 'sub/empty/e', 'wt/w']) p.write(path, '2');
    });
    expect((await p.restore(1, { mode: 'all' })).ok).toBe(true);
    for (const path of ['sub/inner/code.c', 'sub/empty/e', 'wt/w', 'top']) expect(p.read(path)).toBe('1');
    expect(gits()).toEqual(before);
    p.tool('.git/config', () => p.write('.git/config', 'x'), { turn: 'git' });
    expect(reasonOf(await p.restore(1), '.git/config')).toBe('it belongs to a .git');
  });
});

describe('restoring named paths', () => {
  it('goes over a person, and keeps their work in the checkpoint before it', async () => {
    p.write('src/a b.ts', '0');
    p.write('src/c', '0');
    p.tool(['src/a b.ts', 'src/c'], () => {
      p.write('src/a b.ts', '1');
      p.write('src/c', '1');
    });
    p.write('src/a b.ts', 'P');
    expect((await p.restore(1, { paths: ['a b.ts'], directory: p.place('src') })).restored).toEqual([
      'src/a b.ts',
    ]);
    expect([p.read('src/a b.ts'), p.read('src/c')]).toEqual(['0', '1']);
    await p.undo();
    expect(p.read('src/a b.ts')).toBe('P');
    expect((await p.restore(p.entries(), { paths: [p.place('src')] })).restored).toEqual([
      'src/a b.ts',
      'src/c',
    ]);
  });

  it.each([
    ['../x', 'outside'],
    ['/etc/passwd', 'outside'],
    ['a\0b', 'outside'],
    ['b*', 'not_in_checkpoint'],
    ['A', 'not_in_checkpoint'],
    ['mine', 'not_in_checkpoint'],
  ])('refuses %j as %s', async (path, code) => {
    p.write('a', '0');
    p.command(() => p.write('a', '1'));
    p.write('mine', 'P');
    const outcome = await p.restore(1, { paths: ['a', path] });
    expect(outcome).toMatchObject({ ok: false, restored: [], error: { code } });
    expect([p.read('a'), p.read('mine')]).toEqual(['1', 'P']);
  });

  it('names the nearest path that is covered', async () => {
    p.agentWrites('src/deep/name.ts', '1');
    const outcome = await p.restore(1, { paths: ['name.ts'] });
    expect(outcome.error?.remedy).toContain('src/deep/name.ts');
  });

  it('says why a path was not captured', async () => {
    execFileSync('git', ['init', '-q', p.root]);
    p.write('.gitignore', 'x\n');
    p.write('x', '1');
    p.command(() => p.write('x', '2'));
    expect((await p.restore(1, { paths: ['x'] })).error?.message).toContain('ignored');
  });
});

describe('a dry run', () => {
  it('says what a restore would do and writes nothing', async () => {
    p.write('a', '0');
    p.command(() => {
      p.write('a', '1');
      p.write('b', '1');
    });
    // A scan asks the file system for the time by touching a file of the store, which is empty.
    const everything = () =>
      execFileSync('find', [base, '!', '-name', 'clock', '-printf', '%p %s %T@ %C@ %i\n']).toString();
    const before = everything();
    const dry = await p.restore(1, { isDryRun: true });
    const all = await p.restore(1, { isDryRun: true, mode: 'all' });
    expect(everything()).toBe(before);
    expect(dry).toMatchObject({ ok: true, restored: ['a', 'b'], deleted: ['b'] });
    expect(all.restored).toEqual(dry.restored);
    expect(dry.safetyId).toBeUndefined();
    expect((await p.restore(1)).restored).toEqual(dry.restored);
  });
});

describe('what stands in the way', () => {
  const planting = (at: string, plant: () => void) => {
    let isPlanted = false;
    p = new ScratchProject(base, (name) => {
      if (name !== at || isPlanted) return;
      isPlanted = true;
      plant();
    });
  };

  it.each(['restore-plan', 'restore-open', 'restore-journal', 'restore-commit'])(
    'as a link planted after %s leads no write elsewhere',
    async (at) => {
      const outside = join(base, 'tmp');
      p.write('d/a', '0');
      p.write('d/gone', '0');
      p.write('z', '0');
      planting(at, () => {
        p.move('d', 'd-moved');
        symlinkSync(outside, p.place('d'));
      });
      p.tool(['d/a', 'd/gone', 'z'], () => {
        p.write('d/a', '1');
        p.remove('d/gone');
        p.write('z', '1');
      });
      const outcome = await p.restore(1);
      expect(readdirSync(outside)).toEqual([]);
      expect(p.read('z')).toBe('0');
      const told = [...outcome.kept, ...outcome.skipped.map(({ path }) => path)];
      expect(told).toContain('d/a');
      if (at !== 'restore-plan' && at !== 'restore-open')
        expect(outcome).toMatchObject({ ok: false, error: { code: 'incomplete' } });
      rmSync(p.place('d'));
      rmSync(p.place('d-moved'), { recursive: true });
    },
  );

  it.each(['restore-plan', 'restore-open', 'restore-journal', 'restore-commit'])(
    'as a change made after %s is kept',
    async (at) => {
      p.write('a', '0');
      p.write('b', '0');
      planting(at, () => {
        p.write('a', 'P');
        p.write('new', 'P');
      });
      p.tool(['a', 'b', 'new'], () => {
        p.write('a', '1');
        p.write('b', '1');
        p.write('new', '1');
      });
      const outcome = await p.restore(1);
      expect(outcome).toMatchObject({ ok: true, restored: ['b'] });
      expect(outcome.kept.toSorted()).toEqual(['a', 'new']);
      expect([p.read('a'), p.read('b'), p.read('new')]).toEqual(['P', '0', 'P']);
      expect((await p.undo()).restored).toEqual(['b']);
    },
  );

  it.each(['restore-backup', 'restore-place', 'restore-clear'])(
    'as a program that writes on into a file at %s keeps what it wrote',
    async (at) => {
      p.write('a', '0');
      p.write('z', '0');
      const files: number[] = [];
      planting(at, () => {
        for (const file of files) writeSync(file, 'P');
      });
      p.command(() => {
        p.write('a', '1');
        p.write('new', '1');
        p.write('z', '1');
      });
      files.push(...['a', 'new'].map((path) => openSync(p.place(path), 'a')));
      const outcome = await p.restore(1);
      for (const file of files) closeSync(file);
      expect(outcome.kept.toSorted()).toEqual(['a', 'new']);
      expect(['a', 'new', 'z'].map((path) => p.read(path))).toEqual(['1P', '1P', '0']);
    },
  );

  it.runIf(process.getuid?.() !== 0)(
    'as a folder that may not be written leaves the tree as it was',
    async () => {
      p.write('d/a', '0');
      p.write('z', '0');
      p.tool(['d/a', 'z'], () => {
        p.write('d/a', '1');
        p.write('z', '1');
      });
      chmodSync(p.place('d'), 0o555);
      const before = p.tree();
      expect((await p.restore(1)).error?.code).toBe('denied');
      expect(p.tree()).toEqual(before);
      chmodSync(p.place('d'), 0o755);
      expect((await p.restore(1)).ok).toBe(true);
    },
  );

  it.each([
    'reserve',
    'objects',
    'restore-journal',
    'restore-stage',
    'restore-commit',
    'restore-clear',
    'restore-make',
    'restore-backup',
    'restore-place',
    'restore-mode',
  ])('as a full disk at %s leaves the tree as it was', async (at) => {
    p.write('a', '0');
    p.write('gone/x', '0');
    p.write('mode/x', '0');
    p.chmod('mode', 0o700);
    p.write('b', '0');
    p.command(() => {
      p.write('a', '1');
      p.write('b', '1');
      p.remove('gone');
      p.write('new/y', '1');
      p.chmod('mode', 0o755);
    });
    const before = p.tree();
    let isFull = true;
    let last = 0;
    p = new ScratchProject(base, (name) => {
      last += name === at ? 1 : 0;
      if (isFull && name === at) throw Object.assign(new Error('full'), { code: 'ENOSPC', path: 'x' });
    });
    const outcome = await p.restore(1);
    expect(last).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ ok: false, restored: [], error: { code: 'disk_full' } });
    expect(p.tree()).toEqual(before);
    isFull = false;
    expect((await p.restore(p.entries())).ok).toBe(true);
    expect(p.read('gone/x')).toBe('0');
  });

  it.each([3, 5])(
    'as a file of %s GB that nobody could store stays, and the rest is restored',
    async (size) => {
      p.write('a', '0');
      p.write('b', '0');
      p.tool(['a', 'b'], () => {
        p.write('b', '1');
        truncateSync(p.place('a'), size * 1024 ** 3);
      });
      expect(await p.restore(1)).toMatchObject({ ok: true, restored: ['b'] });
      const outcome = await p.restore(p.entries(), { mode: 'all' });
      expect(outcome).toMatchObject({ ok: true, restored: [] });
      expect(reasonOf(outcome, 'a')).toBe('it is not captured: too large');
      expect(statSync(p.place('a')).size).toBe(size * 1024 ** 3);
      p.remove('a');
    },
  );

  it('as content that is no longer in the store is told, and the rest is restored', async () => {
    p.write('a', 'lost');
    p.write('b', '0');
    p.agentWrites('a', '1');
    p.agentWrites('b', '1');
    const state = p.opens()[0]?.named[0]?.state;
    if (state?.kind !== 'file') throw new Error('no file');
    rmSync(join(base, 'checkpoints/store/objects', state.oid.slice(0, 2), state.oid.slice(2)));
    const outcome = await p.restore(1);
    expect(outcome).toMatchObject({ ok: false, restored: ['b'], error: { code: 'incomplete' } });
    expect(reasonOf(outcome, 'a')).toBe('its content is no longer in the store');
    rmSync(join(base, 'checkpoints'), { recursive: true });
  });
});
