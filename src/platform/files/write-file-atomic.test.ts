import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileSystemPath } from '../paths/index.ts';
import { stageFile, writeFileAtomic } from './index.ts';

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'write-')));
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

/** Runs an expression over the `files` module in a process of its own, started by `shell`, and gives what it printed as JSON. */
function inProcess(shell: string, expression: string, folder: string): unknown {
  const program = `import(process.argv[1]).then(async (files) => console.log(JSON.stringify(await (${expression})(files, process.argv[2]))))`;
  const run = spawnSync('bash', ['-c', shell, 'bash', process.execPath, '-e', program, moduleUrl, folder], {
    encoding: 'utf8',
  });
  return JSON.parse(
    run.stdout === '' ? JSON.stringify({ stderr: run.stderr, status: run.status }) : run.stdout,
  );
}

describe('writeFileAtomic', () => {
  it('creates a private file and says that it is new', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    expect(await writeFileAtomic(path, 'content')).toEqual({ ok: true, value: { path, isNew: true } });
    expect(readFileSync(path, 'utf8')).toBe('content');
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('replaces a file as a whole', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    writeFileSync(path, 'something longer', { mode: 0o644 });
    const before = statSync(path).ino;
    expect(await writeFileAtomic(path, Buffer.from([0, 1, 255]), { fsync: false })).toEqual({
      ok: true,
      value: { path, isNew: false },
    });
    expect(readFileSync(path)).toEqual(Buffer.from([0, 1, 255]));
    expect(statSync(path).ino).not.toBe(before);
    expect(modeOf(path)).toBe(0o600);
  });

  it('gives a new file the mode it is told, less the umask', async () => {
    const folder = createFolder();
    const result = inProcess(
      'umask 027; exec "$@"',
      '(files, folder) => files.writeFileAtomic(folder + "/f", "", { mode: 0o666 })',
      folder,
    );
    expect(result).toMatchObject({ ok: true });
    expect(modeOf(join(folder, 'f'))).toBe(0o640);
  });

  it('keeps the mode of the file it replaces when asked, and only then', async () => {
    const path = join(createFolder(), 'script');
    writeFileSync(path, '#!/bin/sh');
    chmodSync(path, 0o754);
    await writeFileAtomic(path, 'new', { keepMode: true });
    expect(modeOf(path)).toBe(0o754);
    await writeFileAtomic(path, 'new', { mode: 0o644 });
    expect(modeOf(path)).toBe(0o644);
    const other = join(createFolder(), 'new');
    await writeFileAtomic(other, 'new', { keepMode: true, mode: 0o640 });
    expect(modeOf(other)).toBe(0o640);
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner with the mode, as root', async () => {
    const path = join(createFolder(), 'file');
    writeFileSync(path, 'old');
    spawnSync('chown', ['12345:23456', path]);
    await writeFileAtomic(path, 'new', { keepMode: true });
    expect(statSync(path)).toMatchObject({ uid: 12345, gid: 23456 });
  });

  it('replaces a link itself unless asked to follow it', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync('target', join(folder, 'link'));
    expect(await writeFileAtomic(join(folder, 'link'), 'new')).toMatchObject({
      ok: true,
      value: { isNew: false },
    });
    expect(lstatSync(join(folder, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('old');
  });

  it('writes through a chain of links when asked, and leaves every link', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'real/deep'), { recursive: true });
    symlinkSync('real/deep', join(folder, 'alias'));
    // Relative to where the link really is, real/deep, and not to the alias by which it is reached.
    symlinkSync('../target', join(folder, 'real/deep/second'));
    symlinkSync('alias/second', join(folder, 'first'));
    writeFileSync(join(folder, 'real/target'), 'old', { mode: 0o640 });
    const written = await writeFileAtomic(join(folder, 'first'), 'new', { followLink: true, keepMode: true });
    expect(written).toMatchObject({ ok: true, value: { isNew: false } });
    expect(readFileSync(join(folder, 'real/target'), 'utf8')).toBe('new');
    expect(modeOf(join(folder, 'real/target'))).toBe(0o640);
    expect(readlinkSync(join(folder, 'first'))).toBe('alias/second');
    expect(readlinkSync(join(folder, 'alias/second'))).toBe('../target');
    expect(readdirSync(folder).toSorted()).toEqual(['alias', 'first', 'real']);
  });

  it('creates what a link leads to when that is missing', async () => {
    const folder = createFolder();
    symlinkSync(join(folder, 'later'), join(folder, 'link'));
    expect(await writeFileAtomic(join(folder, 'link'), 'new', { followLink: true })).toEqual({
      ok: true,
      value: { path: join(folder, 'later'), isNew: true },
    });
    expect(readFileSync(join(folder, 'later'), 'utf8')).toBe('new');
  });

  it('leaves the other names of a file with the old content', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'old');
    linkSync(join(folder, 'a'), join(folder, 'b'));
    await writeFileAtomic(join(folder, 'a'), 'new');
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('old');
  });

  it('writes names of every kind, the longest too', async () => {
    const folder = createFolder();
    const names = [
      ' lead',
      'trail ',
      'new\nline',
      '-dash',
      'x'.repeat(255),
      ...(process.platform === 'linux' ? ['caf\udce9'] : []),
    ];
    for (const name of names) {
      expect(await writeFileAtomic(join(folder, name), 'x', { keepMode: true })).toMatchObject({ ok: true });
      expect(existsSync(fileSystemPath(join(folder, name)))).toBe(true);
    }
    expect(readdirSync(folder, { encoding: 'buffer' })).toHaveLength(names.length);
  });

  it.each([
    ['a folder', 'folder', {}, 'not_a_file', 'it is a folder, not a file'],
    ['a folder behind a link', 'to-folder', { followLink: true }, 'not_a_file', 'it is a folder, not a file'],
    ['a named pipe', 'pipe', {}, 'not_a_file', 'it is a device, a pipe or a socket, not a file'],
    ['a file in a folder that does not exist', 'no/file', {}, 'not_found', 'its folder does not exist'],
    ['a file below a file', 'file/x', {}, 'not_a_directory', 'a part of the path is not a folder'],
    ['a link to itself', 'loop', { followLink: true }, 'link_loop', 'its symbolic links lead in a circle'],
    ['a name that is too long', 'x'.repeat(256), {}, 'name_too_long', 'the name is too long'],
    ['a name with a NUL', 'a\0b', {}, 'invalid_path', 'the path contains a NUL character'],
  ])('refuses %s and leaves everything as it was', async (_, name, options, code, reason) => {
    const folder = createFolder();
    mkdirSync(join(folder, 'folder'));
    symlinkSync('folder', join(folder, 'to-folder'));
    symlinkSync('loop', join(folder, 'loop'));
    writeFileSync(join(folder, 'file'), 'old');
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const before = readdirSync(folder);
    const result = await writeFileAtomic(join(folder, name), 'new', options);
    expect(result).toMatchObject({ ok: false, code, remedy: expect.stringMatching(/./) });
    expect(result.ok ? '' : result.message).toMatch(new RegExp(`^cannot write .+: ${reason}$`));
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old');
  });

  it('never turns a device into a file', async () => {
    for (const options of [{}, { followLink: true }]) {
      expect(await writeFileAtomic('/dev/full', 'x', options)).toMatchObject({
        ok: false,
        code: 'not_a_file',
      });
    }
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it('leaves the old file and nothing else when the write fails on the way', () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), 'old');
    // At most 8 blocks of 1024 bytes: the write stops half-way, as on a full disk.
    const result = inProcess(
      'ulimit -f 8; exec "$@"',
      '(files, folder) => files.writeFileAtomic(folder + "/file", "x".repeat(100_000))',
      folder,
    );
    expect(result).toMatchObject({ ok: false, code: 'too_large', errno: 'EFBIG' });
    expect(readdirSync(folder)).toEqual(['file']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old');
  });

  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

  it.runIf(canMount)('leaves the old file and nothing else when the disk is full or read-only', () => {
    const folder = createFolder();
    const shell = (afterwards: string): string =>
      `unshare -rm sh -ec 'mount -t tmpfs -o size=64k none "$5"; printf old > "$5/file"; ${afterwards}; "$@"' sh "$@"`;
    const expression = `async (files, folder) => ({
      result: await files.writeFileAtomic(folder + "/file", "x".repeat(500_000)),
      names: await files.listDirectory(folder),
      old: await files.readTextFile(folder + "/file"),
    })`;
    const unchanged = { names: { value: [{ name: 'file' }] }, old: { value: { text: 'old' } } };
    expect(inProcess(shell('true'), expression, folder)).toMatchObject({
      result: { ok: false, code: 'disk_full', message: `cannot write ${folder}/file: the disk is full` },
      ...unchanged,
    });
    expect(inProcess(shell('mount -o remount,ro "$5"'), expression, folder)).toMatchObject({
      result: { ok: false, code: 'read_only', message: `cannot write ${folder}/file: the disk is read-only` },
      ...unchanged,
    });
  });

  it.runIf(canMount && process.getuid?.() === 0)(
    'does not replace a file that the person may not write',
    () => {
      const folder = createFolder();
      writeFileSync(join(folder, 'file'), 'old', { mode: 0o444 });
      chmodSync(folder, 0o777);
      chmodSync(join(folder, '..'), 0o755);
      chmodSync(join(folder, '../..'), 0o755);
      const result = inProcess(
        'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"',
        '(files, folder) => files.writeFileAtomic(folder + "/file", "new")',
        folder,
      );
      expect(result).toMatchObject({ ok: false, code: 'denied' });
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old');
    },
  );

  it('shows readers the old content or the new and nothing between, while many write', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
    writeFileSync(path, contents[0] ?? '');
    const written = new AbortController();
    const reading = (async () => {
      while (!written.signal.aborted) {
        expect(contents).toContain(readFileSync(path, 'utf8'));
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
      expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    }
    written.abort();
    await reading;
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves the old content or the new when its process is killed', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    const program = `import(process.argv[1]).then(async (files) => {
      for (let round = 0; ; round += 1) {
        await files.writeFileAtomic(process.argv[2], String(round % 10).repeat(300_000));
        if (round === 3) process.stdout.write('writing');
      }
    })`;
    for (let kill = 0; kill < 5; kill += 1) {
      const writer = spawn(process.execPath, ['-e', program, moduleUrl, path]);
      await once(writer.stdout, 'data');
      writer.kill('SIGKILL');
      await once(writer, 'close');
      expect(readFileSync(path, 'utf8')).toMatch(/^(\d)\1{299999}$/);
    }
  });
});

describe('stageFile', () => {
  it('changes nothing until it is committed', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    const staged = await stageFile(path, 'new');
    if (!staged.ok) throw new Error(staged.message);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(await staged.value.commit()).toEqual({ ok: true, value: { path, isNew: false } });
    expect(readFileSync(path, 'utf8')).toBe('new');
    await staged.value.discard();
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves nothing behind when it is discarded, once or twice', async () => {
    const folder = createFolder();
    const staged = await stageFile(join(folder, 'file'), 'new');
    if (!staged.ok) throw new Error(staged.message);
    expect(readdirSync(folder)).toHaveLength(1);
    await staged.value.discard();
    await staged.value.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves nothing behind when the target has become a folder meanwhile', async () => {
    const folder = createFolder();
    const path = join(folder, 'file');
    const staged = await stageFile(path, 'new');
    mkdirSync(join(path, 'full'), { recursive: true });
    expect(staged.ok && (await staged.value.commit())).toMatchObject({ ok: false });
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('fails to commit where the folder is gone', async () => {
    const folder = createFolder();
    const staged = await stageFile(join(folder, 'file'), 'new');
    rmSync(folder, { recursive: true });
    expect(staged.ok && (await staged.value.commit())).toMatchObject({ ok: false, code: 'not_found' });
  });
});
