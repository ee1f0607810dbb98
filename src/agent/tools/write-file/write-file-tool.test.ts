import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import { describeFileError } from '../../../platform/files/index.ts';
import { diskFiles, type FileStore } from '../files/file-store.ts';
import { protectHome } from '../files/protect-home.ts';
import { callTool } from '../tool-bench.ts';
import { createWriteFileTool } from './write-file-tool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function namesIn(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
}

function write(path: string, content: string, files?: FileStore): Promise<CallReport> {
  const tool = createWriteFileTool({
    home: join(folder, 'home'),
    isProtected: protectHome(join(folder, '.herma')),
    ...(files === undefined ? {} : { files }),
  });
  return callTool(tool, { path, content }, { cwd: folder });
}

describe('write_file', () => {
  it('creates a file and its folders, and says so', async () => {
    const report = await write('a/b/c.txt', 'héllo\n');
    expect(report).toMatchObject({ status: 'ok' });
    expect(JSON.parse(report.text)).toEqual({
      path: 'a/b/c.txt',
      bytes_written: 7,
      created: true,
      dirs_created: 2,
    });
    expect(readFileSync(join(folder, 'a/b/c.txt'), 'utf8')).toBe('héllo\n');
  });

  it('replaces a file and keeps its mode', async () => {
    writeFileSync(join(folder, 'run.sh'), 'old');
    chmodSync(join(folder, 'run.sh'), 0o750);
    const report = await write('run.sh', 'new');
    expect(JSON.parse(report.text)).toEqual({ path: 'run.sh', bytes_written: 3, created: false });
    expect(readFileSync(join(folder, 'run.sh'), 'utf8')).toBe('new');
    expect(statSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(readdirSync(folder)).toEqual(['run.sh']);
  });

  it('writes to where a link leads and keeps the link', async () => {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real/x'), 'old');
    symlinkSync('real/x', join(folder, 'link'));
    symlinkSync('real', join(folder, 'way'));
    await write('link', 'one');
    expect(readFileSync(join(folder, 'real/x'), 'utf8')).toBe('one');
    await write('way/y', 'two');
    expect(readFileSync(join(folder, 'real/y'), 'utf8')).toBe('two');
    expect(readdirSync(folder).sort()).toEqual(['link', 'real', 'way']);
  });

  it('takes absolute paths, ~, and names with line breaks or bytes that are no UTF-8', async () => {
    await write(join(folder, 'abs'), '1');
    await write('~/tilde', '2');
    await write('line\nbreak', '3');
    await write('bad\udcff', '4');
    expect(readFileSync(join(folder, 'abs'), 'utf8')).toBe('1');
    expect(readFileSync(join(folder, 'home/tilde'), 'utf8')).toBe('2');
    expect(readFileSync(join(folder, 'line\nbreak'), 'utf8')).toBe('3');
    const name = Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.of(0xff)]);
    expect(readFileSync(name, 'utf8')).toBe('4');
  });

  it('takes a backslash as a part of the name', async () => {
    await write('a\\nb', 'x');
    expect(readdirSync(folder)).toEqual(['a\\nb']);
  });

  it('says when the content could not be written as it is', async () => {
    const report = await write('x', 'a\ud800b');
    expect(JSON.parse(report.text)).toMatchObject({
      bytes_written: 5,
      warning: expect.stringContaining('U+FFFD'),
    });
  });

  it('writes three megabytes of one letter', async () => {
    expect(await write('big', 'a'.repeat(3_000_000))).toMatchObject({ status: 'ok' });
    expect(statSync(join(folder, 'big')).size).toBe(3_000_000);
  });

  it.each([
    ['', 'invalid_path', 'The path is empty'],
    ['.', 'not_a_file', '. is a folder'],
    ['new/', 'not_a_file', 'new/ names a folder'],
    ['file/x', 'unresolvable', 'not a folder'],
    ['dangling', 'unresolvable', 'dangling'],
    ['loop', 'unresolvable', 'circle'],
    ['x'.repeat(300), 'unresolvable', 'too long'],
    ['/dev/null', 'not_a_file', '/dev'],
    ['/dev/stdout', 'not_a_file', '/dev'],
    ['device', 'not_a_file', '/dev'],
    ['.herma', 'protected', 'belongs to Herma itself'],
    ['.herma/config.yaml', 'protected', 'belongs to Herma itself'],
    ['.herma/../.herma/approvals.json', 'protected', 'belongs to Herma itself'],
    ['.herma/shell-hooks-allowlist.json', 'protected', 'belongs to Herma itself'],
    ['.herma/agent-hooks/new.sh', 'protected', 'belongs to Herma itself'],
    ['.herma/plugins/p/index.ts', 'protected', 'belongs to Herma itself'],
    ['way/hooks/x/HOOK.yaml', 'protected', 'belongs to Herma itself'],
    ['.herma/Approvals.JSON', 'protected', 'belongs to Herma itself'],
    ['.herma/logs/herma.log', 'protected', 'belongs to Herma itself'],
    ['.herma/whatever-comes-later', 'protected', 'belongs to Herma itself'],
  ])('refuses %j and leaves everything as it was', async (path, errorType, message) => {
    mkdirSync(join(folder, '.herma'));
    writeFileSync(join(folder, 'file'), 'content');
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('/dev/null', join(folder, 'device'));
    symlinkSync('.herma', join(folder, 'way'));
    const before = namesIn(folder);
    const report = await write(path, 'x');
    expect(report).toMatchObject({ status: 'error', errorType, text: expect.stringContaining(message) });
    expect(namesIn(folder)).toEqual(before);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('content');
  });

  it('protects a home that is behind a link itself', async () => {
    mkdirSync(join(folder, 'real-home'));
    symlinkSync('real-home', join(folder, '.herma'));
    expect(await write('real-home/config.yaml', 'x')).toMatchObject({
      status: 'error',
      errorType: 'protected',
    });
    expect(await write('real-home-2/config.yaml', 'x')).toMatchObject({ status: 'ok' });
  });

  it('writes a new file in the place of a name that a protected file has elsewhere', async () => {
    mkdirSync(join(folder, '.herma'));
    writeFileSync(join(folder, '.herma', 'config.yaml'), 'kept');
    linkSync(join(folder, '.herma', 'config.yaml'), join(folder, 'hard-link'));
    expect(await write('hard-link', 'x')).toMatchObject({ status: 'ok' });
    expect(readFileSync(join(folder, '.herma', 'config.yaml'), 'utf8')).toBe('kept');
  });

  it('looks where a path leads when its turn has come, not before', async () => {
    mkdirSync(join(folder, '.herma'));
    mkdirSync(join(folder, 'sub'));
    const entered = Promise.withResolvers<void>();
    const turn = Promise.withResolvers<void>();
    const files: FileStore = {
      ...diskFiles,
      exclusively: async (work) => {
        entered.resolve();
        await turn.promise;
        return work();
      },
    };
    const pending = write('sub/config.yaml', 'x', files);
    await entered.promise;
    rmSync(join(folder, 'sub'), { recursive: true });
    symlinkSync('.herma', join(folder, 'sub'));
    turn.resolve();
    expect(await pending).toMatchObject({ status: 'error', errorType: 'protected' });
  });

  it('leaves no folders behind when the disk is full', async () => {
    const files: FileStore = {
      ...diskFiles,
      write: (path) =>
        Promise.resolve(
          describeFileError(Object.assign(new Error('full'), { code: 'ENOSPC' }), path, 'write'),
        ),
    };
    expect(await write('a/b/c', 'x', files)).toMatchObject({ status: 'error', errorType: 'disk_full' });
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });
});

describe('what write_file foresees', () => {
  const tool = (): ReturnType<typeof createWriteFileTool> =>
    createWriteFileTool({ home: join(folder, 'home'), isProtected: protectHome(join(folder, '.herma')) });

  it('is the file it writes to, with the content, and changes nothing', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    const args = { path: 'link/a/b.txt', content: 'text' };
    expect(await tool().foresee?.({ args, cwd: folder })).toEqual([
      { path: join(folder, 'real/a/b.txt'), after: { content: 'text' } },
    ]);
    expect(namesIn(folder)).toEqual(['link', 'real']);
    await callTool(tool(), args, { cwd: folder });
    expect(readFileSync(join(folder, 'real/a/b.txt'), 'utf8')).toBe('text');
  });

  it.each([
    { path: 'a' },
    { content: 'x' },
    { path: '', content: 'x' },
    { path: '.herma/config.yaml', content: 'x' },
    { path: '/dev/null', content: 'x' },
  ])('is nothing for a call that will be refused: %j', async (args) => {
    expect(await tool().foresee?.({ args, cwd: folder })).toEqual([]);
  });
});
