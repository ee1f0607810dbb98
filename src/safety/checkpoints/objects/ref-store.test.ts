import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ObjectStore } from './object-store.ts';
import { RefStore } from './ref-store.ts';

let folder: string;
let refs: RefStore;
let one: string;
let other: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'refs-')), 'store');
  const writer = ObjectStore.create(folder).writer({ mayReuse: false });
  const tree = writer.tree([]);
  one = writer.commit({ tree, message: 'one', at: 0 });
  other = writer.commit({ tree, message: 'other', at: 0 });
  writer.finish();
  refs = new RefStore(folder);
});

function git(...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

function temporaryFiles(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('tmp_') || name.endsWith('.lock'));
}

describe.each([
  ['in files', () => undefined],
  ['packed by git', () => void git('pack-refs', '--all')],
])('refs that are %s', (_, pack) => {
  it('are found by name and by prefix, as git finds them', () => {
    refs.create('a/0000000002', one);
    refs.create('a/0000000001', other);
    refs.create('a/close/0000000003', one);
    refs.set('a/tree', one);
    refs.create('ab/0000000001', one);
    pack();
    expect(refs.get('a/0000000001')).toBe(other);
    expect(refs.get('a/0000000009')).toBeUndefined();
    expect(refs.list('a')).toEqual([
      { name: 'a/0000000001', oid: other },
      { name: 'a/0000000002', oid: one },
      { name: 'a/close/0000000003', oid: one },
      { name: 'a/tree', oid: one },
    ]);
    expect(refs.list('a/close')).toEqual([{ name: 'a/close/0000000003', oid: one }]);
    expect(refs.list('')).toHaveLength(5);
    expect(refs.list('b')).toEqual([]);
    expect(git('for-each-ref', '--format=%(refname)').split('\n')).toEqual(
      refs.list('').map(({ name }) => `refs/herma/${name}`),
    );
    expect(temporaryFiles()).toEqual([]);
  });

  it('are not created twice, but set', () => {
    refs.create('a/1', one);
    pack();
    expect(() => refs.create('a/1', other)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(refs.get('a/1')).toBe(one);
    refs.set('a/1', other);
    expect(refs.get('a/1')).toBe(other);
    expect(refs.list('a')).toEqual([{ name: 'a/1', oid: other }]);
    expect(temporaryFiles()).toEqual([]);
  });

  it('are deleted once, and can be created again', () => {
    refs.create('a/1', one);
    refs.create('a/2', one);
    pack();
    refs.set('a/1', other);
    expect(refs.delete('a/1')).toBe(true);
    expect(refs.delete('a/1')).toBe(false);
    expect(refs.get('a/1')).toBeUndefined();
    expect(refs.list('')).toEqual([{ name: 'a/2', oid: one }]);
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/herma/a/2');
    expect(refs.delete('a/2')).toBe(true);
    refs.create('a/2', other);
    expect(refs.get('a/2')).toBe(other);
    expect(git('fsck', '--full', '--no-dangling')).toBe('');
    expect(temporaryFiles()).toEqual([]);
  });
});

describe('RefStore', () => {
  it.each(['', '/', 'a/', '/a', '..', 'a/../b', 'a//b', 'A', 'a.lock', 'a b', '-a', 'a\n'])(
    'refuses the name %j',
    (name) => {
      expect(() => refs.create(name, one)).toThrow(TypeError);
      expect(() => refs.set(name, one)).toThrow(TypeError);
      expect(() => refs.get(name)).toThrow(TypeError);
      expect(() => refs.delete(name)).toThrow(TypeError);
    },
  );

  it.each(['', 'x', 'AB'.repeat(20), 'ab'.repeat(19)])('refuses to name %j', (oid) => {
    expect(() => refs.create('a', oid)).toThrow(TypeError);
    expect(() => refs.set('a', oid)).toThrow(TypeError);
  });

  it.each(['', 'x', 'ab'.repeat(19), `${'ab'.repeat(20)}\nmore`, `ref: refs/heads/main\n`])(
    'takes a ref that holds %j for a damaged one, which can be set and deleted',
    (text) => {
      refs.create('a/1', one);
      const path = join(folder, 'refs', 'herma', 'a', '2');
      writeFileSync(path, text);
      expect(refs.get('a/2')).toBeUndefined();
      expect(refs.list('')).toEqual([{ name: 'a/1', oid: one }]);
      expect(refs.damaged('')).toEqual(['a/2']);
      expect(() => refs.create('a/2', one)).toThrow(/EEXIST/);
      refs.set('a/2', one);
      expect(refs.damaged('')).toEqual([]);
      writeFileSync(path, text);
      expect(refs.delete('a/2')).toBe(true);
      expect(existsSync(path)).toBe(false);
    },
  );

  it('does not take locks of git for refs', () => {
    refs.create('a/1', one);
    writeFileSync(join(folder, 'refs', 'herma', 'a', '1.lock'), '');
    expect(refs.list('')).toEqual([{ name: 'a/1', oid: one }]);
    expect(refs.damaged('')).toEqual([]);
  });

  it('keeps what else git has packed', () => {
    git('update-ref', 'refs/heads/mine', one);
    git('-c', 'user.name=n', '-c', 'user.email=e', 'tag', '-a', '-m', 'm', 'mark', one);
    refs.create('a/1', one);
    git('pack-refs', '--all');
    expect(refs.delete('a/1')).toBe(true);
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/mine\nrefs/tags/mark');
    expect(readFileSync(join(folder, 'packed-refs'), 'utf8')).toMatch(/^\^/m);
    expect(statSync(join(folder, 'packed-refs')).mode & 0o777).toBe(0o600);
  });

  it('waits for git and then says who is in the way; a lock that was left behind is not', () => {
    refs.create('a/1', one);
    git('pack-refs', '--all');
    const lock = join(folder, 'packed-refs.lock');
    writeFileSync(lock, '');
    expect(() => refs.delete('a/1')).toThrow(lock);
    expect(refs.get('a/1')).toBe(one);
    utimesSync(lock, 0, 0);
    expect(refs.delete('a/1')).toBe(true);
    expect(existsSync(lock)).toBe(false);
  });

  it('removes folders that have become empty', () => {
    refs.create('a/close/1', one);
    refs.delete('a/close/1');
    expect(existsSync(join(folder, 'refs', 'herma', 'a', 'close'))).toBe(false);
  });

  it('reads and lists nothing from a folder that is not there, and makes it to create', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const empty = new RefStore(elsewhere);
    expect(empty.list('')).toEqual([]);
    expect(empty.get('a')).toBeUndefined();
    expect(empty.delete('a')).toBe(false);
    empty.create('a/b/c', one);
    expect(empty.get('a/b/c')).toBe(one);
  });

  it('gives a name to one of many processes that want it, while folders come and go', async () => {
    const source = `
      import { RefStore } from ${JSON.stringify(new URL('ref-store.ts', import.meta.url).href)};
      const refs = new RefStore(process.argv[1]);
      let won = 0;
      for (let round = 0; round < 200; round += 1) {
        try { refs.create('race/' + round, process.argv[2]); won += 1; } catch (error) { if (error.code !== 'EEXIST') throw error; }
        refs.create('busy' + (round % 3) + '/x' + process.pid, process.argv[2]);
        refs.delete('busy' + (round % 3) + '/x' + process.pid);
      }
      process.stdout.write(String(won));
    `;
    const wins = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', source, folder, one], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const chunks: Buffer[] = [];
        child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
        const [code] = (await once(child, 'close')) as unknown[];
        expect(code).toBe(0);
        return Number(Buffer.concat(chunks).toString());
      }),
    );
    expect(wins.reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(refs.list('')).toHaveLength(200);
    expect(temporaryFiles()).toEqual([]);
  });
});
