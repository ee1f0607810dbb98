import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemPath } from '../paths/index.ts';
import {
  listDirectory,
  makeDirectory,
  readLink,
  realPath,
  removeFile,
  removeTree,
  renamePath,
  setAside,
  setMode,
  statPath,
  temporaryDirectory,
} from './index.ts';

const oddNames = [
  ' lead',
  'trail ',
  'new\nline',
  '-dash',
  '*',
  ...(process.platform === 'linux' ? ['caf\udce9'] : []),
];

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'names-')));
}

describe('statPath', () => {
  it('knows kinds, sizes, modes and times', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '12345', { mode: 0o640 });
    symlinkSync('file', join(folder, 'link'));
    const { ino, mtimeMs, dev } = statSync(join(folder, 'file'));
    expect(await statPath(join(folder, 'file'))).toMatchObject({
      ok: true,
      value: { kind: 'file', size: 5, mode: 0o640, mtimeMs, inode: ino, device: dev, links: 1 },
    });
    expect(await statPath(folder)).toMatchObject({ value: { kind: 'directory' } });
    expect(await statPath('/dev/null')).toMatchObject({ value: { kind: 'other' } });
    expect(await statPath(join(folder, 'link'))).toMatchObject({ value: { kind: 'file' } });
    expect(await statPath(join(folder, 'link'), { followLinks: false })).toMatchObject({
      value: { kind: 'link' },
    });
  });

  it('knows what is missing', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'dangling'));
    for (const name of ['missing', 'missing/deeper', 'file/x', 'dangling']) {
      expect(await statPath(join(folder, name))).toEqual({ ok: true, value: undefined });
    }
  });

  it('does not call missing what it cannot see', async () => {
    const folder = createFolder();
    symlinkSync('loop', join(folder, 'loop'));
    expect(await statPath(join(folder, 'loop/x'))).toMatchObject({ ok: false, code: 'link_loop' });
    expect(await statPath('a\0')).toMatchObject({ ok: false, code: 'invalid_path' });
  });
});

describe('listDirectory', () => {
  it('gives every name byte for byte, sorted, with its kind', async () => {
    const folder = createFolder();
    for (const name of oddNames) writeFileSync(fileSystemPath(join(folder, name)), '');
    mkdirSync(join(folder, 'dir'));
    symlinkSync('dir', join(folder, 'link'));
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const listed = await listDirectory(folder);
    const expected = [
      ...oddNames.map((name) => ({ name, kind: 'file' })),
      { name: 'dir', kind: 'directory' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
    ];
    expect(listed).toEqual({ ok: true, value: expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
  });

  it('says why a folder cannot be listed', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(await listDirectory(join(folder, 'file'))).toMatchObject({ ok: false, code: 'not_a_directory' });
    expect(await listDirectory(join(folder, 'no'))).toMatchObject({ ok: false, code: 'not_found' });
  });
});

describe('makeDirectory', () => {
  it('creates what is missing and names it', async () => {
    const folder = createFolder();
    expect(await makeDirectory(join(folder, 'a/b'))).toEqual({
      ok: true,
      value: [join(folder, 'a'), join(folder, 'a/b')],
    });
    expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
    expect(await makeDirectory(join(folder, 'a/b'))).toEqual({ ok: true, value: [] });
    symlinkSync('a', join(folder, 'link'));
    expect(await makeDirectory(join(folder, 'link'))).toEqual({ ok: true, value: [] });
  });

  it.each([
    ['file', 'not_a_directory'],
    ['file/x/y', 'not_a_directory'],
    ['dangling', 'already_exists'],
    ['dangling/x', 'already_exists'],
  ])('cannot create %s', async (name, code) => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'dangling'));
    expect(await makeDirectory(join(folder, name))).toMatchObject({ ok: false, code });
  });

  it('comes back where nothing can be created', async () => {
    expect(await makeDirectory('/proc/herma/deeper')).toMatchObject({ ok: false });
    expect(await makeDirectory('')).toMatchObject({ ok: false, code: 'invalid_path' });
  });
});

