import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createStoreFolder } from './create-store-folder.ts';
import { ObjectStore } from './object-store.ts';
import { RefStore } from './ref-store.ts';
import type { TreeItem } from './tree-object.ts';

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'store-')), 'deep', 'store');
});

function git(...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

describe('createStoreFolder', () => {
  it('makes a bare repository that git takes for one and does not clean up by itself', () => {
    createStoreFolder(folder);
    expect(git('rev-parse', '--is-bare-repository')).toBe('true');
    expect(git('config', 'gc.auto')).toBe('0');
    expect(git('fsck', '--full')).toBe('');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, 'herma-version'), 'utf8')).toBe('1\n');
    expect(readdirSync(folder).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  });

  it('changes nothing that is in order', () => {
    createStoreFolder(folder);
    git('config', 'some.setting', 'kept');
    writeFileSync(join(folder, 'info', 'exclude'), '');
    createStoreFolder(folder);
    expect(git('config', 'some.setting')).toBe('kept');
    expect(readFileSync(join(folder, 'info', 'exclude'), 'utf8')).toBe('');
  });

  it.each([
    ['refs', (store: string) => rmSync(join(store, 'refs'), { recursive: true })],
    ['refs/heads', (store: string) => rmSync(join(store, 'refs', 'heads'), { recursive: true })],
    ['HEAD', (store: string) => rmSync(join(store, 'HEAD'))],
    ['objects', (store: string) => rmSync(join(store, 'objects'), { recursive: true })],
    ['the content of HEAD', (store: string) => writeFileSync(join(store, 'HEAD'), '')],
    ['a good HEAD', (store: string) => writeFileSync(join(store, 'HEAD'), '\0\0\0')],
    ['the content of config', (store: string) => writeFileSync(join(store, 'config'), '')],
    ['config', (store: string) => rmSync(join(store, 'config'))],
  ])('brings back %s when it has vanished', (_, damage) => {
    createStoreFolder(folder);
    damage(folder);
    createStoreFolder(folder);
    expect(git('rev-parse', '--is-bare-repository')).toBe('true');
    expect(git('fsck', '--full')).toBe('');
  });

  it('takes away what others may do with the folder', () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    createStoreFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('lets fsck accept trees with any .git, .gitmodules and .gitattributes, that git then repacks', () => {
    const store = ObjectStore.create(folder);
    const writer = store.writer({ mayReuse: false });
    const blob = (text: string): string => writer.blob(Buffer.from(text));
    const file = (name: string, oid: string, mode = 0o100644): TreeItem => ({ name, mode, oid });
    const hostile = [
      file('.git', blob('gitdir: ../elsewhere\n')),
      file('.gitmodules', blob('[submodule "../../x"]\n\tpath = -x\n\turl = -u./evil\n\tupdate = !rm -rf\n')),
      file('.gitattributes', blob(`${'x'.repeat(5000)} text\n\0\n`)),
      file('.gitignore', blob('target'), 0o120000),
      file('.mailmap', blob('target'), 0o120000),
    ];
    const inner = writer.tree([file('HEAD', blob('ref: refs/heads/main\n'))]);
    const links = writer.tree([
      file('.git', inner, 0o040000),
      file('.gitmodules', blob('../outside'), 0o120000),
      file('.gitattributes', blob('.git/config'), 0o120000),
    ]);
    const folders = writer.tree([
      file('.gitmodules', inner, 0o040000),
      file('.gitattributes', inner, 0o040000),
      file('.GIT', inner, 0o040000),
      file('git~1', inner, 0o040000),
    ]);
    const broken = writer.tree([
      file('.gitmodules', blob('[not closed')),
      file('.g\u200cit', inner, 0o040000),
    ]);
    const tree = writer.tree([
      file('a', writer.tree(hostile), 0o040000),
      file('b', links, 0o040000),
      file('c', folders, 0o040000),
      file('d', broken, 0o040000),
    ]);
    const commit = writer.commit({ tree, message: 'm', at: 0 });
    writer.finish();
    new RefStore(folder).create('a/1', commit);
    expect(git('fsck', '--full')).toBe('');
    git('repack', '-a', '-d', '-q');
    expect(git('fsck', '--full')).toBe('');
    const [pack] = store.packs();
    expect(statSync(pack?.path ?? '').mode & 0o077).toBe(0);
    store.close();
  });
});
