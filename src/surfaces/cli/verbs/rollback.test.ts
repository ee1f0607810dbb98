import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fail, succeed } from '../../../kernel/errors/index.ts';
import type {
  CheckpointDiff,
  CheckpointStore,
  RestoreOptions,
  RestoreTarget,
} from '../../../safety/checkpoints/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';
import {
  type FakeOpening,
  ID_1,
  ID_2,
  LIST,
  listed,
  OWNER,
  report,
  runWith,
} from '../rollback/fake-checkpoints.ts';
import { rollbackVerb } from './rollback.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});

async function rollback(
  argv: readonly string[],
  store: Partial<CheckpointStore>,
  more: Partial<FakeHostOptions> & FakeOpening = {},
): ReturnType<typeof runOn> {
  return runWith(store, rollbackVerb, { home, workingDirectory: '/work/a', argv, ...more });
}

const listing = (list = LIST): Partial<CheckpointStore> => ({ list: async () => Promise.resolve(list) });

/** A store whose restores are kept, and answered in turn. */
function restoring(...reports: readonly ReturnType<typeof report>[]): {
  readonly store: Partial<CheckpointStore>;
  readonly asked: [string, RestoreTarget, RestoreOptions][];
} {
  const asked: [string, RestoreTarget, RestoreOptions][] = [];
  const restore: CheckpointStore['restore'] = async (directory, target, options = {}) => {
    asked.push([directory, target, options]);
    return Promise.resolve(reports[asked.length - 1] ?? report({ ok: false }));
  };
  return { store: { restore }, asked };
}

describe('herma rollback, the list', () => {
  it('has the form of the issue', async () => {
    const { code, stdout, stderr } = await rollback([], listing());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      '📸 Checkpoints for /path/to/project:',
      '',
      '  1. 4270a8c  2026-03-16 04:36  before patch  (1 file, +1/-0)',
      '  2. eaf4c1f  2026-03-16 04:35  before write_file',
      '  3. b3f9d2e  2026-03-16 04:34  before terminal: sed -i s/old/new/ config.py  (1 file, +1/-1)',
      '',
      '  herma rollback <N>         restore to checkpoint N',
      '  herma rollback diff <N>    preview changes since checkpoint N',
      '  herma rollback <N> <file>  restore a single file from checkpoint N',
      '',
    ]);
  });

  it('is an array, newest first, with --json', async () => {
    const { code, stdout } = await rollback(['--json'], listing());
    expect(code).toBe(0);
    const entries: readonly object[] = JSON.parse(stdout);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toEqual({
      n: 1,
      id: ID_1,
      at: '2026-03-16T04:36:00.000Z',
      reason: 'before patch',
      call_id: 'c1',
      files: 1,
      insertions: 1,
      deletions: 0,
      holes: 0,
      kind: 'call',
      calls: 1,
      session_id: 's1',
      turn_id: 't1',
    });
  });

  it('is of the folder in hand, of --dir, and of every call where that is asked for', async () => {
    const asked: unknown[] = [];
    const list: CheckpointStore['list'] = async (...given) => {
      asked.push(given);
      return Promise.resolve(LIST);
    };
    await rollback([], { list });
    await rollback(['--dir', '../b', '--all-calls'], { list });
    const { workingDirectory: _, ...gone } = { workingDirectory: '', home };
    await runWith({ list }, rollbackVerb, { ...gone, argv: ['--dir', '/gone'] });
    expect(asked).toEqual([
      ['/work/a', { allCalls: false }],
      ['/work/b', { allCalls: true }],
      ['/gone', { allCalls: false }],
    ]);
  });

  it('says why it is empty, and where there is something, exit 4', async () => {
    const none = { ...LIST, entries: [] };
    const others = [{ workdir: '/work/b\u202e', snapshots: 3 }];
    expect(await rollback([], listing({ ...none, others }))).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'There are no checkpoints for /path/to/project.\nOne is taken before the next call that may change a file.\nProjects that have some (herma rollback --dir FOLDER):\n  /work/b\\u202e (3)\n',
    });
    const off = await rollback(['--json'], listing(none), { isEnabled: false });
    expect([off.code, off.stdout]).toEqual([4, '[]\n']);
    expect(off.stderr).toContain('Checkpoints are off. To switch them on: herma chat --checkpoints');
  });

  it('says what is wrong with the records, and what was left by a process that died', async () => {
    const { code, stderr } = await rollback([], {
      ...listing({ ...LIST, problems: ['record 3 is damaged\u001b[2J'] }),
      recover: async () => Promise.resolve(['a restore was finished']),
    });
    expect([code, stderr]).toEqual([0, 'a restore was finished\nrecord 3 is damaged\\x1b[2J\n']);
  });

  it('is cut to the terminal, and steers none', async () => {
    const entries = [
      listed({ reason: `before terminal: \u001b[2J\u202eecho ${'日'.repeat(90)}`, holes: 2, files: 2 }),
      listed({ n: 12, id: `4270a8c1111f${'0'.repeat(28)}` }),
    ];
    const { stdout } = await rollback([], listing({ ...LIST, entries }), {
      isTty: true,
      columns: 120,
      environment: { NO_COLOR: '1' },
    });
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    const lines = stdout.split('\n');
    expect(lines[2]).toMatch(
      /^ {3}1\. 4270a8c11111 {2}2026-03-16 04:36 {2}before terminal: \\u\{1b\}.*… {2}\(2 files, \+0\/-0\) {2}\[2 paths not captured\]$/,
    );
    expect(lines[3]).toBe('  12. 4270a8c1111f  2026-03-16 04:36  before patch');
  });

  it('is coloured on a terminal only', async () => {
    const environment = { TERM: 'xterm' };
    expect((await rollback([], listing(), { isTty: true, environment })).stdout).toMatch(/\u001b\[/);
    expect((await rollback([], listing(), { environment })).stdout).not.toMatch(/\u001b/);
  });
});

