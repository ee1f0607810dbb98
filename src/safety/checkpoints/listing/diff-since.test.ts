import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFileName, fileSystemPath } from '../../../platform/paths/index.ts';
import type { OpenRecord } from '../model/record.ts';
import { type DiffReport, type DiffRequest, diffSince } from './diff-since.ts';
import { groupEntries } from './entries.ts';
import { FakeProject } from './fake-project.ts';

function entryOf(project: FakeProject, open: OpenRecord) {
  const entry = groupEntries(project.records).find(({ id }) => id === open.id);
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

function diff(project: FakeProject, open: OpenRecord, options: Partial<DiffRequest> = {}): DiffReport {
  const { records, now } = project;
  return diffSince(project, { entry: entryOf(project, open), records, now, ...options });
}

function statuses(report: DiffReport): readonly string[] {
  return report.files.map(({ path, status }) => `${status} ${path}`);
}

type Item =
  | { readonly kind: 'file'; readonly text: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string };

const text = fc
  .tuple(
    fc.array(
      fc.constantFrom(
        'a\n',
        'b\n',
        '\n',
        'c\r\n',
        '--- x\n',
        '+++ y\n',
        '@@ -1 +1 @@\n',
        'ü 📸\n',
        '\\ \n',
        '# n\n',
        'diff --git a/x b/x\n',
      ),
      {
        maxLength: 30,
      },
    ),
    fc.constantFrom('', '', 'end', 'end\r', 'a'),
  )
  .map(([lines, end]) => lines.join('') + end);
const item = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('file' as const), text, mode: fc.constantFrom(0o644, 0o755) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      target: fc.constantFrom('a', 'b c', '../ü', 'x\ny'),
    }),
  },
);
const name = fc
  .oneof(
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.constantFrom(
          'a',
          'b',
          ' ',
          '"',
          '\\',
          '\t',
          '\n',
          '\x01',
          '\x7f',
          'é',
          '日',
          '\u{202e}',
          '\u{200d}',
          '\u{feff}',
          '📸',
          '\u{dcff}',
          '\u{dc80}',
          '.',
          '-',
          '#',
          '*',
          ':',
          '~',
          "'",
          '\u{a0}',
        ),
        minLength: 1,
        maxLength: 8,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'a b',
        ' b',
        'x b',
        '-rf',
        ':(top)x',
        'dev',
        'null',
        '$x',
        '{a,b}',
        'con',
        'x\u{2028}y',
      ),
    },
  )
  .filter((part) => part !== '.' && part !== '..' && part.toLowerCase() !== '.git')
  .filter((part) => decodeFileName(Buffer.from(fileSystemPath(part))) === part);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const tree = fc.uniqueArray(fc.tuple(path, fc.option(item), fc.option(item)), {
  selector: ([one]) => one,
  minLength: 1,
  maxLength: 6,
});

function put(folder: string, file: string, content: Item): void {
  const place = fileSystemPath(`${folder}/${file}`);
  mkdirSync(fileSystemPath(dirname(`${folder}/${file}`)), { recursive: true });
  if (content.kind === 'link') symlinkSync(content.target, place);
  else {
    writeFileSync(place, content.text);
    chmodSync(place, content.mode);
  }
}

function found(folder: string, prefix = ''): readonly (readonly [string, Item])[] {
  return readdirSync(fileSystemPath(`${folder}/${prefix}`), { encoding: 'buffer' }).flatMap((bytes) => {
    const relative = `${prefix}${decodeFileName(bytes)}`;
    const place = fileSystemPath(`${folder}/${relative}`);
    const stat = lstatSync(place);
    if (stat.isDirectory()) return found(folder, `${relative}/`);
    const content: Item = stat.isSymbolicLink()
      ? { kind: 'link', target: readlinkSync(place) }
      : { kind: 'file', text: readFileSync(place, 'utf8'), mode: stat.mode & 0o777 };
    return [[relative, content] as const];
  });
}

/** Whether one of the paths is a folder of another. */
function nested(paths: readonly string[]): boolean {
  return paths.some((one) => paths.some((other) => other.startsWith(`${one}/`)));
}

