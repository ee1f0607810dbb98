import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import type { JsonObject } from '../../../kernel/json/index.ts';
import { pathsOfCall } from '../../../kernel/tool-call/index.ts';
import { describeFileError } from '../../../platform/files/index.ts';
import { diskFiles, type FileStore } from '../files/file-store.ts';
import { protectHome } from '../files/protect-home.ts';
import { callTool } from '../tool-bench.ts';
import { createPatchTool } from './patch-tool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patch-'));
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

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** Every file below the folder with its content. */
function snapshot(): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => [name, statSync(join(folder, name)).isFile() ? read(name) : '/']),
  );
}

function patch(args: JsonObject, files: FileStore = diskFiles): Promise<CallReport> {
  const tool = createPatchTool({
    home: join(folder, 'home'),
    isProtected: protectHome(join(folder, '.herma')),
    files,
  });
  return callTool(tool, args, { cwd: folder });
}

function v4a(...lines: readonly string[]): JsonObject {
  return { mode: 'patch', patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') };
}

describe('patch in mode replace', () => {
  it('changes the one place and says what it did', async () => {
    plant({ 'a.txt': 'one\ntwo\nthree\n' });
    const report = await patch({ path: 'a.txt', old_string: 'two', new_string: 'TWO\n2' });
    expect(report).toMatchObject({ status: 'ok' });
    expect(JSON.parse(report.text)).toEqual({
      files: [{ path: 'a.txt', action: 'updated', lines_added: 2, lines_removed: 1, replacements: 1 }],
    });
    expect(read('a.txt')).toBe('one\nTWO\n2\nthree\n');
  });

  it('keeps mode, line endings, the missing newline at the end, and the link it goes through', async () => {
    plant({ 'real/a.sh': 'x\r\ny' });
    chmodSync(join(folder, 'real/a.sh'), 0o751);
    symlinkSync('real/a.sh', join(folder, 'link'));
    expect(await patch({ path: 'link', old_string: 'x\ny', new_string: 'x\nz' })).toMatchObject({
      status: 'ok',
    });
    expect(read('real/a.sh')).toBe('x\r\nz');
    expect(statSync(join(folder, 'real/a.sh')).mode & 0o777).toBe(0o751);
    expect(readdirSync(folder).sort()).toEqual(['link', 'real']);
  });

  it('creates a file, with its folders, when old_string is empty', async () => {
    const report = await patch({ path: 'new/dir/a.txt', old_string: '', new_string: 'hello\n' });
    expect(JSON.parse(report.text)).toMatchObject({ files: [{ action: 'added', lines_added: 1 }] });
    expect(read('new/dir/a.txt')).toBe('hello\n');
    plant({ empty: '' });
    expect(await patch({ path: 'empty', old_string: '', new_string: 'x' })).toMatchObject({ status: 'ok' });
    expect(read('empty')).toBe('x');
  });

  it.each([
    [{ path: 'a.txt', old_string: '', new_string: 'x' }, 'already_exists', 'a.txt is not empty'],
    [{ path: 'a.txt', old_string: 'one', new_string: 'one' }, 'no_change', 'are the same'],
    [{ path: 'a.txt', old_string: 'o', new_string: 'x' }, 'ambiguous', '2 times: at lines 1, 2'],
    [{ path: 'a.txt', old_string: 'ome', new_string: 'x' }, 'not_found', 'old_string is not in a.txt'],
    [{ path: 'a.tx', old_string: 'x', new_string: 'y' }, 'not_found', 'Did you mean'],
    [
      { path: 'a.txt', old_string: 'x' },
      'bad_arguments',
      'needs the arguments "path", "old_string" and "new_string"',
    ],
    [{ mode: 'patch' }, 'bad_arguments', 'needs the argument "patch"'],
    [{}, 'bad_arguments', 'needs the arguments'],
    [{ path: '', old_string: 'x', new_string: 'y' }, 'invalid_path', 'The path is empty'],
    [{ path: 'a\0b', old_string: '', new_string: 'y' }, 'unresolvable', 'NUL'],
    [{ path: '.', old_string: 'x', new_string: 'y' }, 'not_a_file', '. is a folder'],
    [{ path: 'a.txt/b', old_string: '', new_string: 'y' }, 'unresolvable', 'not a folder'],
    [
      { path: '/dev/null', old_string: '', new_string: 'y' },
      'not_a_file',
      '/dev, which holds no ordinary files',
    ],
    [{ path: 'fifo', old_string: 'x', new_string: 'y' }, 'not_a_file', 'fifo'],
    [{ path: 'bin', old_string: 'x', new_string: 'y' }, 'binary', 'bin is binary'],
    [{ path: 'latin1', old_string: 'x', new_string: 'y' }, 'not_utf8', 'latin1 is not valid UTF-8'],
    [{ path: '.herma/config.yaml', old_string: '', new_string: 'y' }, 'protected', 'belongs to Herma itself'],
    [{ path: 'way/config.yaml', old_string: '', new_string: 'y' }, 'protected', 'belongs to Herma itself'],
    [
      { path: '.herma/hooks/x/handler.ts', old_string: '', new_string: 'y' },
      'protected',
      'belongs to Herma itself',
    ],
  ])('refuses %j and changes nothing', async (args, errorType, message) => {
    plant({
      'a.txt': 'one\ntwo\n',
      bin: 'x\0y',
      latin1: Uint8Array.of(0x78, 0xe9),
      '.herma/skills/note': '',
    });
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    symlinkSync('.herma', join(folder, 'way'));
    const before = snapshot();
    const report = await patch(args);
    expect(report).toMatchObject({ status: 'error', errorType, text: expect.stringContaining(message) });
    expect(snapshot()).toEqual(before);
  });

  it('does not lose one of two changes of a file that are made side by side', async () => {
    plant({ a: Array.from({ length: 20 }, (_, index) => `<${String(index)}>\n`).join('') });
    const reports = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        patch({ path: 'a', old_string: `<${String(index)}>`, new_string: `done ${String(index)}` }),
      ),
    );
    expect(reports.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'ok'));
    expect(read('a')).not.toContain('<');
  });
});

