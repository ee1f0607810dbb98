import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../../platform/locks/index.ts';
import { fileSystemPath } from '../../../platform/paths/index.ts';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { CaptureReport } from '../api.ts';
import type { PathState } from '../model/path-state.ts';
import type { CloseRecord, OpenRecord } from '../model/record.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { projectHash } from '../projects/project-hash.ts';
import { privateRef } from '../projects/ref-names.ts';
import { captureAfter } from './capture-after.ts';
import { captureBefore } from './capture-before.ts';
import type { CaptureParts } from './capture-parts.ts';
import { openCaptureParts } from './open-capture-parts.ts';

const owner = { sessionId: 's', rootSessionId: 's', turnId: 't', callId: 'c' };
const settings = {
  maxSnapshots: 20,
  maxTotalBytes: 0,
  maxFileBytes: 0,
  autoPrune: true,
  retentionMs: 1,
  privateRetentionMs: 1,
  minIntervalMs: 1,
  onFailure: 'warn',
} as const;
const isRoot = process.getuid?.() === 0;

let base: string;
let home: string;
let root: string;
let folder: string;
let parts: CaptureParts;

const self = currentProcessIdentity();
const partsOf = (step?: (name: string) => void): CaptureParts =>
  openCaptureParts({
    folder,
    home,
    temporary: join(base, 'tmp'),
    settings,
    now: () => 1_700_000_000_000,
    isAlive,
    self,
    skip: [],
    ...(step === undefined ? {} : { step }),
  });

function write(path: string, text: string | Buffer, mode = 0o644): void {
  const place = path.startsWith('/') ? path : join(root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, mode);
}

function before(...paths: readonly string[]): CaptureReport {
  return captureBefore(parts, {
    reason: 'before write_file',
    owner,
    paths: paths.map((path) => (path.startsWith('/') ? path : join(root, path))),
  });
}

function opens(of = root): readonly OpenRecord[] {
  return parts.journals
    .of(projectHash(of))
    .records()
    .filter((record) => record.type === 'open');
}

function closes(of = root): readonly CloseRecord[] {
  return parts.journals
    .of(projectHash(of))
    .records()
    .filter((record) => record.type === 'close');
}

function states(record: OpenRecord | CloseRecord | undefined): Record<string, PathState> {
  return Object.fromEntries((record?.named ?? []).map(({ path, state }) => [path, state]));
}

function contentOf(state: PathState | undefined): string | undefined {
  if (state?.kind !== 'file' && state?.kind !== 'link') return undefined;
  return parts.objects.read(state.oid)?.bytes.toString();
}

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'capture-')));
  home = join(base, 'home');
  root = join(home, 'app');
  folder = join(home, '.herma/checkpoints/store');
  mkdirSync(join(base, 'tmp'));
  mkdirSync(root, { recursive: true });
  parts = partsOf();
});

afterEach(() => {
  if (!existsSync(join(folder, 'HEAD'))) return;
  expect(
    execFileSync('git', ['-C', folder, 'fsck', '--strict', '--full', '--no-dangling'], {
      stdio: 'pipe',
    }).toString(),
  ).toBe('');
  expect(readdirSync(join(folder, 'leases'))).toEqual([]);
});

