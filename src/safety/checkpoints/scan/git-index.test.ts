import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GitIndex } from './git-index.ts';
import { readIndex } from './git-repository.ts';

const created: string[] = [];

afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true });
});

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

const NAMES = [
  'a',
  'a.b',
  'a-dir/x',
  'dir/in/y',
  'dir/in/z',
  'dir.x',
  `${'l'.repeat(200)}/${'m'.repeat(250)}`,
  'é\n"',
];

function newRepository(...options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'index-'));
  created.push(folder);
  git(folder, 'init', '-q', ...options);
  for (const name of NAMES) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  git(folder, 'add', '-A');
  return folder;
}

function listed(folder: string): readonly string[] {
  return git(folder, 'ls-files', '-z').split('\0').slice(0, -1);
}

describe('GitIndex', () => {
  it.each([
    ['2', []],
    ['4', []],
    ['2', ['--object-format=sha256']],
    ['4', ['--object-format=sha256']],
  ] as const)('reads version %s of a repository with the options %j', (version, options) => {
    const folder = newRepository(...options);
    git(folder, 'update-index', '--index-version', version);
    expect(readIndex(join(folder, '.git', 'index'))?.paths()).toEqual(listed(folder));
  });

  it('reads version 3, whose entries can be longer', () => {
    const folder = newRepository();
    writeFileSync(join(folder, 'later'), '');
    git(folder, 'add', '-N', 'later');
    expect(readFileSync(join(folder, '.git', 'index'))[7]).toBe(3);
    expect(readIndex(join(folder, '.git', 'index'))?.paths()).toEqual(listed(folder));
  });

  it('reads the index that a split index refers to', () => {
    const folder = newRepository();
    git(folder, 'update-index', '--split-index');
    writeFileSync(join(folder, 'later'), '');
    git(folder, 'add', 'later');
    const paths = readIndex(join(folder, '.git', 'index'))?.paths() ?? [];
    expect(listed(folder).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('tells files from folders', () => {
    const index = readIndex(join(newRepository(), '.git', 'index'));
    expect(NAMES.filter((name) => index?.has(name) !== true)).toEqual([]);
    for (const name of ['dir', 'dir/in', 'b', 'dir/in/yy', 'z']) expect(index?.has(name)).toBe(false);
    expect(['dir', 'dir/in', 'a-dir'].map((name) => index?.hasBelow(name))).toEqual([true, true, true]);
    for (const name of ['a', 'a.b', 'di', 'dir/in/y', 'zz']) expect(index?.hasBelow(name)).toBe(false);
  });

  it('leaves out submodules, which are no files', () => {
    const [folder, inner] = [newRepository(), newRepository()];
    git(inner, 'commit', '-qm', 'x');
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'module');
    const paths = readIndex(join(folder, '.git', 'index'))?.paths() ?? [];
    expect(listed(folder)).toContain('module');
    expect(paths).toEqual(listed(folder).filter((path) => path !== 'module'));
  });

  it('takes nothing else for an index', () => {
    const bytes = readFileSync(join(newRepository(), '.git', 'index'));
    expect(GitIndex.parse(Buffer.alloc(0))).toBeUndefined();
    expect(GitIndex.parse(Buffer.from('DIRC'))).toBeUndefined();
    for (let length = 1; length < bytes.length; length += 7)
      expect(GitIndex.parse(bytes.subarray(0, length))).toBeUndefined();
    const ofLater = Buffer.from(bytes);
    ofLater.writeUInt32BE(5, 4);
    expect(GitIndex.parse(ofLater)).toBeUndefined();
  });
});