describe('the patch of diffSince', () => {
  it('gives the new tree when git applies it to the old one', () => {
    const base = mkdtempSync(join(tmpdir(), 'apply-'));
    let run = 0;
    fc.assert(
      fc.property(tree, (paths) => {
        const before = paths.flatMap(([file, content]) =>
          content === null ? [] : [[file, content] as const],
        );
        const after = paths.flatMap(([file, , content]) =>
          content === null ? [] : [[file, content] as const],
        );
        fc.pre(!nested(before.map(([file]) => file)) && !nested(after.map(([file]) => file)));
        // git itself does not follow a link that has become a folder, or the other way round, in one patch.
        fc.pre(
          !nested(paths.map(([file]) => file)) ||
            [...before, ...after].every(([, { kind }]) => kind === 'file'),
        );
        const project = new FakeProject();
        const set = (items: readonly (readonly [string, Item])[]): void => {
          project.tree.clear();
          for (const [file, content] of items)
            project.tree.set(
              file,
              content.kind === 'link'
                ? project.link(content.target)
                : project.file(content.text, content.mode),
            );
        };
        set(before);
        const open = project.call({ turn: 't1', isScanned: true }, () => set(after));
        const { patch, isCut } = diff(project, open);
        run += 1;
        const folder = join(base, String(run));
        mkdirSync(folder);
        for (const [file, content] of before) put(folder, file, content);
        const git = spawnSync('git', ['apply', '--allow-empty', '--whitespace=nowarn', '-'], {
          cwd: folder,
          input: patch,
          env: { ...process.env, GIT_CEILING_DIRECTORIES: base, LC_ALL: 'C' },
        });
        expect(git.stderr.toString()).toBe('');
        expect(new Map(found(folder))).toEqual(new Map(after));
        expect(isCut).toBe(false);
      }),
      { numRuns: 250 },
    );
  });

  it('has the form that git gives it', () => {
    const project = new FakeProject();
    project.write('dir/a b.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9');
    project.write('gone', 'x\n');
    project.write('run.sh', 'x\n');
    project.write('image', 'a\0b');
    const open = project.call({ turn: 't1', isScanned: true }, () => {
      project.write('dir/a b.txt', '1\n2\n3\n4\nfive\n6\n7\n8\n9');
      project.tree.delete('gone');
      project.write('run.sh', 'x\n', 0o755);
      project.write('image', 'a\0c');
      project.write('quote".txt', 'new');
      project.write('empty', '');
    });
    expect(diff(project, open).patch).toBe(
      [
        'diff --git a/dir/a b.txt b/dir/a b.txt',
        'index 83b2a16..f563de5 100644',
        '--- a/dir/a b.txt\t',
        '+++ b/dir/a b.txt\t',
        '@@ -2,7 +2,7 @@',
        ' 2',
        ' 3',
        ' 4',
        '-5',
        '+five',
        ' 6',
        ' 7',
        ' 8',
        'diff --git a/empty b/empty',
        'new file mode 100644',
        'index 0000000..e69de29',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        'index 587be6b..0000000',
        '--- a/gone',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        'diff --git a/image b/image',
        'index 20b5be9..88f3700 100644',
        'Binary files a/image and b/image differ',
        'diff --git "a/quote\\".txt" "b/quote\\".txt"',
        'new file mode 100644',
        'index 0000000..3e5126c',
        '--- /dev/null',
        '+++ "b/quote\\".txt"',
        '@@ -0,0 +1 @@',
        '+new',
        '\\ No newline at end of file',
        'diff --git a/run.sh b/run.sh',
        'old mode 100644',
        'new mode 100755',
        '',
      ].join('\n'),
    );
  });

  it('tells in a remark what git has no form for', () => {
    const project = new FakeProject();
    project.write('secret', 'x\n', 0o600);
    project.tree.set('d', { kind: 'directory', mode: 0o755 });
    project.tree.set('old', { kind: 'directory', mode: 0o755 });
    const open = project.call({ turn: 't1', isScanned: true }, () => {
      project.write('secret', 'x\n', 0o644);
      project.tree.set('d', { kind: 'directory', mode: 0o700 });
      project.tree.delete('old');
      project.tree.set('new', { kind: 'directory', mode: 0o755 });
    });
    const report = diff(project, open);
    expect(report.patch.split('\n')).toEqual([
      '# permissions of the folder d: 0755 -> 0700',
      '# the folder new was created',
      '# the folder old was deleted',
      '# permissions of secret: 0600 -> 0644',
      '',
    ]);
    expect(statuses(report)).toEqual(['mode d', 'created new', 'deleted old', 'mode secret']);
  });

  it('is cut after so many lines; the files are all listed', () => {
    const project = new FakeProject();
    const open = project.call({ turn: 't1', isScanned: true }, () => {
      project.write('a', 'x\n'.repeat(100));
      project.write('b', 'x\n'.repeat(100));
    });
    const report = diff(project, open, { maxLines: 20 });
    expect(report.isCut).toBe(true);
    expect(report.patch.trimEnd().split('\n')).toHaveLength(20);
    expect(report.files.map(({ insertions }) => insertions)).toEqual([100, 100]);
    expect(diff(project, open, { maxLines: 1000 }).isCut).toBe(false);
  });
});