describe('captureBefore with named files', () => {
  it('keeps what each path was, byte by byte, with its mode', () => {
    write('package.json', '{}');
    const bytes = Buffer.from([0, 255, 13, 10, 13, 0x80]);
    write('src/deep/a.bin', bytes, 0o600);
    write('run.sh', '#!/bin/sh\n', 0o4755);
    mkdirSync(join(root, 'empty'), { mode: 0o711 });
    const report = before('src/deep/a.bin', 'run.sh', 'empty', 'new.txt');
    expect(report).toMatchObject({ failures: [], notices: [] });
    expect(report.ids).toHaveLength(1);
    const [record] = opens();
    expect(record).toMatchObject({
      kind: 'call',
      reason: 'before write_file',
      owner,
      process: self,
      id: report.ids[0],
    });
    const found = states(record);
    expect(found).toMatchObject({
      'src/deep/a.bin': { kind: 'file', mode: 0o600, size: 6 },
      'run.sh': { kind: 'file', mode: 0o4755 },
      empty: { kind: 'directory', mode: 0o711 },
      'new.txt': { kind: 'absent' },
    });
    const state = found['src/deep/a.bin'];
    expect(state?.kind === 'file' && parts.objects.read(state.oid)?.bytes.equals(bytes)).toBe(true);
  });

  it('is something git can show', () => {
    write('package.json', '{}');
    write('src/a%.txt', 'hello');
    const [id] = before('src/a%.txt').ids;
    expect(git('show', `${String(id)}:named/src%2Fa%25.txt`)).toBe('hello');
    expect(git('log', '-1', '--format=%an <%ae>%n%B', `refs/herma/${projectHash(root)}/0000000001`)).toBe(
      `Herma <herma@localhost>\nbefore write_file\n\nHerma-Record: ${projectHash(root)}/0000000001\n\n`,
    );
  });

  it('names the folders that are missing on the way', () => {
    write('.git/HEAD', '');
    before('new/deep/a.txt');
    expect(states(opens()[0])).toEqual({
      new: { kind: 'absent' },
      'new/deep': { kind: 'absent' },
      'new/deep/a.txt': { kind: 'absent' },
    });
  });

  it('keeps a link and what it leads to, each in its project', () => {
    write('package.json', '{}');
    const other = join(home, 'other');
    write(join(other, 'package.json'), '{}');
    write(join(other, 'lib/real.txt'), 'real');
    symlinkSync('../other/lib/hop', join(root, 'link'));
    symlinkSync('real.txt', join(other, 'lib/hop'));
    const report = before('link');
    expect(report.ids).toHaveLength(2);
    expect(contentOf(states(opens()[0])['link'])).toBe('../other/lib/hop');
    const there = states(opens(other)[0]);
    expect(contentOf(there['lib/hop'])).toBe('real.txt');
    expect(contentOf(there['lib/real.txt'])).toBe('real');
  });

  it('follows a link to nothing, and links in a circle, to their end', () => {
    write('package.json', '{}');
    symlinkSync('nowhere/x', join(root, 'dangling'));
    symlinkSync('circle', join(root, 'circle'));
    expect(before('dangling', 'circle').failures).toEqual([]);
    expect(states(opens()[0])).toMatchObject({
      dangling: { kind: 'link' },
      nowhere: { kind: 'absent' },
      'nowhere/x': { kind: 'absent' },
      circle: { kind: 'link' },
    });
  });

  it('is about the file itself, whatever folders of links lead to it', () => {
    write('package.json', '{}');
    write('real/a.txt', 'a');
    symlinkSync(join(root, 'real'), join(base, 'way'));
    before(join(base, 'way/../way/a.txt'));
    expect(Object.keys(states(opens()[0]))).toEqual(['real/a.txt']);
  });

  it.each([
    ' lead.txt',
    'trail ',
    'tab\there',
    'new\nline',
    '-dash',
    ':(top)c',
    '*star*',
    'back\\slash',
    'em😀ji',
    'cafe\u0301',
    'caf\udce9',
    'a"b',
    '%2F',
  ])('takes the name %j literally', (name) => {
    write('package.json', '{}');
    writeFileSync(fileSystemPath(join(root, name)), 'x');
    expect(before(name).failures).toEqual([]);
    expect(contentOf(states(opens()[0])[name])).toBe('x');
  });

  it('reports a path that no file can have, and captures the others', () => {
    write('package.json', '{}');
    write('a', 'a');
    const report = before('a\0b', 'a');
    expect(report.failures).toHaveLength(1);
    expect(report.ids).toHaveLength(1);
  });

  it('makes one record of a project, however many paths and whatever their order', () => {
    write('package.json', '{}');
    write('a', 'a');
    before('a', './a', 'b/../a');
    expect(opens()).toHaveLength(1);
    expect(Object.keys(states(opens()[0]))).toEqual(['a']);
  });

  it('does nothing for nothing', () => {
    expect(before()).toEqual({ token: '', ids: [], notices: [], failures: [] });
    expect(captureAfter(parts, '')).toEqual({ notices: [], failures: [] });
    expect(parts.journals.hashes()).toEqual([]);
  });

  it.each([
    ['a pipe', 'special'],
    ['a file of more than 64 MiB', 'too_large'],
  ])('has a hole for %s', (_, reason) => {
    write('package.json', '{}');
    if (reason === 'special') execFileSync('mkfifo', [join(root, 'x')]);
    else {
      write('x', '');
      truncateSync(join(root, 'x'), 64 * 1024 * 1024 + 1);
    }
    expect(before('x').failures).toEqual([]);
    expect(states(opens()[0])).toEqual({ x: { kind: 'hole', reason } });
  });

  it.skipIf(isRoot)('has a hole for a file that may not be read', () => {
    write('package.json', '{}');
    write('x', 'secret', 0o000);
    before('x');
    expect(states(opens()[0])).toEqual({ x: { kind: 'hole', reason: 'unreadable' } });
  });

  it('keeps the content of ignored files and secrets in a commit of their own', () => {
    write('.git/HEAD', '');
    write('.gitignore', '*.log\n');
    write('.env', 'TOKEN=1', 0o600);
    write('x.log', 'log');
    write('plain', 'plain');
    const [id] = before('.env', 'x.log', 'plain').ids;
    const [record] = opens();
    expect(record?.isPrivate).toEqual(['.env', 'x.log']);
    expect(contentOf(states(record)['.env'])).toBe('TOKEN=1');
    const secret = states(record)['.env'];
    expect(git('ls-tree', '-r', '--name-only', String(id))).toBe('named/plain\n');
    const hidden = parts.refs.get(privateRef(projectHash(root), 1));
    expect(git('ls-tree', '-r', '--name-only', String(hidden))).toBe('named/.env\nnamed/x.log\n');
    expect(secret?.kind === 'file' && git('rev-list', '--objects', String(id)).includes(secret.oid)).toBe(
      false,
    );
  });

  it('does not capture the store itself', () => {
    before(join(folder, 'HEAD'));
    expect(parts.journals.hashes()).toEqual([]);
  });

  it('captures named files of broad roots, which are projects of their own', () => {
    write(join(home, '.profile'), 'p');
    write(join(home, '.git/HEAD'), '');
    expect(before(join(home, '.profile'), join(home, 'new/x')).failures).toEqual([]);
    expect(states(opens(home)[0])).toMatchObject({ '.profile': { kind: 'file' }, new: { kind: 'absent' } });
  });

  it('does not rely on objects that are there while maintenance runs', async () => {
    write('package.json', '{}');
    write('a', 'same');
    before('a');
    const [record] = opens();
    const state = states(record)['a'];
    const oid = state?.kind === 'file' ? state.oid : '';
    const lock = await acquireLock(join(folder, 'gc.lock'));
    if (!lock.ok) throw new Error(lock.message);
    rmSync(join(folder, 'objects', oid.slice(0, 2), oid.slice(2)));
    before('a');
    expect(parts.objects.read(oid)?.bytes.toString()).toBe('same');
    await lock.value.release();
  });

  it('counts what it adds', () => {
    write('package.json', '{}');
    write('a', 'x'.repeat(5000));
    before('a');
    expect(opens()[0]?.bytes).toBeGreaterThan(5000);
    expect(parts.bytes.total()).toBe(opens()[0]?.bytes);
  });

  it('does not end up over a ref that outlived its journal', () => {
    write('package.json', '{}');
    write('a', 'a');
    const [id] = before('a').ids;
    rmSync(join(folder, 'journals'), { recursive: true });
    const report = before('a');
    expect(report.failures).toEqual([]);
    expect(opens()).toMatchObject([{ seq: 2 }]);
    expect(parts.refs.get(`${projectHash(root)}/0000000001`)).toBe(id);
  });
});

