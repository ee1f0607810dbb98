import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { type Clock, systemClock } from '../../../platform/clock/index.ts';
import { createReadFileTool } from '../read-file/read-file-tool.ts';
import { callTool } from '../tool-bench.ts';
import { createSearchFilesTool } from './search-files-tool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'search-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function plant(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

interface SearchOptions {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
}

function search(args: JsonObject, options: SearchOptions = {}): Promise<CallReport> {
  const { clock = systemClock, cwd = folder, ...rest } = options;
  return callTool(createSearchFilesTool({ home: folder, clock }), args, { cwd, ...rest });
}

async function linesOf(args: JsonObject, options?: SearchOptions): Promise<readonly string[]> {
  const report = await search(args, options);
  expect(report).toMatchObject({ status: 'ok' });
  return report.text.split('\n');
}

describe('search_files by content', () => {
  it('lists path, line and text, in the order of the names', async () => {
    plant({ 'b/two.ts': 'x\nneedle b\n', 'a.ts': 'needle a\r\nneedle again\n', 'b.ts': 'nothing\n' });
    expect(await linesOf({ pattern: 'needle' })).toEqual([
      'a.ts:1:needle a',
      'a.ts:2:needle again',
      'b/two.ts:2:needle b',
      '[3 matches in 2 files]',
    ]);
  });

  it('shows lines around matches, each once', async () => {
    plant({ a: '1\n2\nX3\n4\nX5\n6\n7\n8\n9\nX10\n' });
    expect(await linesOf({ pattern: 'X', context: 1 })).toEqual([
      'a-2-2',
      'a:3:X3',
      'a-4-4',
      'a:5:X5',
      'a-6-6',
      '--',
      'a-9-9',
      'a:10:X10',
      '[3 matches in 1 file]',
    ]);
  });

  it('lists files, or counts, instead', async () => {
    plant({ a: 'x\nx\n', b: 'x\n', c: '' });
    expect(await linesOf({ pattern: 'x', output_mode: 'files_only' })).toEqual(['a', 'b', '[2 files]']);
    expect(await linesOf({ pattern: 'x', output_mode: 'count' })).toEqual([
      'a: 2',
      'b: 1',
      '[3 matches in 2 files]',
    ]);
  });

  it('shows a page of the results, counts all and says how to go on', async () => {
    plant({ a: 'x\n'.repeat(60), b: 'x\n'.repeat(60) });
    const first = await linesOf({ pattern: 'x' });
    expect(first).toHaveLength(51);
    expect(first.at(-1)).toBe('[120 matches in 2 files; shown 1-50, go on with offset 50]');
    const second = await linesOf({ pattern: 'x', offset: 58, limit: 4 });
    expect(second).toEqual([
      'a:59:x',
      'a:60:x',
      'b:1:x',
      'b:2:x',
      '[120 matches in 2 files; shown 59-62, go on with offset 62]',
    ]);
    expect(await linesOf({ pattern: 'x', offset: 118 })).toEqual([
      'b:59:x',
      'b:60:x',
      '[120 matches in 2 files; shown 119-120]',
    ]);
    expect(await linesOf({ pattern: 'x', offset: 500 })).toEqual([
      '[120 matches in 2 files; none shown, offset 500 is past the last]',
    ]);
  });

  it('keeps an answer short enough', async () => {
    plant({ a: `${'x'.repeat(390)}\n`.repeat(1000) });
    const report = await search({ pattern: 'x', limit: 1000 });
    expect(report.text.length).toBeLessThan(82_000);
    expect(report.text).toMatch(/\[1000 matches in 1 file; shown 1-2\d\d, go on with offset 2\d\d\]$/);
  });

  it('shows the part of a long line that matches, and searches its beginning only', async () => {
    plant({ a: `${'y'.repeat(5000)}needle${'z'.repeat(5000)}\n${'y'.repeat(20_000)}needle\n` });
    const [line, footer] = await linesOf({ pattern: 'needle' });
    expect(line).toMatch(/^a:1:…y{100}needlez{294}…$/);
    expect(footer).toBe('[1 match in 1 file; in 1 file lines over 10,000 characters were searched in part]');
  });

  it('searches only the files that a glob means', async () => {
    plant({ 'a.ts': 'x', 'a.tsx': 'x', 'a.js': 'x', 'src/b.ts': 'x' });
    expect(await linesOf({ pattern: 'x', file_glob: '*.{ts,tsx}', output_mode: 'files_only' })).toEqual([
      'a.ts',
      'a.tsx',
      'src/b.ts',
      '[3 files]',
    ]);
    expect(await linesOf({ pattern: 'x', file_glob: 'src/*', output_mode: 'files_only' })).toEqual([
      'src/b.ts',
      '[1 file]',
    ]);
  });

  it('understands (?i), Unicode, and escapes that only lenient expressions have', async () => {
    plant({ a: 'Größe 12\nfoo-bar\n' });
    expect(await linesOf({ pattern: '(?i)GRÖßE' })).toContain('a:1:Größe 12');
    expect(await linesOf({ pattern: '\\p{L}+ \\d' })).toContain('a:1:Größe 12');
    expect(await linesOf({ pattern: 'foo\\-bar' })).toContain('a:2:foo-bar');
    expect(await linesOf({ pattern: '^foo.*r$' })).toContain('a:2:foo-bar');
  });

  it('searches one file that is named, also one that git ignores', async () => {
    plant({ '.gitignore': 'a\n', a: 'x', b: 'x' });
    expect(await linesOf({ pattern: 'x', path: 'a' })).toEqual(['a:1:x', '[1 match in 1 file]']);
    expect(await linesOf({ pattern: 'x', path: join(folder, 'b') })).toEqual([
      'b:1:x',
      '[1 match in 1 file]',
    ]);
  });

  it('gives absolute paths outside of the working directory', async () => {
    plant({ 'here/a': '', 'there/b': 'x' });
    const lines = await linesOf({ pattern: 'x', path: '../there' }, { cwd: join(folder, 'here') });
    expect(lines[0]).toBe(`${join(folder, 'there/b')}:1:x`);
  });

  it('says what it did not search', async () => {
    plant({ bin: 'x\0', text: 'nothing', big: '' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('/dev/zero', join(folder, 'endless'));
    truncateSync(join(folder, 'big'), 20 * 1024 * 1024);
    expect(await linesOf({ pattern: 'x' })).toEqual([
      '[No matches for x in 1 file; not searched: 1 binary files, 1 files over 16 MiB]',
    ]);
  });

  it.each([
    ['(', 'bad_pattern', 'The pattern "(" is not a regular expression: Unterminated group.'],
    ['', 'bad_pattern', 'The pattern is empty.'],
    ['x'.repeat(2001), 'bad_pattern', 'more than 2,000 characters'],
  ])('refuses the pattern %j', async (pattern, errorType, message) => {
    expect(await search({ pattern })).toMatchObject({
      status: 'error',
      errorType,
      text: expect.stringContaining(message),
    });
  });

  it.each(['(a+)+$', '^(a|aa)*b'])('stops the runaway pattern %s', async (pattern) => {
    plant({ a: `${'a'.repeat(5000)}!\n` });
    expect(await search({ pattern })).toMatchObject({
      status: 'error',
      errorType: 'pattern_too_slow',
      text: expect.stringContaining('took longer than 2 s on a and was stopped'),
    });
  });

  it('searches megabytes of one letter', async () => {
    plant({ a: 'a'.repeat(3_000_000), b: `${'a'.repeat(3000)}\n`.repeat(1000) });
    expect((await linesOf({ pattern: 'aab' })).at(-1)).toContain('No matches for aab in 2 files');
  });

  it('stops when its time is over, and says so', async () => {
    plant({ a: 'x', b: 'x', c: 'x' });
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => (nowMs += 10_000) };
    expect((await linesOf({ pattern: 'x' }, { clock })).at(-1)).toContain(
      'stopped after 30 s: there may be more',
    );
  });

  it('ends when it is cancelled', async () => {
    plant({ a: 'x' });
    const controller = new AbortController();
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => {
        controller.abort();
        return 0;
      },
    };
    expect(await search({ pattern: 'x' }, { clock, signal: controller.signal })).toMatchObject({
      status: 'cancelled',
    });
  });
});

describe('search_files by name', () => {
  it('lists the files a glob means, links included, and counts them', async () => {
    plant({ 'src/a.ts': '', 'src/deep/b.ts': '', 'c.js': '' });
    symlinkSync('src/a.ts', join(folder, 'link.ts'));
    expect(await linesOf({ pattern: '*.ts', target: 'files' })).toEqual([
      'link.ts',
      'src/a.ts',
      'src/deep/b.ts',
      '[3 files]',
    ]);
    expect(await linesOf({ pattern: 'src/*.ts', target: 'files' })).toEqual(['src/a.ts', '[1 file]']);
    expect(await linesOf({ pattern: '*', target: 'files', path: 'src', limit: 1 })).toEqual([
      'src/a.ts',
      '[2 files; shown 1-1, go on with offset 1]',
    ]);
  });

  it('helps when nothing fits', async () => {
    plant({ 'config.yaml': '' });
    expect(await linesOf({ pattern: 'config', target: 'files' })).toEqual([
      '[No file fits "config"; it is the whole name that must fit: try "*config*"]',
    ]);
    expect(await search({ pattern: '{a,b}'.repeat(20), target: 'files' })).toMatchObject({
      errorType: 'bad_glob',
    });
  });

  it('leaves out what git ignores, at every level, and .git', async () => {
    execFileSync('git', ['init', '-q', folder]);
    plant({
      '.gitignore': 'node_modules/\n*.log\n!keep.log\n',
      '.git/info/exclude': 'private\n',
      'node_modules/x.js': '',
      'a.log': '',
      'keep.log': '',
      private: '',
      'sub/.gitignore': '/local\n!a.log\n',
      'sub/a.log': '',
      'sub/local': '',
      'sub/deep/local': '',
    });
    expect(await linesOf({ pattern: '*', target: 'files' })).toEqual([
      '.gitignore',
      'keep.log',
      'sub/.gitignore',
      'sub/a.log',
      'sub/deep/local',
      '[5 files]',
    ]);
    expect(await linesOf({ pattern: '*', target: 'files', path: 'sub/deep' })).toEqual([
      'sub/deep/local',
      '[1 file]',
    ]);
    expect(await linesOf({ pattern: '*.js', target: 'files', path: 'node_modules' })).toEqual([
      'node_modules/x.js',
      '[1 file]',
    ]);
  });

  it('finds the rules of a worktree', async () => {
    const git = (...args: readonly string[]): void => {
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: join(folder, 'main'),
      });
    };
    mkdirSync(join(folder, 'main'));
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', '../tree');
    plant({ 'main/.git/info/exclude': 'private\n', 'tree/private': '', 'tree/public': '' });
    expect(await linesOf({ pattern: '*', target: 'files', path: 'tree' })).toEqual([
      'tree/public',
      '[1 file]',
    ]);
  });

  it('is not led in circles by links, and does not follow them', async () => {
    plant({ 'a/x': '', 'b/y': '' });
    symlinkSync('..', join(folder, 'a/up'));
    symlinkSync('self', join(folder, 'self'));
    expect(await linesOf({ pattern: '*', target: 'files' })).toEqual([
      'a/up',
      'a/x',
      'b/y',
      'self',
      '[4 files]',
    ]);
    symlinkSync('a', join(folder, 'way'));
    expect(await linesOf({ pattern: 'x', target: 'files', path: 'way' })).toEqual(['way/x', '[1 file]']);
  });

  it('does not wait for a pipe that is called .gitignore', async () => {
    plant({ a: '' });
    execFileSync('mkfifo', [join(folder, '.gitignore')]);
    expect(await linesOf({ pattern: 'a', target: 'files' })).toEqual(['a', '[1 file]']);
  });

  it('lists names with line breaks and bytes that are no UTF-8 in a form read_file understands', async () => {
    plant({ 'line\nbreak': 'one' });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.of(0xff)]), 'two');
    const lines = await linesOf({ pattern: '*', target: 'files' });
    expect(lines).toEqual(['bad\\xff', 'line\\nbreak', '[2 files]']);
    expect(await linesOf({ pattern: 'two' })).toEqual(['bad\\xff:1:two', '[1 match in 1 file]']);
    const tool = createReadFileTool({ home: folder });
    const contents = await Promise.all(
      lines.slice(0, 2).map((path) => callTool(tool, { path }, { cwd: folder })),
    );
    expect(contents.map(({ text }) => text)).toEqual(['     1|two', '     1|one']);
  });

  it('says when the folder is not there', async () => {
    plant({ 'src/a': '' });
    expect(await search({ pattern: '*', target: 'files', path: 'srk' })).toMatchObject({
      status: 'error',
      errorType: 'not_found',
      text: `There is no srk. Did you mean ${folder}/src?`,
    });
  });

  it('walks a deep tree', async () => {
    plant({ [`${'d/'.repeat(1500)}leaf`]: '' });
    const report = await search({ pattern: 'leaf', target: 'files' });
    expect(report.text).toMatch(/^(d\/){1500}leaf\n\[1 file\]$/);
  });
});
