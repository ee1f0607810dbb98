import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { fileSystemPath } from '../../../platform/paths/index.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import { entriesOf, stateAt } from '../snapshots/snapshot-entries.ts';
import { readMeta } from '../snapshots/snapshot-meta.ts';
import { type ScanRequest, TreeScanner } from './tree-scanner.ts';

const base = mkdtempSync(join(tmpdir(), 'tree-scanner-'));
const storeFolder = join(base, 'store');
const objects = ObjectStore.create(storeFolder);
const H16 = '0123456789abcdef';
let count = 0;

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

afterEach(() => {
  const said = execFileSync('git', ['fsck', '--full', '--strict', '--no-dangling'], {
    cwd: storeFolder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(said).toBe('');
});

interface Project {
  readonly root: string;
  readonly scanner: TreeScanner;
  readonly scan: (change?: Partial<ScanRequest>) => ReturnType<TreeScanner['scan']>['snapshot'];
  readonly write: (path: string, content?: string | Buffer) => string;
}

function newProject(folder = ''): Project {
  count += 1;
  const root = join(base, `project-${String(count)}`, folder);
  mkdirSync(root, { recursive: true });
  const scanner = new TreeScanner({ objects });
  const request = { h16: H16, root, maxFileBytes: 0, touched: [], skip: [], mayReuse: true };
  return {
    root,
    scanner,
    scan: (change) => scanner.scan({ ...request, isAlive: () => true, ...change }).snapshot,
    write: (path, content = path) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
}

function git(folder: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'pipe' });
}

function captured(root: string): readonly string[] {
  return Array.from(entriesOf(objects, root), ({ path }) => path);
}

function holes(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readMeta(objects, root).holes.map(({ path, reason }) => [path, reason]));
}

function contentAt(root: string, path: string): Buffer {
  const state = stateAt(objects, root, path);
  if (state.kind !== 'file' && state.kind !== 'link') throw new Error(`${path} is ${state.kind}`);
  return Buffer.from(objects.read(state.oid)?.bytes ?? []);
}