describe('captureAfter with named files', () => {
  it('keeps what the call has left', () => {
    write('package.json', '{}');
    write('a', 'one', 0o600);
    write('gone', 'x');
    const { token } = before('a', 'gone', 'new/b', 'turned');
    write('a', 'two', 0o644);
    rmSync(join(root, 'gone'));
    write('new/b', 'b');
    mkdirSync(join(root, 'turned'));
    expect(captureAfter(parts, token)).toEqual({ notices: [], failures: [] });
    const [close] = closes();
    expect(close).toMatchObject({ opens: 1, seq: 2, isLate: false, changes: [] });
    expect(states(close)).toMatchObject({
      a: { kind: 'file', mode: 0o644 },
      gone: { kind: 'absent' },
      new: { kind: 'directory' },
      'new/b': { kind: 'file' },
      turned: { kind: 'directory' },
    });
    expect(contentOf(states(close)['a'])).toBe('two');
    expect(git('show', `refs/herma/${projectHash(root)}/close/0000000002:named/a`)).toBe('two');
  });

  it('does not look behind a link that has come into the way', () => {
    write('package.json', '{}');
    write('dir/a', 'mine');
    const { token } = before('dir/a');
    rmSync(join(root, 'dir'), { recursive: true });
    write(join(base, 'elsewhere/a'), 'foreign');
    symlinkSync(join(base, 'elsewhere'), join(root, 'dir'));
    captureAfter(parts, token);
    expect(states(closes()[0])).toEqual({ 'dir/a': { kind: 'absent' } });
  });

  it('keeps private what was private, and what has become so', () => {
    write('.git/HEAD', '');
    write('.gitignore', '*.log\n');
    write('x.log', '1');
    write('later', '1');
    const { token } = before('x.log', 'later');
    write('.gitignore', 'later\n');
    captureAfter(parts, token);
    const hidden = parts.refs.get(privateRef(projectHash(root), 2));
    expect(git('ls-tree', '-r', '--name-only', String(hidden))).toBe('named/later\nnamed/x.log\n');
  });

  it('closes each record of the token, once', () => {
    write('package.json', '{}');
    write(join(home, 'other/package.json'), '{}');
    const { token } = before('a', join(home, 'other/b'));
    captureAfter(parts, token);
    captureAfter(parts, token);
    expect([closes(), closes(join(home, 'other'))].map((each) => each.length)).toEqual([1, 1]);
  });

  it('also closes in another process', () => {
    write('package.json', '{}');
    const { token } = before('a');
    parts = partsOf();
    expect(captureAfter(parts, token).failures).toEqual([]);
    expect(closes()).toHaveLength(1);
  });

  it('does not close what another process has closed', () => {
    write('package.json', '{}');
    const foreign = { ...self, startTime: '1' };
    const { token } = captureBefore(parts, {
      reason: 'r',
      owner,
      paths: [join(root, 'a')],
      process: foreign,
    });
    captureAfter(partsOf(), token);
    captureAfter(partsOf(), token);
    expect(closes()).toHaveLength(1);
  });

  it('does nothing for a record that was pruned, or whose number is of another one now', () => {
    write('package.json', '{}');
    write('a', '1');
    const { token } = before('a');
    const journal = parts.journals.of(projectHash(root));
    journal.remove([1]);
    parts.refs.delete(`${projectHash(root)}/0000000001`);
    expect(captureAfter(parts, token)).toEqual({ notices: [], failures: [] });
    journal.destroy();
    write('a', '2');
    before('a');
    expect(opens()).toMatchObject([{ seq: 1 }]);
    expect(captureAfter(parts, token)).toEqual({ notices: [], failures: [] });
    expect(closes()).toEqual([]);
  });

  it.each(['x', 'a:b:c', '0123456789abcdef:1:short', ' '])('takes %j for no token', (token) => {
    expect(captureAfter(parts, token)).toEqual({ notices: [], failures: [] });
  });

  it('reports a project file that was damaged meanwhile', () => {
    write('package.json', '{}');
    const { token } = before('a');
    const path = join(folder, `projects/${projectHash(root)}.json`);
    writeFileSync(path, '[]');
    expect(captureAfter(parts, token).failures).toEqual([{ path, message: 'it is not a JSON object' }]);
  });
});