describe('herma rollback diff', () => {
  const patch = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\u001b[2J\n+new\n';
  const difference: CheckpointDiff = {
    id: ID_1,
    root: '/work/a',
    files: [{ path: 'a', status: 'modified', insertions: 1, deletions: 1, binary: false }],
    holes: [
      { path: 'node_modules', reason: 'ignored' },
      { path: 'a\nb', reason: 'too_large' },
    ],
    patch,
    isCut: false,
  };
  const diffing = (value: CheckpointDiff = difference): Partial<CheckpointStore> => ({
    diff: async () => Promise.resolve(succeed(value)),
  });

  it('prints the patch as it is into a pipe, and the holes beside it', async () => {
    expect(await rollback(['diff', '1'], diffing())).toEqual({
      code: 0,
      stdout: patch,
      stderr:
        '2 paths not captured, and never touched by a restore:\n  node_modules (ignored)\n  a\\nb (larger than checkpoints.max_file_size_mb)\n',
    });
  });

  it('colours it for a terminal, which it cannot steer', async () => {
    const { stdout } = await rollback(['diff', '1'], diffing(), {
      isTty: true,
      environment: { TERM: 'xterm' },
    });
    expect(stdout).toContain('\u001b[31m-old\\x1b[2J\u001b[39m\n\u001b[32m+new\u001b[39m\n');
    expect(stdout).toContain('\u001b[36m@@ -1 +1 @@');
  });

  it('takes files, and prints one document with --json', async () => {
    const asked: unknown[] = [];
    const diff: CheckpointStore['diff'] = async (...given) => {
      asked.push(given);
      return Promise.resolve(succeed(difference));
    };
    const { code, stdout, stderr } = await rollback(['diff', '4270a8c', 'my file', '--json'], { diff });
    expect([code, stderr]).toEqual([0, '']);
    expect(asked).toEqual([['/work/a', '4270a8c', { paths: ['my file'] }]]);
    const { isCut: _, root: __, ...document } = difference;
    expect(JSON.parse(stdout)).toEqual(document);
  });

  it('hides secrets, unless told otherwise', async () => {
    const secret = { ...difference, patch: `${patch}+token: ghp_${'a1B2'.repeat(9)}\n` };
    for (const more of [[], ['--json']]) {
      expect((await rollback(['diff', '1', ...more], diffing(secret))).stdout).not.toContain('ghp_');
      expect((await rollback(['diff', '1', ...more, '--raw'], diffing(secret))).stdout).toContain('ghp_');
    }
    expect(await rollback(['1', '--raw'], {})).toMatchObject({
      code: 2,
      stderr: 'herma: --raw is about what a difference shows; herma rollback diff N --raw\n',
    });
  });

  it('says what a hole without a name stands for', async () => {
    const holes = [{ path: '', reason: 'budget' }] as const;
    const { stderr, stdout } = await rollback(['diff', '1'], diffing({ ...difference, holes }));
    expect(stderr).toContain('  the rest of the project (beyond the number of files that are scanned)\n');
    expect(stdout).toBe(patch);
  });

  it('says that nothing is different, exit 0', async () => {
    expect(
      await rollback(['diff', '1'], diffing({ ...difference, files: [], holes: [], patch: '' })),
    ).toEqual({ code: 0, stdout: '', stderr: 'Nothing is different from checkpoint 4270a8c.\n' });
  });

  it('fails, exit 2, for a checkpoint that is not there; exit 4 where there is none', async () => {
    const failing = (code: string): Partial<CheckpointStore> => ({
      diff: async () => Promise.resolve(fail(code, 'There is no checkpoint 9.', 'List them.')),
    });
    expect(await rollback(['diff', '9'], failing('no_such_checkpoint'))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: There is no checkpoint 9.\n  List them.\n',
    });
    expect(await rollback(['diff', '9', '--json'], failing('no_checkpoints'))).toMatchObject({
      code: 4,
      stdout:
        '{"error":{"code":"no_checkpoints","message":"There is no checkpoint 9.","remedy":"List them."}}\n',
    });
  });
});