describe('TreeScanner', () => {
  it('keeps every byte, whatever attributes say', () => {
    const { root, scan, write } = newProject();
    git(root, 'init', '-q');
    write('.gitattributes', '* text=auto ident eol=lf working-tree-encoding=UTF-16\n*.bin filter=lfs\n');
    write('crlf.txt', 'a\r\nb\n$Id$\r\n');
    write('x.bin', Buffer.of(0, 255, 13, 10, 0));
    const { root: snapshot } = scan();
    expect(contentAt(snapshot, 'crlf.txt').toString()).toBe('a\r\nb\n$Id$\r\n');
    expect([...contentAt(snapshot, 'x.bin')]).toEqual([0, 255, 13, 10, 0]);
  });

  it('captures nested repositories, with commits and without, and submodules like any other files', () => {
    const { root, scan, write } = newProject();
    const inner = newProject();
    inner.write('of-module');
    for (const folder of [inner.root, root]) git(folder, 'init', '-q');
    git(inner.root, 'add', '-A');
    git(inner.root, 'commit', '-qm', 'x');
    write('with/file');
    write('without/file');
    for (const name of ['with', 'without']) git(join(root, name), 'init', '-q');
    git(join(root, 'with'), 'add', '-A');
    git(join(root, 'with'), 'commit', '-qm', 'x');
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'module');
    write('odd/.hg/store');
    write('odd/.jj/x');
    write('odd/.svn');
    const { root: snapshot, holes: left } = scan();
    expect(captured(snapshot)).toEqual([
      '.gitmodules',
      'module',
      'module/of-module',
      'odd',
      'with',
      'with/file',
      'without',
      'without/file',
    ]);
    expect(left).toBe(0);
  });

  it('keeps permission bits, links and empty folders', () => {
    const { root, scan, write } = newProject();
    for (const mode of [0o600, 0o644, 0o4755, 0o777]) chmodSync(write(`f${mode.toString(8)}`, 'x'), mode);
    mkdirSync(join(root, 'empty/inner'), { recursive: true });
    chmodSync(join(root, 'empty'), 0o1777);
    const outside = newProject();
    outside.write('secret');
    symlinkSync(outside.root, join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
    const { root: snapshot, files } = scan();
    const states = new Map(Array.from(entriesOf(objects, snapshot), ({ path, state }) => [path, state]));
    expect([...states.keys()]).toEqual([
      'dangling',
      'empty',
      'empty/inner',
      'f4755',
      'f600',
      'f644',
      'f777',
      'link',
    ]);
    expect(states.get('f600')).toMatchObject({ kind: 'file', mode: 0o600, size: 1 });
    expect(states.get('f4755')).toMatchObject({ mode: 0o4755 });
    expect(states.get('f777')).toMatchObject({ mode: 0o777 });
    expect(states.get('empty')).toEqual({ kind: 'directory', mode: 0o1777 });
    expect(contentAt(snapshot, 'link').toString()).toBe(outside.root);
    expect(contentAt(snapshot, 'dangling').toString()).toBe('nowhere');
    expect(files).toBe(6);
  });

  it('sees a change of the mode alone', () => {
    const { scan, write } = newProject();
    const file = write('a');
    write('b');
    chmodSync(file, 0o644);
    const before = scan();
    chmodSync(file, 0o640);
    const after = scan();
    expect(diffSnapshots(objects, before.root, after.root)).toEqual([
      { path: 'a', before: stateAt(objects, before.root, 'a'), after: stateAt(objects, after.root, 'a') },
    ]);
    expect(stateAt(objects, after.root, 'a')).toMatchObject({ mode: 0o640 });
  });

  it('captures names of any bytes', () => {
    const { root, scan } = newProject();
    const names = [
      'new\nline',
      'quo"te',
      '-rf',
      ':(glob)*',
      'l'.repeat(255),
      'bytes\u{DCFF}\u{DC80}',
      'é',
      '\u{FFFD}',
      '__proto__',
    ];
    for (const name of names) writeFileSync(fileSystemPath(join(root, name)), name.length.toString());
    const before = scan();
    expect(captured(before.root)).toEqual([...names].sort());
    for (const name of names) expect(contentAt(before.root, name).toString()).toBe(String(name.length));
    expect(scan()).toBe(before);
    appendFileSync(fileSystemPath(join(root, 'bytes\u{DCFF}\u{DC80}')), '!');
    expect(contentAt(scan().root, 'bytes\u{DCFF}\u{DC80}').toString()).toBe('7!');
  });

  it('goes as deep as the system has paths for', () => {
    const { root, scan } = newProject();
    const depth = Math.floor((4090 - root.length) / 2);
    const steps = Array.from({ length: depth }, () => 'd');
    mkdirSync(join(root, ...steps), { recursive: true });
    const { root: snapshot } = scan();
    expect(captured(snapshot)).toHaveLength(depth);
    expect(stateAt(objects, snapshot, steps.join('/'))).toMatchObject({ kind: 'directory' });
    expect(scan().root).toBe(snapshot);
  });

  it('makes a hole of what lies deeper than that, and goes on', () => {
    const { root, scan, write } = newProject();
    write('aside');
    const name = 'n'.repeat(250);
    const chain = Array.from({ length: 10 }, () => name);
    mkdirSync(join(root, ...chain), { recursive: true });
    const other = newProject();
    mkdirSync(join(other.root, ...chain), { recursive: true });
    renameSync(join(other.root, name), join(root, ...chain, 'joined'));
    const { root: snapshot, holes: left } = scan();
    expect(left).toBe(1);
    expect(readMeta(objects, snapshot).holes).toEqual([
      { path: expect.stringMatching(/joined.*n$/), reason: 'unreadable' },
    ]);
    expect(contentAt(snapshot, 'aside').toString()).toBe('aside');
    expect(scan().root).toBe(snapshot);
    execFileSync('rm', ['-rf', root]);
  });

  it('makes holes of pipes and of what is too large', () => {
    const { root, scan, write } = newProject();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    write('fits', '12345');
    write('large', '123456');
    const { root: snapshot, holes: left } = scan({ maxFileBytes: 5 });
    expect(holes(snapshot)).toEqual({ large: 'too_large', pipe: 'special' });
    expect(left).toBe(2);
    expect(stateAt(objects, snapshot, 'large')).toEqual({ kind: 'hole', reason: 'too_large' });
    expect(captured(scan({ maxFileBytes: 0 }).root)).toEqual(['fits', 'large']);
    expect(captured(scan({ maxFileBytes: 4 }).root)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('makes holes of what it may not read', () => {
    // Beside the folder of all tests, which nobody else may enter.
    const open = mkdtempSync(join(tmpdir(), '../../..', 'unreadable-'));
    const store = ObjectStore.create(join(open, 'store'));
    const scanner = new TreeScanner({ objects: store });
    const root = join(open, 'project');
    for (const path of ['closed/file', 'listed/file', 'open', 'secret']) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), path);
    }
    const all = { h16: H16, root, maxFileBytes: 0, touched: [], skip: [], isAlive: () => true };
    try {
      const before = scanner.scan({ ...all, mayReuse: true }).snapshot;
      expect(before).toMatchObject({ files: 4, holes: 0 });
      execFileSync('chmod', ['-R', 'a+rwX', open]);
      for (const [path, mode] of [
        ['secret', 0],
        ['closed', 0o700],
        ['listed', 0o744],
      ] as const)
        chmodSync(join(root, path), mode);
      process.seteuid?.(65_534);
      for (const mayReuse of [true, false]) {
        const after = scanner.scan({ ...all, mayReuse }).snapshot;
        expect(readMeta(store, after.root).holes).toEqual([
          { path: 'closed', reason: 'unreadable' },
          { path: 'listed/file', reason: 'unreadable' },
          { path: 'secret', reason: 'unreadable' },
        ]);
        const changes = diffSnapshots(store, before.root, after.root);
        expect(changes.map((change) => `${change.path} ${change.after.kind}`)).toEqual([
          'closed hole',
          'closed/file hole',
          'listed directory',
          'listed/file hole',
          'open file',
          'secret hole',
        ]);
      }
      process.seteuid?.(0);
      expect(scanner.scan({ ...all, mayReuse: true }).snapshot).toMatchObject({ files: 4, holes: 0 });
    } finally {
      process.seteuid?.(0);
      rmSync(open, { recursive: true });
    }
  });

  it('reads what has the same size and the same modification time', () => {
    const { scan, write } = newProject();
    const file = write('file', 'one');
    utimesSync(file, 1000, 1000);
    const before = scan();
    writeFileSync(file, 'two');
    utimesSync(file, 1000, 1000);
    expect(contentAt(scan().root, 'file').toString()).toBe('two');
    expect(scan().root).not.toBe(before.root);
  });

  it('reads files whose times are in the future, or go back', () => {
    const { scan, write } = newProject();
    const file = write('file', 'one');
    for (const [time, text] of [
      [4e9, 'two'],
      [4e9, 'six'],
      [10, 'ten'],
      [10, 'the'],
    ] as const) {
      writeFileSync(file, text);
      utimesSync(file, time, time);
      expect(contentAt(scan().root, 'file').toString()).toBe(text);
    }
  });

  it('leaves a replaced file no chance: it has another inode', () => {
    const { root, scan, write } = newProject();
    const [file, other] = [write('file', 'one'), write('other', 'two')];
    for (const path of [file, other]) utimesSync(path, 1000, 1000);
    scan();
    renameSync(other, file);
    const { root: snapshot } = scan();
    expect(captured(snapshot)).toEqual(['file']);
    expect(contentAt(snapshot, 'file').toString()).toBe('two');
    expect(existsSync(join(root, 'other'))).toBe(false);
  });

  it('leaves out silently what it is told to', () => {
    const { scan, write } = newProject();
    for (const path of ['a', 'home/x', 'deep/home/x']) write(path);
    const { root: snapshot } = scan({ skip: ['home', 'deep/home'] });
    expect(captured(snapshot)).toEqual(['a', 'deep']);
    expect(holes(snapshot)).toEqual({});
    expect(captured(scan({ skip: ['home'] }).root)).toEqual(['a', 'deep', 'deep/home', 'deep/home/x']);
    expect(captured(scan({ skip: ['deep'] }).root)).toEqual(['a', 'home', 'home/x']);
  });
});