describe('a store that cannot be written', () => {
  it.each([
    ['is a file', () => write(folder, '')],
    ['has a file where its base is to be', () => write(dirname(folder), '')],
  ])('is a failure, not an error, when it %s', (_, spoil) => {
    write('package.json', '{}');
    spoil();
    const report = before('a');
    expect(report).toMatchObject({ token: '', ids: [] });
    expect(report.failures).toHaveLength(1);
    rmSync(dirname(folder), { recursive: true });
    expect(before('a').failures).toEqual([]);
  });

  it.each(['project', 'reserve', 'objects', 'ref', 'private-ref', 'record'])(
    'leaves nothing of a record when the disk is full after %s',
    (name) => {
      write('package.json', '{}');
      write('.env', 'x');
      before('.env');
      const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
      parts = partsOf((step) => {
        if (step === name) throw full;
      });
      const report = before('.env');
      expect(report.ids).toEqual([]);
      expect(report.failures).toHaveLength(1);
      expect(report.failures[0]?.message).toContain('the disk is full');
      const h16 = projectHash(root);
      expect(parts.refs.list(h16).map((ref) => ref.name)).toEqual([
        `${h16}/0000000001`,
        `${h16}/private/0000000001`,
      ]);
      expect(opens()).toHaveLength(1);
      expect(parts.journals.of(h16).reservations()).toEqual([]);
      expect(readdirSync(join(folder, 'journals', h16)).filter((each) => each.startsWith('tmp-'))).toEqual(
        [],
      );
      expect(parts.registry.read(h16)).toMatchObject({ project: { notice: { code: 'take_failed' } } });
      parts = partsOf();
      expect(before('.env').failures).toEqual([]);
      expect(parts.registry.read(h16)).not.toHaveProperty('project.notice');
    },
  );

  it('throws what is a bug', () => {
    write('package.json', '{}');
    parts = partsOf(() => {
      throw new TypeError('a bug');
    });
    expect(() => before('a')).toThrow(TypeError);
    rmSync(join(folder, 'leases'), { recursive: true });
    mkdirSync(join(folder, 'leases'));
  });

  it('is made again when it vanishes', () => {
    write('package.json', '{}');
    const { token } = before('a');
    rmSync(dirname(folder), { recursive: true });
    expect(captureAfter(parts, token).failures).toEqual([]);
    expect(before('a').failures).toEqual([]);
    expect(opens()).toHaveLength(1);
    expect(ObjectStore.open(folder).read(opens()[0]?.id ?? '')?.kind).toBe('commit');
  });
});
