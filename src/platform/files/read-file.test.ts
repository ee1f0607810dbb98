import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemPath } from '../paths/index.ts';
import { looksBinary, readFileBytes, readFileRange, readJsonFile, readTextFile } from './index.ts';

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'read-')));
}

function createFile(content: string | Uint8Array, name = 'file'): string {
  const path = join(createFolder(), name);
  writeFileSync(path, content);
  return path;
}

describe('readTextFile', () => {
  it('gives the text exactly as it is, with what is known about the file', async () => {
    const text = '\uFEFFfirst\r\nsecond\n\n déjà 报告 😀';
    const path = createFile(text);
    const read = await readTextFile(path);
    expect(read).toMatchObject({
      ok: true,
      value: { text, isUtf8: true, stat: { kind: 'file', size: Buffer.byteLength(text), links: 1 } },
    });
  });

  it('reads an empty file', async () => {
    expect(await readTextFile(createFile(''))).toMatchObject({ ok: true, value: { text: '' } });
  });

  it('says when a text is not UTF-8', async () => {
    const read = await readTextFile(createFile(Buffer.from('caf\xe9', 'latin1')));
    expect(read).toMatchObject({ ok: true, value: { text: 'caf\uFFFD', isUtf8: false } });
  });

  it('refuses a file with a NUL among its first 8 KB, and not one with a NUL later', async () => {
    const early = createFile(`${'a'.repeat(8191)}\0`);
    const late = createFile(`${'a'.repeat(8192)}\0`);
    expect(await readTextFile(early)).toMatchObject({
      ok: false,
      code: 'binary',
      message: `cannot read ${early}: it is binary, not text (8192 bytes)`,
    });
    expect(await readTextFile(late)).toMatchObject({ ok: true });
    expect(looksBinary(Buffer.from('a\0'))).toBe(true);
    expect(looksBinary(Buffer.from(''))).toBe(false);
  });

  it('takes a file of exactly the limit and refuses one byte more', async () => {
    const path = createFile('12345');
    expect(await readTextFile(path, { maxBytes: 5 })).toMatchObject({ ok: true, value: { text: '12345' } });
    expect(await readTextFile(path, { maxBytes: 4 })).toMatchObject({
      ok: false,
      code: 'too_large',
      message: `cannot read ${path}: it is too large (5 bytes; the limit is 4 bytes)`,
    });
  });

  it.runIf(process.platform === 'linux')(
    'reads files that give no size, and holds them to the limit',
    async () => {
      expect(await readTextFile('/proc/self/status')).toMatchObject({
        ok: true,
        value: { text: expect.stringContaining('Name:'), stat: { size: 0 } },
      });
      expect(await readTextFile('/proc/self/status', { maxBytes: 10 })).toMatchObject({
        ok: false,
        code: 'too_large',
      });
    },
  );

  it('follows links and reads names with line breaks and bytes that are not UTF-8', async () => {
    const folder = createFolder();
    const names = process.platform === 'linux' ? [' a\nb ', 'caf\udce9', '-x', '\\'] : [' a\nb ', '-x', '\\'];
    for (const name of names) {
      writeFileSync(fileSystemPath(join(folder, name)), name.toWellFormed());
      expect(await readTextFile(join(folder, name))).toMatchObject({ value: { text: name.toWellFormed() } });
    }
    symlinkSync(' a\nb ', join(folder, 'link'));
    expect(await readTextFile(join(folder, 'link'))).toMatchObject({
      value: { text: ' a\nb ', stat: { kind: 'file' } },
    });
  });

  it.each([
    ['nothing', 'missing', 'not_found'],
    ['nothing below a file', 'file/x', 'not_found'],
    ['a folder', 'folder', 'not_a_file'],
    ['a named pipe that nobody writes to', 'pipe', 'not_a_file'],
    ['a link that leads nowhere', 'dangling', 'not_found'],
    ['a link to itself', 'loop', 'unreadable'],
    ['a name that is too long', 'x'.repeat(300), 'unreadable'],
    ['a name with a NUL', 'a\0b', 'invalid_path'],
  ])('refuses %s', async (_, name, code) => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    expect(spawnSync('mkfifo', [join(folder, 'pipe')]).status).toBe(0);
    expect(await readTextFile(join(folder, name))).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(/^cannot read [^\n\0]+: [^\n\0]+$/),
      remedy: expect.stringMatching(/./),
    });
  });

  it('refuses the empty path, and endless devices', async () => {
    expect(await readTextFile('')).toMatchObject({ ok: false, code: 'invalid_path' });
    expect(await readTextFile('/dev/zero')).toMatchObject({ ok: false, code: 'not_a_file' });
  });

  it.runIf(process.platform === 'linux')('says that a file cannot be read for any other reason', async () => {
    // The memory of this process is a regular file whose first page cannot be read: EIO.
    expect(await readTextFile('/proc/self/mem')).toMatchObject({
      ok: false,
      code: 'unreadable',
      errno: 'EIO',
    });
  });

  it('does not begin once it is cancelled', async () => {
    expect(await readTextFile(createFile('x'), { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      code: 'cancelled',
    });
  });
});

describe('readFileBytes', () => {
  it('gives all bytes of a file larger than one chunk', async () => {
    const content = Buffer.alloc(3 * 1024 * 1024 + 7, 'abcdefghijk');
    const read = await readFileBytes(createFile(content));
    expect(read.ok && read.value.bytes.equals(content)).toBe(true);
  });
});

describe('readFileRange', () => {
  it.each([
    [0, 3, 'abc'],
    [4, 3, 'efg'],
    [8, 10, 'ij'],
    [10, 5, ''],
    [99, 5, ''],
    [2, 0, ''],
  ])('from %d for %d bytes is %j', async (start, length, expected) => {
    const read = await readFileRange(createFile('abcdefghij'), { start, length });
    expect(read.ok && read.value.bytes.toString()).toBe(expected);
    expect(read.ok && read.value.stat.size).toBe(10);
  });
});

describe('readJsonFile', () => {
  it('gives the value', async () => {
    expect(await readJsonFile(createFile('{"a": [1, null]}'))).toEqual({ ok: true, value: { a: [1, null] } });
  });

  it.each([
    ['half a document', '{"a": [1, nu'],
    ['nothing', ''],
    ['bytes that are not UTF-8', Buffer.from('"caf\xe9"', 'latin1')],
    ['zeros, as after a power cut', Buffer.alloc(512)],
  ])('calls %s corrupt', async (_, content) => {
    const path = createFile(content);
    expect(await readJsonFile(path)).toMatchObject({
      ok: false,
      code: 'corrupt',
      message: expect.stringMatching(/file is not valid JSON: [^\n]+$/),
      remedy: 'mend the file, or move it away',
      path,
    });
  });

  it('says that a file is missing or too large, which is not corrupt', async () => {
    expect(await readJsonFile(join(createFolder(), 'x'))).toMatchObject({ ok: false, code: 'not_found' });
    expect(await readJsonFile(createFile('[1,2,3]'), { maxBytes: 3 })).toMatchObject({
      ok: false,
      code: 'too_large',
    });
  });
});