describe('rules', () => {
  it('leave out what tools make and secrets, and nothing that may be somebody’s work', () => {
    const { scan, write } = newProject();
    const out = [
      'node_modules/x',
      'a/__pycache__/x',
      'x.pyc',
      '.venv/x',
      'venv/pyvenv.cfg',
      '.env',
      'a/.env.local',
      '.DS_Store',
    ];
    const kept = [
      'dist/x',
      'build/x',
      'target/x',
      'env/x',
      'a.log',
      '.env.example',
      '.env.local.sample',
      'a/venv/x',
      'my.env',
    ];
    for (const path of [...out, ...kept]) write(path);
    const { root: snapshot } = scan();
    expect(holes(snapshot)).toEqual({
      '.DS_Store': 'ignored',
      '.env': 'ignored',
      '.venv': 'ignored',
      'a/.env.local': 'ignored',
      'a/__pycache__': 'ignored',
      node_modules: 'ignored',
      venv: 'ignored',
      'x.pyc': 'ignored',
    });
    for (const path of kept) expect(contentAt(snapshot, path).toString()).toBe(path);
    write('a/venv/pyvenv.cfg');
    expect(holes(scan().root)).toMatchObject({ 'a/venv': 'ignored' });
    rmSync(join(write('venv/y'), '../pyvenv.cfg'));
    expect(contentAt(scan().root, 'venv/y').toString()).toBe('venv/y');
  });

  it('of a .gitignore file that comes or goes do not look like files that come or go', () => {
    const { root, scan, write } = newProject();
    for (const path of ['build/a', 'build/b', 'src/a', 'x.log']) write(path);
    const before = scan();
    write('.gitignore', 'build/\n*.log\n');
    const after = scan();
    expect(after.holes).toBe(2);
    const kinds = (from: string, to: string): readonly string[] =>
      diffSnapshots(objects, from, to).map(
        (change) => `${change.path} ${change.before.kind} ${change.after.kind}`,
      );
    expect(kinds(before.root, after.root)).toEqual([
      '.gitignore absent file',
      'build directory hole',
      'build/a file hole',
      'build/b file hole',
      'x.log file hole',
    ]);
    rmSync(join(root, '.gitignore'));
    const last = scan();
    expect(kinds(after.root, last.root)).toEqual([
      '.gitignore file absent',
      'build hole directory',
      'build/a hole file',
      'build/b hole file',
      'x.log hole file',
    ]);
    expect(last.root).toBe(before.root);
  });

  it('come from folders above, up to the top of the repository, and from its exclude file, not from the person', () => {
    const { root, scan, write } = newProject('packages/app');
    const top = join(root, '../..');
    git(top, 'init', '-q');
    for (const path of ['a.log', 'b.tmp', 'c.bak', 'd.own', 'e.env']) write(path);
    writeFileSync(join(top, '..', '.gitignore'), '*.own\n');
    writeFileSync(join(top, '.gitignore'), '*.log\n');
    writeFileSync(join(top, 'packages/.gitignore'), '/app/*.tmp\n');
    writeFileSync(join(top, '.git/info/exclude'), '*.bak\n');
    const home = join(base, `home-${String(count)}`);
    mkdirSync(join(home, '.config/git'), { recursive: true });
    writeFileSync(join(home, '.config/git/ignore'), '*.env\n');
    expect(holes(scan().root)).toEqual({ 'a.log': 'ignored', 'b.tmp': 'ignored', 'c.bak': 'ignored' });
    writeFileSync(join(top, '.git/info/exclude'), '*.own\n');
    writeFileSync(join(top, 'packages/.gitignore'), '!a.log\n');
    expect(holes(scan().root)).toEqual({ 'd.own': 'ignored' });
    rmSync(join(top, '..', '.gitignore'));
  });

  it('do not count for what git tracks, also in an ignored folder, as soon as git does', () => {
    const { root, scan, write } = newProject();
    git(root, 'init', '-q');
    for (const path of ['build/kept', 'build/in/kept', 'build/other', 'x.log', 'y.log', '.env']) write(path);
    write('.gitignore', 'build/\n*.log\n');
    expect(holes(scan().root)).toEqual({
      '.env': 'ignored',
      build: 'ignored',
      'x.log': 'ignored',
      'y.log': 'ignored',
    });
    git(root, 'add', '-f', 'build/kept', 'build/in/kept', 'x.log', '.env');
    const { root: tracked } = scan();
    expect(holes(tracked)).toEqual({ 'build/other': 'ignored', 'y.log': 'ignored' });
    expect(captured(tracked)).toContain('build/in/kept');
    git(root, 'rm', '-q', '--cached', 'build/in/kept', '.env');
    expect(holes(scan().root)).toEqual({
      '.env': 'ignored',
      'build/in': 'ignored',
      'build/other': 'ignored',
      'y.log': 'ignored',
    });
  });

  it('are those of a linked worktree, which has an index of its own', () => {
    const { root, scan, write } = newProject('tree');
    const main = newProject();
    git(main.root, 'init', '-q');
    writeFileSync(join(main.root, 'a'), '');
    git(main.root, 'add', '-A');
    git(main.root, 'commit', '-qm', 'x');
    rmSync(root, { recursive: true });
    git(main.root, 'worktree', 'add', '-q', root);
    writeFileSync(join(main.root, '.git/info/exclude'), '*.log\n');
    write('x.log');
    write('y.log');
    git(root, 'add', '-f', 'x.log');
    expect(captured(scan().root)).toEqual(['a', 'x.log']);
    expect(holes(scan().root)).toEqual({ 'y.log': 'ignored' });
  });

  it('that leave out their own file count all the same', () => {
    const { scan, write } = newProject();
    write('.gitignore', '.gitignore\n*.log\n');
    write('a.log');
    write('b.tmp');
    expect(holes(scan().root)).toEqual({ '.gitignore': 'ignored', 'a.log': 'ignored' });
    write('.gitignore', '.gitignore\n*.tmp\n');
    expect(holes(scan().root)).toEqual({ '.gitignore': 'ignored', 'b.tmp': 'ignored' });
  });

  it('are not read through a link', () => {
    const { root, scan, write } = newProject();
    write('rules', '*.log\n');
    write('a.log');
    symlinkSync('rules', join(root, '.gitignore'));
    expect(holes(scan().root)).toEqual({});
  });
});