describe('diffSince', () => {
  it('compares what named calls found with what is there', () => {
    const project = new FakeProject();
    project.write('a', '1\n');
    const first = project.call({ turn: 't1', named: ['a'] }, () => project.write('a', '2\n'));
    const second = project.call({ turn: 't2', named: ['a', 'b'] }, () => {
      project.write('a', '3\n');
      project.write('b', 'new\n');
    });
    project.write('untold', 'of the person\n');
    expect(diff(project, first).files).toEqual([
      { path: 'a', status: 'modified', insertions: 1, deletions: 1, binary: false },
      { path: 'b', status: 'created', insertions: 1, deletions: 0, binary: false },
    ]);
    expect(diff(project, first).patch).toContain('-1\n+3\n');
    expect(diff(project, second).patch).toContain('-2\n+3\n');
  });

  it('does not scan for a checkpoint without a snapshot', () => {
    const project = new FakeProject();
    const open = project.call({ turn: 't1', named: ['a'] }, () => project.write('a', '2\n'));
    project.call({ turn: 't2', isScanned: true }, () => project.write('b', '2\n'));
    const now = {
      ...project.now,
      scanNow: () => {
        throw new Error('scanned');
      },
    };
    expect(statuses(diff(project, open, { now }))).toEqual(['created a', 'created b']);
  });

  it('shows what a person changed too when there is a snapshot', () => {
    const project = new FakeProject();
    project.write('a', '1\n');
    const open = project.call({ turn: 't1', isScanned: true }, () => project.write('b', '1\n'));
    project.write('a', 'mine\n');
    expect(statuses(diff(project, open))).toEqual(['modified a', 'created b']);
  });

  it('knows from the snapshot what a later call names, and from the call what no snapshot covers', () => {
    const project = new FakeProject();
    project.holes.push({ path: '.env', reason: 'ignored' });
    project.write('a', '1\n');
    project.write('.env', 'KEY=1\n');
    const open = project.call({ turn: 't1', isScanned: true }, () => undefined);
    project.write('a', 'by the person\n');
    project.call({ turn: 't2', named: ['a', '.env'] }, () => {
      project.write('a', '3\n');
      project.write('.env', 'KEY=2\n');
    });
    const report = diff(project, open);
    expect(report.patch).toContain('-1\n+3\n');
    expect(report.patch).toContain('-KEY=1\n+KEY=2\n');
    expect(report.holes).toEqual([{ path: '.env', reason: 'ignored' }]);
  });

  it('works without a scan of the present where none can be made', () => {
    const project = new FakeProject();
    project.write('a', '1\n');
    const open = project.call({ turn: 't1', isScanned: true }, () => project.write('a', '2\n'));
    project.write('b', 'mine\n');
    const now = { ...project.now, scanNow: () => undefined };
    expect(statuses(diff(project, open, { now }))).toEqual(['modified a']);
  });

  it('takes what was last known where only a call that was running concerns a path', () => {
    const project = new FakeProject();
    project.write('a', '0\n');
    const long = project.open({ turn: 't0', named: ['a'] });
    project.call({ turn: 't1', named: ['a'] }, () => project.write('a', '1\n'));
    const open = project.call({ turn: 't2', named: ['b'] }, () => project.write('b', '1\n'));
    project.write('a', '2\n');
    project.close(long);
    expect(diff(project, open).patch).toContain('-1\n+2\n');
  });

  it('says nothing of what calls before it did, even one that was never closed', () => {
    const project = new FakeProject();
    project.write('a', '0\n');
    project.open({ turn: 't0', named: ['a'] });
    project.write('a', '1\n');
    const open = project.call({ turn: 't2', named: ['b'] }, () => project.write('b', '1\n'));
    expect(statuses(diff(project, open))).toEqual(['created b']);
  });

  it('shows nothing where everything is as it was', () => {
    const project = new FakeProject();
    const open = project.call({ turn: 't1', named: ['a'], isScanned: true }, () => project.write('a', '1\n'));
    project.tree.delete('a');
    expect(diff(project, open)).toEqual({ id: open.id, files: [], holes: [], patch: '', isCut: false });
  });

  it('takes only the paths it is asked for, literally', () => {
    const project = new FakeProject();
    const open = project.call({ turn: 't1', isScanned: true, named: ['*'] }, () => {
      for (const file of ['*', 'x', 'dir/a', 'dir/b', 'directory']) project.write(file, `${file}\n`);
    });
    expect(statuses(diff(project, open, { paths: ['*'] }))).toEqual(['created *']);
    expect(statuses(diff(project, open, { paths: ['dir'] }))).toEqual(['created dir/a', 'created dir/b']);
    expect(statuses(diff(project, open, { paths: ['gone', '__proto__'] }))).toEqual([]);
    expect(statuses(diff(project, open, { paths: [''] }))).toHaveLength(5);
  });

  it('lists what is different and not known as a hole', () => {
    const project = new FakeProject();
    project.write('a', '1\n');
    const open = project.call({ turn: 't1', isScanned: true }, () => undefined);
    project.tree.set('a', { kind: 'hole', reason: 'too_large' });
    expect(diff(project, open)).toMatchObject({ files: [], holes: [{ path: 'a', reason: 'too_large' }] });
  });

  it('says so where the content of a checkpoint is lost', () => {
    const project = new FakeProject();
    project.write('.env', '1\n');
    const open = project.call({ turn: 't1', named: ['.env'] }, () => project.write('.env', '2\n'));
    const before = open.named[0]?.state;
    if (before !== undefined && 'oid' in before) project.lose(before.oid);
    const report = diff(project, open);
    expect(statuses(report)).toEqual(['modified .env']);
    expect(report.holes).toEqual([{ path: '.env', reason: 'unreadable' }]);
    expect(report.patch).toContain('# the content of .env is not kept any more\n');
  });

  it.each<[string, 'file' | 'link' | 'directory', 'file' | 'link' | 'directory']>([
    ['a file that became a link', 'file', 'link'],
    ['a link that became a file', 'link', 'file'],
    ['a file that became a folder', 'file', 'directory'],
    ['a folder that became a link', 'directory', 'link'],
  ])('calls %s a change of type', (_, one, other) => {
    const project = new FakeProject();
    const of = (kind: 'file' | 'link' | 'directory') => {
      if (kind === 'directory') return { kind, mode: 0o755 } as const;
      return kind === 'file' ? project.file('x\n') : project.link('x');
    };
    project.tree.set('p', of(one));
    const open = project.call({ turn: 't1', isScanned: true }, () => project.tree.set('p', of(other)));
    expect(statuses(diff(project, open))).toEqual(['type p']);
  });

  it('leaves out folders that come and go with their files', () => {
    const project = new FakeProject();
    project.tree.set('old', { kind: 'directory', mode: 0o755 });
    project.write('old/a', '1\n');
    const open = project.call({ turn: 't1', isScanned: true }, () => {
      project.tree.clear();
      project.tree.set('new', { kind: 'directory', mode: 0o755 });
      project.tree.set('new/sub', { kind: 'directory', mode: 0o755 });
      project.write('new/sub/b', '1\n');
    });
    expect(statuses(diff(project, open))).toEqual(['created new/sub/b', 'deleted old/a']);
  });

  it('copes with ten thousand changes', () => {
    const project = new FakeProject();
    for (let index = 0; index < 10_000; index += 1) project.write(`d/${String(index)}`, `${String(index)}\n`);
    const open = project.call({ turn: 't1', isScanned: true }, () => {
      for (let index = 0; index < 10_000; index += 1)
        project.write(`d/${String(index)}`, `new ${String(index)}\n`);
    });
    expect(diff(project, open).files).toHaveLength(10_000);
  });
});