describe('herma rollback N', () => {
  const done = report({
    restored: ['a.ts', 'new\u202e.ts', 'old.ts'],
    deleted: ['new\u202e.ts'],
    kept: ['notes.md'],
    skipped: [{ path: 'big.bin', reason: 'too large' }],
    safetyId: ID_1,
  });
  const rewound = async (): Promise<{ type: 'rewound'; sessionId: string; removedMessages: number }> =>
    Promise.resolve({ type: 'rewound', sessionId: 's2', removedMessages: 4 });

  it('says what it did, what it kept and why, and how to take it back', async () => {
    const { store, asked } = restoring(done);
    expect(await rollback(['2'], store, { rewindTo: rewound })).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'Restored to checkpoint eaf4c1f (2026-03-16 04:35, before write_file):',
        '  restored  a.ts',
        '  restored  old.ts',
        '  removed   new\\u202e.ts',
        '  kept      notes.md',
        '  skipped   big.bin (too large)',
        '1 file changed since by other hands. To take it back too: herma rollback eaf4c1f --all',
        'A pre-rollback snapshot was saved: herma rollback undo takes this back.',
        'Chat rewound to before that turn (4 messages removed).',
        '',
      ].join('\n'),
    });
    expect(asked).toEqual([
      ['/work/a', { ref: '2' }, { mode: 'agent', includeAmbiguous: false, isDryRun: false }],
    ]);
  });

  it('rewinds the conversation of the checkpoint, and no other', async () => {
    const owners: unknown[] = [];
    const rewindTo: FakeOpening['rewindTo'] = async (owner) => {
      owners.push(owner);
      return rewound();
    };
    await rollback(['2', '--all'], restoring(done).store, { rewindTo });
    const manual = report({ target: { id: ID_2, at: 0, reason: 'taken by hand' }, restored: ['a'] });
    const { code, stdout } = await rollback(['2'], restoring(manual).store, { rewindTo });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('Chat')]);
    expect(owners).toEqual([OWNER]);
  });

  it.each([
    ['a file', ['2', 'a.ts']],
    ['a dry run', ['2', '--dry-run']],
    ['one call', ['--call', 'c1']],
  ])('does not rewind for %s', async (_, argv) => {
    expect((await rollback(argv, restoring(done).store)).code).toBe(0);
  });

  it.each([
    [
      { type: 'open_elsewhere', sessionId: 's2', message: 'Session s2 is in use by process 7.' } as const,
      'Chat not rewound: Session s2 is in use by process 7. The session there still remembers what was taken back.',
    ],
    [
      { type: 'not_possible', message: 'the turn is no longer in it' } as const,
      'Chat not rewound: the turn is no longer in it',
    ],
  ])('says why the conversation was not rewound: %j', async (rewind, text) => {
    const rewindTo = async (): Promise<typeof rewind> => Promise.resolve(rewind);
    const { code, stdout } = await rollback(['2'], restoring(done).store, { rewindTo });
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, text]);
  });

  it('prints one document with --json', async () => {
    const { stdout } = await rollback(['2', '--json'], restoring(done).store, { rewindTo: rewound });
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      id: ID_2,
      restored: ['a.ts', 'new\u202e.ts', 'old.ts'],
      deleted: ['new\u202e.ts'],
      kept: ['notes.md'],
      skipped: [{ path: 'big.bin', reason: 'too large' }],
      safety_id: ID_1,
      rewound: { ok: true, session_id: 's2', removed_messages: 4 },
      error: null,
    });
  });

  it('takes names with spaces, dashes and numbers as they are', async () => {
    const { store, asked } = restoring(done, done, done);
    await rollback(['2', 'my file.txt', './3'], store);
    await rollback(['2', '--include-ambiguous', '--', '-x', '--all'], store);
    await rollback(['--call', 'c1', 'a b', '--all'], store);
    expect(asked.map(([, target, { paths, ...options }]) => [target, paths, options])).toEqual([
      [{ ref: '2' }, ['my file.txt', './3'], { mode: 'agent', includeAmbiguous: false, isDryRun: false }],
      [{ ref: '2' }, ['-x', '--all'], { mode: 'agent', includeAmbiguous: true, isDryRun: false }],
      [{ callId: 'c1' }, ['a b'], { mode: 'all', includeAmbiguous: false, isDryRun: false }],
    ]);
  });

  it('says what a dry run would do', async () => {
    const { stdout } = await rollback(['2', '--dry-run'], restoring(done).store);
    expect(stdout).toMatch(
      /^This would be restored to checkpoint eaf4c1f .*:\n {2}restore {3}a\.ts\n[^]*\n {2}remove [^]*\nNothing was written\.\n$/,
    );
  });

  it('says that there is nothing to do', async () => {
    expect((await rollback(['2', 'a'], restoring(report({})).store)).stdout).toBe(
      'Nothing to restore: everything is as it was at checkpoint eaf4c1f (2026-03-16 04:35, before write_file).\n',
    );
    expect((await rollback(['2', 'a'], restoring(report({ kept: ['a'] })).store)).stdout).toMatch(
      /^Nothing was restored from checkpoint eaf4c1f .*\n {2}kept {6}a\n.*--all\n$/,
    );
  });

  it('says of each path once why it was not all brought back', async () => {
    const told = report({
      restored: ['a'],
      kept: ['b'],
      skipped: [
        { path: 'a', reason: 'it went back only in part' },
        { path: 'b', reason: 'it was changed by another session' },
        { path: 'c', reason: 'a folder is in the way' },
      ],
    });
    expect((await rollback(['2', '.'], restoring(told).store)).stdout.split('\n').slice(1, 4)).toEqual([
      '  restored  a (it went back only in part)',
      '  kept      b (it was changed by another session)',
      '  skipped   c (a folder is in the way)',
    ]);
  });

  it('does not fill the screen with thousands of paths, unless --verbose', async () => {
    const many = report({ restored: Array.from({ length: 1000 }, (_, index) => `f${String(index)}`) });
    const short = (await rollback(['2', 'f'], restoring(many).store)).stdout.split('\n');
    expect([short.length, short.at(-2)]).toEqual([103, '  … and 900 more']);
    const long = (await rollback(['2', 'f', '--verbose'], restoring(many).store)).stdout;
    expect(long.split('\n')).toHaveLength(1002);
  });

  it('fails, exit 2, with what was in the way, and exit 4 where there is no checkpoint', async () => {
    const error = { code: 'disk_full', message: 'The disk is full.', remedy: 'Free some space.' };
    const skipped = [{ path: 'a', reason: 'a folder is in the way' }];
    const failed = report({ ok: false, error, skipped });
    expect(await rollback(['2'], restoring(failed).store)).toEqual({
      code: 2,
      stdout: '',
      stderr: '  a: a folder is in the way\nherma: The disk is full.\n  Free some space.\n',
    });
    const { code, stdout } = await rollback(['2', '--json'], restoring(failed).store);
    expect([code, JSON.parse(stdout)]).toEqual([2, expect.objectContaining({ ok: false, error, skipped })]);
    const none = report({ ok: false, error: { code: 'no_checkpoints', message: 'There are none.' } });
    expect((await rollback(['2'], restoring(none).store)).code).toBe(4);
  });
});