describe('too many files', () => {
  function largeProject(): Project {
    const project = newProject();
    git(project.root, 'init', '-q');
    for (const path of ['src/a', 'src/b', 'gone', 'top']) project.write(path);
    git(project.root, 'add', '-A');
    for (const path of ['data/1', 'data/2', 'data/in/3', 'src/new', 'data/x.log']) project.write(path);
    project.write('.gitignore', '*.log\n');
    rmSync(join(project.root, 'gone'));
    return project;
  }

  it('leave what git tracks, and say so', () => {
    const { root, scan } = largeProject();
    const before = scan({ maxFiles: 3 });
    expect(before).toMatchObject({ coverage: 'tracked', files: 3 });
    expect(captured(before.root)).toEqual(['src', 'src/a', 'src/b', 'top']);
    const state = (path: string): string => stateAt(objects, before.root, path).kind;
    expect(['gone', 'data', 'data/1', 'src/new', 'src/a/x'].map(state)).toEqual([
      'absent',
      'hole',
      'hole',
      'hole',
      'absent',
    ]);
    rmSync(join(root, 'src/a'));
    const after = scan({ maxFiles: 3 });
    expect(diffSnapshots(objects, before.root, after.root)).toMatchObject([
      { path: 'src/a', before: { kind: 'file' }, after: { kind: 'absent' } },
    ]);
    expect(holes(after.root)).toEqual({ '': 'budget' });
  });

  it('leave what lies directly in folders that calls have touched', () => {
    const { root, scan } = largeProject();
    const { root: snapshot } = scan({ maxFiles: 3, touched: ['data'] });
    expect(captured(snapshot)).toEqual(['data', 'data/1', 'data/2', 'src', 'src/a', 'src/b', 'top']);
    expect(holes(snapshot)).toEqual({ '': 'budget', 'data/in': 'budget', 'data/x.log': 'ignored' });
    rmSync(join(root, 'data/1'));
    expect(diffSnapshots(objects, snapshot, scan({ maxFiles: 3, touched: ['data'] }).root)).toMatchObject([
      { path: 'data/1', after: { kind: 'absent' } },
    ]);
  });

  it('leave nothing but these where there is no git', () => {
    const { scan, write } = newProject();
    for (const path of ['a', 'b', 'in/c']) write(path);
    expect(captured(scan({ maxFiles: 2 }).root)).toEqual([]);
    expect(captured(scan({ maxFiles: 2, touched: [''] }).root)).toEqual(['a', 'b']);
    expect(scan({ maxFiles: 3 })).toMatchObject({ coverage: 'whole', files: 3, holes: 0 });
  });

  it('give the same snapshot with a manifest and without', () => {
    const { root, scan, scanner } = largeProject();
    const request = { maxFiles: 3, touched: ['data', 'src'] };
    scan();
    const first = scan(request);
    expect(scan(request)).toEqual(first);
    scanner.persist(H16);
    const all = { h16: H16, root, maxFileBytes: 0, skip: [], mayReuse: true, ...request };
    expect(new TreeScanner({ objects }).scan({ ...all, isAlive: () => true })).toEqual({
      snapshot: first,
      bytes: 0,
    });
    expect(new TreeScanner({ objects }).scan({ ...all, isAlive: () => false }).snapshot).toEqual(first);
    const changes = diffSnapshots(objects, first.root, scan().root);
    expect(changes.map(({ path, before, after }) => `${path} ${before.kind} ${after.kind}`)).toEqual([
      '.gitignore hole file',
      'data/in hole directory',
      'data/in/3 hole file',
    ]);
  });
});