describe('patch in mode patch', () => {
  it('adds, updates, moves and deletes in one call', async () => {
    plant({ 'a.txt': 'one\ntwo\n', 'old.sh': 'x\n', 'gone.txt': 'g\n' });
    chmodSync(join(folder, 'old.sh'), 0o755);
    const report = await patch(
      v4a(
        '*** Add File: deep/new.txt',
        '+hello',
        '*** Update File: a.txt',
        '-one',
        '+ONE',
        '*** Update File: old.sh',
        '*** Move to: bin/new.sh',
        '*** Delete File: gone.txt',
      ),
    );
    expect(report).toMatchObject({ status: 'ok' });
    expect(JSON.parse(report.text)).toEqual({
      files: [
        { path: 'deep/new.txt', action: 'added', lines_added: 1, lines_removed: 0 },
        { path: 'a.txt', action: 'updated', lines_added: 1, lines_removed: 1 },
        { path: 'old.sh', action: 'moved', moved_to: 'bin/new.sh', lines_added: 0, lines_removed: 0 },
        { path: 'gone.txt', action: 'deleted', lines_added: 0, lines_removed: 1 },
      ],
    });
    expect(snapshot()).toEqual({
      'a.txt': 'ONE\ntwo\n',
      bin: '/',
      'bin/new.sh': 'x\n',
      deep: '/',
      'deep/new.txt': 'hello\n',
    });
    expect(statSync(join(folder, 'bin/new.sh')).mode & 0o111).toBe(0o111);
  });

  it('lets later parts see what earlier ones did, under any name of the file', async () => {
    plant({ a: '1\n2\n' });
    symlinkSync('a', join(folder, 'link'));
    const report = await patch(
      v4a(
        '*** Update File: a',
        '-1',
        '+one',
        '*** Update File: link',
        ' one',
        '-2',
        '+two',
        '*** Update File: ./a',
        ' two',
        '+three',
      ),
    );
    expect(report).toMatchObject({ status: 'ok' });
    expect(read('a')).toBe('one\ntwo\nthree\n');
    expect(await patch(v4a('*** Delete File: a', '*** Add File: a', '+new'))).toMatchObject({ status: 'ok' });
    expect(read('a')).toBe('new\n');
  });

  it.each([
    [
      ['*** Update File: a', '-1', '+x', '*** Update File: b', '-nope'],
      'not_found',
      'The hunk at line 6 of the patch, for b,',
    ],
    [
      ['*** Update File: a', '-1', '+x', '*** Update File: missing', '-1'],
      'not_found',
      'at line 5: There is no missing',
    ],
    [['*** Add File: new/x', '+1', '*** Add File: b', '+1'], 'already_exists', 'at line 4: b exists already'],
    [['*** Delete File: a', '*** Delete File: nope'], 'not_found', 'at line 3: There is no nope'],
    [['*** Delete File: a', '*** Update File: a', '-1'], 'not_found', 'at line 3: There is no a'],
    [['*** Update File: a', '*** Move to: b', '-1', '+x'], 'already_exists', 'at line 2: b exists already'],
    [['*** Update File: a', '*** Move to: .herma/config.yaml'], 'protected', 'belongs to Herma itself'],
    [['*** Delete File: .herma/approvals.json'], 'protected', 'belongs to Herma itself'],
    [['*** Delete File: link'], 'is_link', 'link is a symbolic link'],
    [['*** Delete File: folder'], 'not_a_file', 'folder is a folder'],
    [['*** Delete File: a', 'junk'], 'bad_patch', 'line 3: the header of a file is missing, found "junk"'],
    [['*** Add File: /proc/x', '+1'], 'not_a_file', '/proc'],
  ])('changes nothing when one part does not fit: %j', async (lines, errorType, message) => {
    plant({ a: '1\n', b: '2\n', 'folder/c': '3\n', '.herma/approvals.json': '{}' });
    symlinkSync('a', join(folder, 'link'));
    const before = snapshot();
    const report = await patch(v4a(...lines));
    expect(report).toMatchObject({ status: 'error', errorType, text: expect.stringContaining(message) });
    expect(snapshot()).toEqual(before);
  });

  it.each([
    ['stage', 1],
    ['stage', 2],
    ['commit', 1],
    ['commit', 2],
    ['remove', 1],
  ] as const)('puts everything back when %s fails at change %d', async (step, failAt) => {
    plant({ a: '1\n', b: '2\n', c: '3\n' });
    chmodSync(join(folder, 'a'), 0o640);
    const before = snapshot();
    const report = await patch(
      v4a(
        '*** Update File: a',
        '-1',
        '+one',
        '*** Add File: new/dir/d',
        '+4',
        '*** Update File: b',
        '-2',
        '+two',
        '*** Delete File: c',
      ),
      failing(step, failAt),
    );
    expect(report).toMatchObject({ status: 'error', errorType: 'disk_full' });
    expect(report.text).toContain('the disk is full. Nothing was changed.');
    expect(snapshot()).toEqual(before);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o640);
  });

  it('names the files that cannot be put back', async () => {
    plant({ a: '1\n', b: '2\n' });
    const files: FileStore = { ...failing('commit', 1), write: (path) => Promise.resolve(diskFull(path)) };
    const report = await patch(
      v4a('*** Update File: a', '-1', '+x', '*** Update File: b', '-2', '+x'),
      files,
    );
    expect(report.text).toContain(`could not be put back: ${join(folder, 'a')} (cannot write`);
  });

  it('names every path of the patch to the guards', () => {
    const tool = createPatchTool({ home: folder, isProtected: () => undefined });
    const args = v4a(
      '*** Update File: a',
      '*** Move to: b',
      '*** Delete File: ../c',
      '*** Add File: ~/d',
      '+x',
    );
    expect(pathsOfCall(tool, args)).toEqual(['a', 'b', '../c', '~/d']);
    expect(pathsOfCall(tool, { patch: args['patch'] ?? '' })).toEqual(['a', 'b', '../c', '~/d']);
    expect(pathsOfCall(tool, { path: 'x', old_string: '', new_string: '' })).toEqual(['x']);
  });

  it('takes a patch of five megabytes', async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line number ${String(index)}`);
    plant({ big: `${lines.join('\n')}\n` });
    const removed = lines.map((line) => `-${line}`).join('\n');
    const report = await patch(v4a('*** Update File: big', removed, '+all gone'));
    expect(report).toMatchObject({ status: 'ok' });
    expect(read('big')).toBe('all gone\n');
    expect(existsSync(join(folder, 'big'))).toBe(true);
  });
});

function diskFull(path: string): ReturnType<typeof describeFileError> {
  return describeFileError(Object.assign(new Error('full'), { code: 'ENOSPC' }), path, 'write');
}

/** The disk, on which one step fails: that many of its kind succeed before. */
function failing(step: 'stage' | 'commit' | 'remove', failAt: number): FileStore {
  let count = 0;
  const fails = (kind: typeof step): boolean => {
    if (kind !== step) return false;
    count += 1;
    return count > failAt;
  };
  return {
    ...diskFiles,
    stage: async (path, data, options) => {
      if (fails('stage')) return diskFull(path);
      const staged = await diskFiles.stage(path, data, options);
      if (!staged.ok) return staged;
      const commit = async (): ReturnType<typeof staged.value.commit> => {
        if (!fails('commit')) return staged.value.commit();
        await staged.value.discard();
        return diskFull(path);
      };
      return { ok: true, value: { ...staged.value, commit } };
    },
    remove: (path) =>
      step === 'remove' && path.endsWith('c') ? Promise.resolve(diskFull(path)) : diskFiles.remove(path),
  };
}

describe('what patch foresees', () => {
  const tool = (): ReturnType<typeof createPatchTool> =>
    createPatchTool({ home: join(folder, 'home'), isProtected: protectHome(join(folder, '.herma')) });
  const body = [
    '*** Begin Patch',
    '*** Update File: a.txt',
    '*** Move to: moved.txt',
    ' one',
    '-two',
    '+2',
    '*** Add File: new.txt',
    '+new',
    '*** Delete File: old.txt',
    '*** End Patch',
  ].join('\n');

  it('is every file it leaves, as it leaves it, and nothing is changed yet', async () => {
    plant({ 'a.txt': 'one\ntwo\n', 'old.txt': 'x' });
    const before = snapshot();
    const foreseen = (await tool().foresee?.({ args: { patch: body }, cwd: folder })) ?? [];
    expect(snapshot()).toEqual(before);
    expect(await patch({ patch: body })).toMatchObject({ status: 'ok' });
    expect(foreseen).toHaveLength(4);
    for (const { path, after } of foreseen) {
      if (after === 'absent') expect(existsSync(path)).toBe(false);
      else expect(readFileSync(path, 'utf8')).toBe(after.content);
    }
  });

  it('is the one file of a replacement', async () => {
    plant({ 'a.txt': 'one\r\ntwo\r\n' });
    const args = { path: 'a.txt', old_string: 'two', new_string: '2' };
    expect(await tool().foresee?.({ args, cwd: folder })).toEqual([
      { path: join(folder, 'a.txt'), after: { content: 'one\r\n2\r\n' } },
    ]);
  });

  it.each([
    {},
    { patch: 'no patch' },
    { path: 'a.txt', old_string: 'not there', new_string: 'x' },
    { path: '.herma/x', old_string: '', new_string: 'x' },
  ])('is nothing for a call that will fail: %j', async (args) => {
    plant({ 'a.txt': 'one\n' });
    expect(await tool().foresee?.({ args, cwd: folder })).toEqual([]);
  });
});