describe('herma rollback N --exact', () => {
  const preview = report({ restored: ['a', 'mine'], deleted: ['mine'] });

  it('shows what it would delete, and does it with --yes', async () => {
    const { store, asked } = restoring(preview, preview);
    const { code, stderr } = await rollback(['2', '--exact', '-y'], store, {
      rewindTo: async () => Promise.resolve({ type: 'not_possible', message: 'gone' }),
    });
    expect([code, stderr]).toEqual([0, 'These were not there at the checkpoint:\n  mine\n']);
    expect(asked.map(([, , { mode, isDryRun }]) => [mode, isDryRun])).toEqual([
      ['exact', true],
      ['exact', false],
    ]);
  });

  it('does nothing where nobody can be asked, exit 2', async () => {
    const { store, asked } = restoring(preview);
    const { code, stderr } = await rollback(['2', '--exact'], store, { stdin: 'y\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add -y')]);
    expect(asked).toHaveLength(1);
  });

  it('does not ask where nothing would be deleted, nor for a dry run', async () => {
    const harmless = restoring(report({ restored: ['a'] }), report({ restored: ['a'] }));
    const rewindTo: FakeOpening['rewindTo'] = async () =>
      Promise.resolve({ type: 'not_possible', message: 'gone' });
    expect((await rollback(['2', '--exact'], harmless.store, { rewindTo })).code).toBe(0);
    const dry = restoring(preview);
    expect((await rollback(['2', '--exact', '--dry-run'], dry.store)).code).toBe(0);
    expect(dry.asked).toHaveLength(1);
  });

  it('fails before it asks when it cannot be done', async () => {
    const error = { code: 'not_scanned', message: 'That checkpoint has no scan.' };
    const { store } = restoring(report({ ok: false, error }));
    expect(await rollback(['2', '--exact'], store)).toMatchObject({
      code: 2,
      stderr: 'herma: That checkpoint has no scan.\n',
    });
  });
});