describe('as many files as are allowed', () => {
  it('are a whole tree, however many more are too large to be captured', () => {
    const { scan, write } = newProject();
    for (const name of ['a', 'b', 'c']) write(name);
    for (const name of ['d', 'e', 'f']) write(name, 'x'.repeat(20));
    const request = { maxFiles: 3, maxFileBytes: 10 };
    for (const _ of ['first', 'later'])
      expect(scan(request)).toMatchObject({ coverage: 'whole', files: 3, holes: 3 });
    expect(scan({ ...request, maxFiles: 2 }).coverage).toBe('tracked');
  });
});

describe('the manifest', () => {
  it('is not believed when the objects it names may be gone', () => {
    const { scan, scanner, write } = newProject();
    write('a', 'only here, and nowhere else');
    const before = scan();
    scanner.persist(H16);
    const oid = before.root;
    const state = stateAt(objects, oid, 'a');
    if (state.kind !== 'file') throw new Error('it was captured');
    rmSync(join(storeFolder, 'objects', state.oid.slice(0, 2), state.oid.slice(2)));
    expect(scan()).toBe(before);
    const after = scan({ isAlive: () => false });
    expect(after).toEqual(before);
    expect(contentAt(after.root, 'a').toString()).toBe('only here, and nowhere else');
  });

  it('is not believed while objects may not be reused', () => {
    const { scan, write } = newProject();
    write('a', 'written twice');
    const before = scan();
    const state = stateAt(objects, before.root, 'a');
    if (state.kind !== 'file') throw new Error('it was captured');
    rmSync(join(storeFolder, 'objects', state.oid.slice(0, 2), state.oid.slice(2)));
    expect(scan({ mayReuse: false })).toEqual(before);
    expect(contentAt(before.root, 'a').toString()).toBe('written twice');
  });

  it('is not believed when it is damaged, cut, of another version or of another project', () => {
    const { root, scan, scanner, write } = newProject();
    for (const path of ['a', 'in/b', 'in/.gitignore']) write(path);
    const before = scan();
    scanner.persist(H16);
    const file = join(storeFolder, 'manifests', `${H16}.bin`);
    const bytes = readFileSync(file);
    const request = {
      h16: H16,
      root,
      maxFileBytes: 0,
      touched: [],
      skip: [],
      isAlive: () => true,
      mayReuse: true,
    };
    for (let at = 0; at < bytes.length; at += 5) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      writeFileSync(file, at % 2 === 0 ? damaged : bytes.subarray(0, at));
      expect(new TreeScanner({ objects }).scan(request).snapshot).toEqual(before);
    }
    writeFileSync(file, bytes);
    const other = newProject();
    other.write('c');
    expect(
      captured(new TreeScanner({ objects }).scan({ ...request, root: other.root }).snapshot.root),
    ).toEqual(['c']);
  });

  it('serves another process, also for what changed since', () => {
    const { root, scan, scanner, write } = newProject();
    for (const path of ['a', 'in/b', 'in/deep/c', 'bytes\u{E9}']) write(path);
    const before = scan();
    scanner.persist(H16);
    write('in/b', 'other');
    const next = new TreeScanner({ objects }).scan({
      h16: H16,
      root,
      maxFileBytes: 0,
      touched: [],
      skip: [],
      isAlive: (oid) => oid === before.root,
      mayReuse: true,
    });
    expect(diffSnapshots(objects, before.root, next.snapshot.root).map(({ path }) => path)).toEqual(['in/b']);
    expect(contentAt(next.snapshot.root, 'in/b').toString()).toBe('other');
  });

  it('is written only when there is news', () => {
    const { scan, scanner, write } = newProject();
    utimesSync(write('a'), 1000, 1000);
    scan();
    scanner.persist(H16);
    const file = join(storeFolder, 'manifests', `${H16}.bin`);
    rmSync(file);
    scanner.persist(H16);
    expect(existsSync(file)).toBe(false);
    expect(statSync(join(storeFolder, 'manifests')).mode & 0o777).toBe(0o700);
  });
});

describe('a scan that fails', () => {
  it('leaves the scanner as it was', () => {
    const { scan, write } = newProject();
    write('a', 'one of a failing scan');
    const before = scan();
    write('a', 'two of a failing scan');
    const [folder, aside] = [join(storeFolder, 'objects'), join(storeFolder, 'objects-aside')];
    renameSync(folder, aside);
    writeFileSync(folder, '');
    expect(() => scan()).toThrow(/ENOTDIR|EEXIST/);
    rmSync(folder);
    renameSync(aside, folder);
    const after = scan();
    expect(contentAt(after.root, 'a').toString()).toBe('two of a failing scan');
    expect(diffSnapshots(objects, before.root, after.root).map(({ path }) => path)).toEqual(['a']);
  });

  it('says that the root is not there', () => {
    const { root, scan } = newProject();
    rmSync(root, { recursive: true });
    expect(() => scan()).toThrow(`${root} is not there`);
  });
});
