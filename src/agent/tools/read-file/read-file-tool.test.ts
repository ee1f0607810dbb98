import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import { callTool } from '../tool-bench.ts';
import { createReadFileTool } from './read-file-tool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function plant(name: string | Uint8Array, content: string | Uint8Array): void {
  const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
  writeFileSync(path, content);
}

function read(
  path: string,
  more: { readonly offset?: number; readonly limit?: number } = {},
): Promise<CallReport> {
  return callTool(createReadFileTool({ home: folder }), { path, ...more }, { cwd: folder });
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${String(index + 1)}\n`).join('');
}

describe('read_file', () => {
  it('numbers the lines of a file', async () => {
    plant('a', 'one\n\nthree\n');
    expect(await read('a')).toMatchObject({ status: 'ok', text: '     1|one\n     2|\n     3|three' });
    expect((await read(join(folder, 'a'))).text).toBe((await read('~/a')).text);
  });

  it('shows a part, says how much is left and how to go on', async () => {
    plant('a', numbered(1234));
    const first = await read('a');
    expect(first.text).toMatch(/^ {5}1\|line 1\n/);
    expect(first.text).toMatch(
      /\n {3}500\|line 500\n\[lines 1-500 of 1234; 734 left, go on with offset 501\]$/,
    );
    const middle = await read('a', { offset: 501, limit: 2 });
    expect(middle.text).toBe(
      '   501|line 501\n   502|line 502\n[lines 501-502 of 1234; 732 left, go on with offset 503]',
    );
    const end = await read('a', { offset: 1234, limit: 2000 });
    expect(end.text).toBe('  1234|line 1234');
  });

  it('keeps an answer short enough, in whole lines', async () => {
    plant('a', `${'x'.repeat(1500)}\n`.repeat(1000));
    const { text } = await read('a', { limit: 2000 });
    expect(text.length).toBeLessThan(101_000);
    expect(text).toMatch(/\[lines 1-66 of 1000; 934 left, go on with offset 67\]$/);
  });

  it('shortens long lines, and says so', async () => {
    plant('a', `${'é'.repeat(3_000_000)}\nshort\n`);
    const { text } = await read('a');
    expect(text).toContain(
      `${'é'.repeat(2000)} [… 2998000 more characters]\n     2|short\n[1 long lines are shortened]`,
    );
  });

  it('says what is special about the text', async () => {
    plant('crlf', '\uFEFFone\r\ntwo');
    expect((await read('crlf')).text).toBe('     1|one\n     2|two\n[line endings are CRLF]');
    plant('latin1', Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a));
    expect((await read('latin1')).text).toMatch(/1\|caf\uFFFD\n\[not valid UTF-8/);
    plant('empty', '');
    expect((await read('empty')).text).toBe('[empty is empty]');
    plant('newline', '\n');
    expect((await read('newline')).text).toBe('     1|');
  });

  it('refuses an offset past the end, and arguments out of range', async () => {
    plant('a', numbered(3));
    expect(await read('a', { offset: 4 })).toMatchObject({
      status: 'error',
      errorType: 'past_end',
      text: expect.stringContaining('a has 3 lines; offset 4'),
    });
    expect(await read('a', { offset: 0 })).toMatchObject({ status: 'error', errorType: 'bad_arguments' });
    expect(await read('a', { limit: 2001 })).toMatchObject({ status: 'error', errorType: 'bad_arguments' });
  });

  it.each([
    ['x.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2), 'PNG image, 10 bytes'],
    ['x.pdf', '%PDF-1.7 text', 'PDF document, 13 bytes'],
    ['x.bin', `text\0${'x'.repeat(1495)}`, 'unknown type, 1,500 bytes'],
    ['x.utf16', Uint8Array.of(0xff, 0xfe, 0x61, 0), 'UTF-16 text, 4 bytes'],
  ])('refuses %s and says what it is', async (name, content, what) => {
    plant(name, content);
    expect(await read(name)).toMatchObject({
      status: 'error',
      errorType: 'binary',
      text: expect.stringContaining(`${name} is a binary file (${what}).`),
    });
  });

  it('names folders, devices and pipes for what they are, and does not wait for them', async () => {
    mkdirSync(join(folder, 'sub'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await read('sub')).toMatchObject({
      errorType: 'is_folder',
      text: expect.stringContaining('sub is a folder.'),
    });
    expect(await read('pipe')).toMatchObject({
      errorType: 'not_a_file',
      text: expect.stringContaining('pipe is a device, a pipe'),
    });
    expect(await read('/dev/zero')).toMatchObject({ errorType: 'not_a_file' });
    expect(await read('/dev/stdin')).toMatchObject({ status: 'error' });
  });

  it('suggests what may have been meant', async () => {
    mkdirSync(join(folder, 'src'));
    plant('src/server.ts', 'x');
    plant('README.md', 'x');
    expect((await read('src/sever.ts')).text).toBe(
      `There is no src/sever.ts. Did you mean ${folder}/src/server.ts?`,
    );
    expect((await read('src/server.js')).text).toContain(`Did you mean ${folder}/src/server.ts?`);
    expect((await read('readme.md')).text).toContain(`Did you mean ${folder}/README.md?`);
    expect((await read('src/zzz')).text).toContain('List its folder with search_files');
    expect((await read('nowhere/at/all')).text).toContain(
      `Its folder ${folder}/nowhere/at does not exist either.`,
    );
    expect(await read('README.md/x')).toMatchObject({ status: 'error', errorType: 'not_found' });
  });

  it('reads through links, and names those that lead nowhere or in a circle', async () => {
    plant('a', 'x\n');
    symlinkSync('a', join(folder, 'link'));
    symlinkSync('gone', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    expect((await read('link')).text).toBe('     1|x');
    expect(await read('dangling')).toMatchObject({ errorType: 'not_found' });
    expect(await read('loop')).toMatchObject({ status: 'error', errorType: 'link_loop' });
  });

  it('reads a file whose name has a line break or is no UTF-8, by the form search_files lists', async () => {
    plant('line\nbreak', 'one\n');
    plant(Buffer.concat([Buffer.from('bad'), Buffer.of(0xff)]), 'two\n');
    plant('back\\slash', 'three\n');
    expect((await read('line\nbreak')).text).toBe('     1|one');
    expect((await read('line\\nbreak')).text).toBe('     1|one');
    expect((await read('bad\\xff')).text).toBe('     1|two');
    expect((await read('back\\slash')).text).toBe('     1|three');
    expect((await read('back\\\\slash')).text).toBe('     1|three');
  });

  it('refuses a name that can be read in two ways', async () => {
    plant('a\nb', 'x');
    plant('a\\nb', 'y');
    expect(await read('a\\nb')).toMatchObject({ status: 'error', errorType: 'ambiguous_path' });
    expect((await read('a\\\\nb')).text).toBe('     1|y');
  });

  it('does not take escapes for what can be written plainly', async () => {
    plant('secret', 'x');
    expect(await read('\\x73ecret')).toMatchObject({ status: 'error', errorType: 'not_found' });
    expect(await read('\\u0073ecret')).toMatchObject({ status: 'error', errorType: 'not_found' });
  });

  it('refuses paths that no file can have', async () => {
    expect(await read('')).toMatchObject({ errorType: 'invalid_path' });
    expect(await read('a\0b')).toMatchObject({ errorType: 'invalid_path' });
    expect(await read('x'.repeat(5000))).toMatchObject({ status: 'error', errorType: 'name_too_long' });
  });

  it('refuses a file that is too large to be read as a whole', async () => {
    plant('big', 'x\n');
    truncateSync(join(folder, 'big'), 40 * 1024 * 1024);
    plant('text', 'a'.repeat(33 * 1024 * 1024));
    expect(await read('big')).toMatchObject({ status: 'error', errorType: 'binary' });
    expect(await read('text')).toMatchObject({
      errorType: 'too_large',
      text: expect.stringContaining("sed -n '1,200p'"),
    });
  });
});