describe('herma rollback undo', () => {
  it('takes the last restore back', async () => {
    const asked: unknown[] = [];
    const undo: CheckpointStore['undo'] = async (...given) => {
      asked.push(given);
      return Promise.resolve(report({ restored: ['a'], safetyId: ID_2 }));
    };
    expect(await rollback(['undo'], { undo })).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'The last restore was taken back:\n  restored  a\nA pre-rollback snapshot was saved: herma rollback undo takes this back.\n',
    });
    await rollback(['undo', '--all', '--dry-run'], { undo });
    expect(asked).toEqual([
      ['/work/a', { mode: 'agent', isDryRun: false }],
      ['/work/a', { mode: 'all', isDryRun: true }],
    ]);
  });
});

describe('a rollback that is not clear', () => {
  it.each([
    [['0'], 'there is no checkpoint "0"'],
    [['-1'], 'there is no checkpoint "-1"'],
    [['1', '2'], 'one checkpoint at a time'],
    [['diff'], 'diff needs a checkpoint'],
    [['nonsense'], '"nonsense" is neither'],
    [['1', '--all', '--exact'], 'exclude each other'],
    [['1', '--nonsense'], "unknown option '--nonsense'"],
    [['1', '--call'], '--call'],
  ])('%j is refused, exit 2, and nothing is opened', async (argv, message) => {
    const { code, stdout, stderr } = await runOn(new FakeHost({ home, workingDirectory: '/work/a' }), [
      'rollback',
      ...argv,
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('is one document with --json', async () => {
    const { code, stdout } = await rollback(['0', '--json'], {});
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'usage' } }]);
  });

  it('needs a folder that is there, or --dir', async () => {
    expect(await runOn(new FakeHost({ home }), ['rollback'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no longer exists'),
    });
  });
});