describe('removeTree', () => {
  it('removes everything below and follows no link', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'tree/deep'), { recursive: true });
    for (const name of oddNames) writeFileSync(fileSystemPath(join(folder, 'tree/deep', name)), '');
    mkdirSync(join(folder, 'precious'));
    writeFileSync(join(folder, 'precious/file'), 'kept');
    symlinkSync('../precious', join(folder, 'tree/link'));
    expect(await removeTree(join(folder, 'tree'))).toEqual({ ok: true, value: undefined });
    expect(readdirSync(folder)).toEqual(['precious']);
    expect(readFileSync(join(folder, 'precious/file'), 'utf8')).toBe('kept');
  });

  it('removes a link and not what it leads to, and a folder whose name is not UTF-8', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'precious'));
    symlinkSync('precious', join(folder, 'link'));
    await removeTree(join(folder, 'link'));
    expect(readdirSync(folder)).toEqual(['precious']);
    const odd = join(folder, oddNames.at(-1) ?? '');
    mkdirSync(fileSystemPath(odd));
    writeFileSync(fileSystemPath(join(odd, 'x')), '');
    expect(await removeTree(odd)).toMatchObject({ ok: true });
    expect(readdirSync(folder)).toEqual(['precious']);
  });

  it('is content when there is nothing', async () => {
    expect(await removeTree(join(createFolder(), 'x'))).toEqual({ ok: true, value: undefined });
  });

  it.each(['', '/', '//', '/tmp/..'])('refuses %j', async (path) => {
    expect(await removeTree(path)).toMatchObject({ ok: false, code: 'invalid_path' });
  });
});

describe('temporaryDirectory', () => {
  it('is private, empty, and gone when it is disposed of', async () => {
    let path = '';
    {
      const created = await temporaryDirectory('mine-');
      if (!created.ok) throw new Error(created.message);
      await using folder = created.value;
      ({ path } = folder);
      expect(path).toMatch(/\/mine-[^/]+$/);
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(readdirSync(path)).toEqual([]);
      writeFileSync(join(path, 'x'), '');
    }
    expect(existsSync(path)).toBe(false);
  });

  it('can be removed twice', async () => {
    const created = await temporaryDirectory();
    expect(created.ok && (await created.value.remove())).toMatchObject({ ok: true });
    expect(created.ok && (await created.value.remove())).toMatchObject({ ok: true });
  });
});

describe('links and names', () => {
  it('are read, followed, renamed and removed byte for byte', async () => {
    const folder = createFolder();
    for (const name of oddNames) {
      const path = join(folder, name);
      writeFileSync(fileSystemPath(path), 'x');
      symlinkSync(fileSystemPath(name), join(folder, 'link'));
      expect(await readLink(join(folder, 'link'))).toEqual({ ok: true, value: name });
      expect(await realPath(join(folder, 'link'))).toEqual({ ok: true, value: path });
      expect(await setMode(path, 0o755)).toEqual({ ok: true, value: undefined });
      expect(statSync(fileSystemPath(path)).mode & 0o777).toBe(0o755);
      expect(await renamePath(path, join(folder, 'renamed'))).toEqual({ ok: true, value: undefined });
      expect(await removeFile(join(folder, 'renamed'))).toEqual({ ok: true, value: true });
      expect(await removeFile(join(folder, 'link'))).toEqual({ ok: true, value: true });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fail with what is wrong', async () => {
    const folder = createFolder();
    const missing = join(folder, 'missing');
    expect(await readLink(missing)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await realPath(missing)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await renamePath(missing, join(folder, 'x'))).toMatchObject({ ok: false, code: 'not_found' });
    expect(await setMode(missing, 0o600)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await removeFile(missing)).toEqual({ ok: true, value: false });
    expect(await removeFile(folder)).toMatchObject({ ok: false });
    expect(existsSync(folder)).toBe(true);
  });
});

describe('setAside', () => {
  const nowMs = Date.UTC(2030, 11, 31, 23, 59, 59);

  it('keeps a file under a name that says when, with what belongs to it', async () => {
    const folder = createFolder();
    for (const name of ['state.db', 'state.db-wal', 'other']) writeFileSync(join(folder, name), name);
    const kept = join(folder, 'state.db.corrupt-20301231T235959Z');
    expect(await setAside(join(folder, 'state.db'), { nowMs, companions: ['-wal', '-shm'] })).toEqual({
      ok: true,
      value: kept,
    });
    expect(readdirSync(folder).toSorted()).toEqual([
      'other',
      'state.db.corrupt-20301231T235959Z',
      'state.db.corrupt-20301231T235959Z-wal',
    ]);
    expect(readFileSync(kept, 'utf8')).toBe('state.db');
  });

  it('never replaces what was set aside before, in the same second', async () => {
    const folder = createFolder();
    const path = join(folder, 'a.json');
    for (const content of ['first', 'second', 'third']) {
      writeFileSync(path, content);
      await setAside(path, { nowMs });
    }
    const contents = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(contents.toSorted()).toEqual(['first', 'second', 'third']);
  });

  it('takes a folder, and says when there is nothing', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'dir/x'), { recursive: true });
    expect(await setAside(join(folder, 'dir'), { nowMs })).toMatchObject({ ok: true });
    expect(await setAside(join(folder, 'dir'), { nowMs })).toMatchObject({ ok: false, code: 'not_found' });
  });
});
