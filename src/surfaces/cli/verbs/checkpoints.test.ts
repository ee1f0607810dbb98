import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { fail, succeed } from '../../../kernel/errors/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import type { CheckpointStore, PruneReport, StoreStatus } from '../../../safety/checkpoints/index.ts';
import { FakeHost, type FakeHostOptions, runOn } from '../fake-host.ts';
import {
  type FakeOpening,
  fakeStore,
  ID_1,
  LIST,
  report,
  runWith,
  statusOf,
} from '../rollback/fake-checkpoints.ts';
import { checkpointsVerb } from './checkpoints.ts';

const MB = 1024 * 1024;
const HOUR = 60 * 60 * 1000;
const NOW = new FakeClock().now();

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});

async function checkpoints(
  argv: readonly string[],
  store: Partial<CheckpointStore>,
  more: Partial<FakeHostOptions> & FakeOpening = {},
): ReturnType<typeof runOn> {
  return runWith(store, checkpointsVerb, { home, workingDirectory: '/work/a', argv, ...more });
}

const having = (parts: Partial<StoreStatus>): Pick<CheckpointStore, 'status'> => ({
  status: async () => Promise.resolve(statusOf(parts)),
});

const app = {
  h16: 'a'.repeat(16),
  workdir: '/home/you/code/app',
  snapshots: 20,
  lastTouch: NOW - 2 * HOUR,
  state: 'live',
} as const;
const old = {
  h16: 'b'.repeat(16),
  workdir: '/home/you/code/old-prototype',
  snapshots: 3,
  lastTouch: NOW - 9 * 24 * HOUR,
  state: 'orphan',
} as const;
const legacy = [{ name: 'legacy-20260506-050616', bytes: 4.2 * MB }];

describe('herma checkpoints status', () => {
  it.each([[[]], [['status']], [['list']]])('has the form of the article: %j', async (argv) => {
    const { code, stdout, stderr } = await checkpoints(argv, having({ projects: [old, app], legacy }));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, 14)).toEqual([
      'Checkpoint base: /home/you/.herma/checkpoints',
      'Total size:      142.3 MB',
      '  store/         138.1 MB',
      '  legacy-*       4.2 MB',
      'Projects:        2',
      '',
      '  WORKDIR                                   COMMITS    LAST TOUCH  STATE',
      '  /home/you/code/app                             20        2h ago  live',
      '  /home/you/code/old-prototype                    3        9d ago  orphan',
      '',
      'Legacy archives (1):',
      '  legacy-20260506-050616                     4.2 MB',
      '',
      'Clear with: herma checkpoints clear-legacy',
    ]);
    expect(stdout).toMatch(/\n\ngit: (\d\S*|not found \(not needed\))\n$/);
  });

  it('does without git', async () => {
    const environment = { PATH: '/nonexistent' };
    const { code, stdout } = await checkpoints([], having({}), { environment });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\ngit: not found \(not needed\)\n$/)]);
  });

  it('says what is over the cap, captured in part, or wrong', async () => {
    const projects = [
      { ...app, notice: 'skipped: home folder' },
      { ...old, notice: 'too many files: tracked ones only\u001b[2J' },
    ];
    const { stdout } = await checkpoints(
      [],
      having({ isOverCap: true, storeBytes: 612 * MB, projects, problems: ['a ref is damaged'] }),
      { isEnabled: false },
    );
    expect(stdout).toContain('\nover the cap: 612.0 MB of 500.0 MB ');
    expect(stdout).toContain('\n/home/you/code/app: skipped: home folder\n');
    expect(stdout).toContain('tracked ones only\\x1b[2J\n');
    expect(stdout).toContain('\na ref is damaged\n');
  });

  it('says that checkpoints are off', async () => {
    const { stderr } = await checkpoints([], having({}), { isEnabled: false });
    expect(stderr).toMatch(/^Checkpoints are off\. To switch them on: herma chat --checkpoints/);
  });

  it('keeps the end of long paths, and shows 20 projects, or as many as --limit says', async () => {
    const projects = Array.from({ length: 30 }, (_, index) => ({
      ...app,
      workdir: `/home/you/${'very/'.repeat(20)}p${String(index)}\u202e`,
      lastTouch: NOW - index * HOUR,
    }));
    const { stdout } = await checkpoints([], having({ projects }));
    const rows = stdout.split('\n').filter((line) => line.endsWith('live'));
    expect(rows).toHaveLength(20);
    expect(rows[1]).toBe(`  …${'very/'.repeat(20).slice(-51)}p1\\u202e       20        1h ago  live`);
    expect(stdout).toContain('  … and 10 more; --limit 30 shows them\n');
    const all = await checkpoints(['status', '--limit', '30'], having({ projects }));
    expect(all.stdout.split('\n').filter((line) => line.endsWith('live'))).toHaveLength(30);
    const narrow = await checkpoints([], having({ projects }), { isTty: true, columns: 80 });
    for (const line of narrow.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await checkpoints(['--limit', '0'], having({}))).code).toBe(2);
  });

  it('is one document with --json', async () => {
    const { stdout } = await checkpoints(['--json'], having({ projects: [app], legacy }));
    expect(JSON.parse(stdout)).toMatchObject({
      base: '/home/you/.herma/checkpoints',
      bytes: 142.3 * MB,
      store_bytes: 138.1 * MB,
      legacy: [{ name: 'legacy-20260506-050616', bytes: 4.2 * MB }],
      projects: [
        {
          workdir: '/home/you/code/app',
          snapshots: 20,
          last_touch: new Date(NOW - 2 * HOUR).toISOString(),
          state: 'live',
        },
      ],
    });
  });

  it('knows projects that were never touched', async () => {
    const projects = [{ ...app, lastTouch: 0 }];
    expect((await checkpoints([], having({ projects }))).stdout).toContain('  20             —  live');
    const { stdout } = await checkpoints(['--json'], having({ projects }));
    expect(JSON.parse(stdout)).toMatchObject({ projects: [{ last_touch: null }] });
  });
});

describe('herma checkpoints prune', () => {
  const pruned: PruneReport = {
    scanned: 12,
    deletedOrphans: 1,
    deletedStale: 2,
    droppedEntries: 5,
    bytesReclaimed: 4.2 * MB,
    isOverCap: false,
    errors: [],
  };
  const pruning = (
    answer = pruned,
    projects: StoreStatus['projects'] = [app, old],
  ): { readonly store: Partial<CheckpointStore>; readonly asked: unknown[] } => {
    const asked: unknown[] = [];
    const prune: CheckpointStore['prune'] = async (options) => {
      asked.push(options);
      return Promise.resolve(answer);
    };
    return { store: { ...having({ projects }), prune }, asked };
  };

  it('deletes exactly the orphans that were agreed to', async () => {
    const { store, asked } = pruning();
    const options = ['--retention-days', '3', '--max-size-mb', '2'];
    expect(await checkpoints(['prune', '-f', ...options], store)).toEqual({
      code: 0,
      stderr: 'Projects whose folder is gone:\n  /home/you/code/old-prototype (3)\n',
      stdout:
        'Scanned:         12\nDeleted orphan:  1\nDeleted stale:   2\nDropped:         5\nErrors:          0\nBytes reclaimed: 4.2 MB\n',
    });
    expect(asked).toEqual([
      { confirmedOrphans: [old.h16], retentionMs: 3 * 24 * HOUR, maxTotalBytes: 2 * MB },
    ]);
  });

  it('keeps them with --keep-orphans, and asks nothing', async () => {
    const { store, asked } = pruning();
    expect(await checkpoints(['prune', '--keep-orphans'], store)).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toEqual([{ confirmedOrphans: [] }]);
  });

  it('asks nothing where there are none', async () => {
    const { store, asked } = pruning(pruned, [app, { ...old, state: 'unreachable' }]);
    expect((await checkpoints(['prune'], store)).code).toBe(0);
    expect(asked).toEqual([{ confirmedOrphans: [] }]);
  });

  it.each([
    ['n\n', 1],
    ['\n', 1],
    ['', 1],
    ['y\n', 0],
  ])('asks a person, who answers %j: exit %i', async (typed, code) => {
    const { store, asked } = pruning();
    const verb = checkpointsVerb(async (_, use) =>
      use({
        store: fakeStore(store),
        isEnabled: true,
        rewindTo: async () => Promise.reject(new Error()),
        checkpointOf: async () => Promise.resolve(succeed(undefined)),
      }),
    );
    const { name, summary } = verb;
    const host = new FakeHost({ home, isTty: true });
    const input = host.stdin();
    if (input instanceof PassThrough) input.end(typed);
    const table = [{ name, summary, load: async () => Promise.resolve({ verb }) }];
    const ran = await runOn(host, ['checkpoints', 'prune'], table);
    expect(ran.stderr).toContain('Delete these orphan projects? [y/N] ');
    expect([ran.code, asked.length]).toEqual([code, code === 0 ? 1 : 0]);
    if (code === 1) expect(ran.stdout).toBe('Aborted.\n');
  });

  it('deletes nothing where nobody can be asked, exit 2', async () => {
    const { store, asked } = pruning();
    const { code, stderr } = await checkpoints(['prune'], store);
    expect([code, asked, stderr]).toEqual([2, [], expect.stringContaining('--keep-orphans')]);
  });

  it('says what could not be dropped, exit 2', async () => {
    const { store } = pruning({ ...pruned, errors: ['cannot delete x\u001b'], isOverCap: true }, []);
    const { code, stdout, stderr } = await checkpoints(['prune'], store);
    expect([code, stderr]).toEqual([2, 'cannot delete x\\x1b\n']);
    expect(stdout).toContain('Errors:          1\n');
    expect(stdout).toContain('still over the cap');
  });

  it('is one document with --json', async () => {
    const { code, stdout } = await checkpoints(['prune', '--json', '-y'], pruning().store);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        scanned: 12,
        deleted_orphan: 1,
        deleted_stale: 2,
        dropped: 5,
        bytes_reclaimed: 4.2 * MB,
        over_cap: false,
        errors: [],
      },
    ]);
  });

  it.each([['--retention-days=-1'], ['--retention-days=x'], ['--max-size-mb=0'], ['--max-size-mb=1.5']])(
    'refuses %s, exit 2',
    async (option) => {
      const { store, asked } = pruning();
      expect((await checkpoints(['prune', option], store)).code).toBe(2);
      expect(asked).toEqual([]);
    },
  );
});

describe('herma checkpoints clear', () => {
  const clear: CheckpointStore['clear'] = async () => Promise.resolve(succeed({ bytes: 138.1 * MB }));

  it('says what there is, and deletes it with -f', async () => {
    expect(await checkpoints(['clear', '-f'], { ...having({ projects: [app], legacy }), clear })).toEqual({
      code: 0,
      stdout: 'Deleted all checkpoints (138.1 MB).\n',
      stderr: 'Size: 142.3 MB\nProjects: 1\nLegacy archives: 1\n',
    });
  });

  it('deletes nothing without a yes', async () => {
    expect(await checkpoints(['clear'], having({ projects: [app] }))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add -y'),
    });
  });

  it('has nothing to do in an empty home', async () => {
    const empty = having({ bytes: 0, storeBytes: 0 });
    expect(await checkpoints(['clear'], empty)).toEqual({
      code: 0,
      stdout: 'Nothing to clear.\n',
      stderr: '',
    });
    expect((await checkpoints(['clear', '--json'], empty)).stdout).toBe('{"bytes":0}\n');
  });

  it('fails, exit 2, when it cannot', async () => {
    const busy: CheckpointStore['clear'] = async () =>
      Promise.resolve(fail('in_use', 'Process 7 works with it.', 'End it.'));
    expect(await checkpoints(['clear', '-f'], { ...having({}), clear: busy })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('herma: Process 7 works with it.\n  End it.\n'),
    });
  });
});

describe('herma checkpoints clear-legacy', () => {
  const clearLegacy: CheckpointStore['clearLegacy'] = async () =>
    Promise.resolve(succeed({ bytes: 4.2 * MB, archives: 1 }));

  it('lists the archives, and deletes them with -f', async () => {
    expect(await checkpoints(['clear-legacy', '-f'], { ...having({ legacy }), clearLegacy })).toEqual({
      code: 0,
      stdout: 'Deleted 1 legacy archive (4.2 MB).\n',
      stderr: '  legacy-20260506-050616                     4.2 MB\n',
    });
  });

  it('has nothing to do where there are none', async () => {
    expect(await checkpoints(['clear-legacy'], having({}))).toEqual({
      code: 0,
      stdout: 'No legacy archives to clear.\n',
      stderr: '',
    });
  });
});

describe('herma checkpoints verify, repair and maintain', () => {
  it('says that nothing is damaged, exit 0, or what is, exit 1', async () => {
    const verifying = (problems: readonly string[]): Partial<CheckpointStore> => ({
      verify: async () =>
        Promise.resolve({ ok: problems.length === 0, objects: 340, checkpoints: 12, problems }),
    });
    expect(await checkpoints(['verify'], verifying([]))).toEqual({
      code: 0,
      stdout: '12 checkpoints, 340 objects: no problems.\n',
      stderr: '',
    });
    expect(await checkpoints(['verify'], verifying(['object 1 is damaged']))).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^object 1 is damaged\n.*: 1 problem; herma checkpoints repair/),
    });
    const { code, stdout } = await checkpoints(['verify', '--json'], verifying(['x']));
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { ok: false, objects: 340, checkpoints: 12, problems: ['x'] },
    ]);
  });

  it('says what was mended, and with 1 what was not', async () => {
    const repairing = (done: readonly string[], problems: readonly string[]): Partial<CheckpointStore> => ({
      repair: async () => Promise.resolve({ done, problems }),
    });
    expect(await checkpoints(['repair'], repairing([], []))).toMatchObject({
      code: 0,
      stdout: 'Nothing to repair.\n',
    });
    expect(await checkpoints(['repair'], repairing(['made HEAD'], ['object 1 is gone']))).toMatchObject({
      code: 1,
      stdout: 'made HEAD\nnot mended: object 1 is gone\n',
    });
  });

  it('maintains what is due, unseen', async () => {
    const nothing = { sweep: async () => Promise.resolve(undefined) };
    const idle = { ...nothing, needsMaintenance: async () => Promise.resolve(false) };
    expect(await checkpoints(['maintain'], idle)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' });
    const maintain: CheckpointStore['maintain'] = async () =>
      Promise.resolve({
        scanned: 1,
        deletedOrphans: 0,
        deletedStale: 0,
        droppedEntries: 3,
        bytesReclaimed: 5,
        isOverCap: false,
        errors: [],
      });
    const due = { ...nothing, needsMaintenance: async () => Promise.resolve(true), maintain };
    expect((await checkpoints(['maintain'], due)).stdout).toContain('Dropped:         3\n');
    expect((await checkpoints(['--help'], {})).stdout).not.toContain('maintain');
    const swept = { scanned: 2, deletedOrphans: 0, deletedStale: 1, droppedEntries: 4, bytesReclaimed: 7 };
    const sweep: CheckpointStore['sweep'] = async () =>
      Promise.resolve({ ...swept, isOverCap: true, errors: ['that one'] });
    expect(await checkpoints(['maintain', '--json'], { ...due, sweep })).toEqual({
      code: 2,
      stdout:
        '{"scanned":2,"deleted_orphan":0,"deleted_stale":1,"dropped":7,"bytes_reclaimed":12,"over_cap":false,"errors":["that one"]}\n',
      stderr: 'that one\n',
    });
  });
});

describe('herma checkpoints take, show and drop', () => {
  it('takes one of the folder that is named, with a reason', async () => {
    const asked: unknown[] = [];
    const take: CheckpointStore['take'] = async (...given) => {
      asked.push(given);
      return Promise.resolve(succeed({ id: ID_1, root: '/work/a', files: 12, holes: 3 }));
    };
    expect(await checkpoints(['take'], { take })).toEqual({
      code: 0,
      stdout: '4270a8c  /work/a  (12 files, 3 paths not captured)\n',
      stderr: '',
    });
    const { stdout } = await checkpoints(['take', 'b', '-m', 'before it', '--json'], { take });
    expect(JSON.parse(stdout)).toEqual({ id: ID_1, root: '/work/a', files: 12, holes: 3 });
    await checkpoints(['take', '/x'], { take });
    expect(asked).toEqual([
      ['/work/a', 'taken by hand'],
      ['/work/a/b', 'before it'],
      ['/x', 'taken by hand'],
    ]);
  });

  it('says why none could be taken, exit 2', async () => {
    const take: CheckpointStore['take'] = async () =>
      Promise.resolve(fail('broad_root', '/ is no project.', 'Name a folder below it.'));
    expect(await checkpoints(['take', '/'], { take })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: / is no project.\n  Name a folder below it.\n',
    });
  });

  const showing: Partial<CheckpointStore> = {
    list: async () => Promise.resolve(LIST),
    diff: async () =>
      Promise.resolve(
        succeed({
          id: ID_1,
          root: '/path/to/project',
          files: [
            { path: 'a b.ts', status: 'modified', insertions: 1, deletions: 2, binary: false },
            { path: 'x.bin', status: 'created', insertions: 0, deletions: 0, binary: true },
          ],
          holes: [{ path: 'dist', reason: 'ignored' }],
          patch: '',
          isCut: true,
        }),
      ),
  };

  it('shows all of one', async () => {
    const { code, stdout } = await checkpoints(['show', '1'], showing);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        `Checkpoint:  ${ID_1}`,
        'Project:     /path/to/project',
        expect.stringMatching(/^Taken: {7}2026-03-16 04:36 \(.* ago\), before patch$/),
        'Kind:        call',
        'Session:     s1',
        'Turn:        t1',
        'Call:        c1',
        'Its calls:   1 file, +1/-0',
        'Different now: 2 files',
        '  M a b.ts  +1/-2',
        '  A x.bin  binary',
        '1 path not captured, and never touched by a restore:',
        '  dist (ignored)',
        '',
      ],
    ]);
    expect(JSON.parse((await checkpoints(['show', '1', '--json'], showing)).stdout)).toMatchObject({
      id: ID_1,
      reason: 'before patch',
      different: [{ path: 'a b.ts' }, { path: 'x.bin' }],
      not_captured: [{ path: 'dist', reason: 'ignored' }],
    });
  });

  it('fails for one that is not there: exit 2, or 4 where there is none', async () => {
    const failing = (code: string): Partial<CheckpointStore> => ({
      diff: async () => Promise.resolve(fail(code, 'not there')),
      drop: async () => Promise.resolve(fail(code, 'not there')),
    });
    for (const verb of ['show', 'drop']) {
      expect((await checkpoints([verb, '9'], failing('no_such_checkpoint'))).code).toBe(2);
      expect((await checkpoints([verb, '9'], failing('no_checkpoints'))).code).toBe(4);
      expect((await checkpoints([verb], {})).code).toBe(2);
    }
  });

  it('deletes one', async () => {
    const drop: CheckpointStore['drop'] = async () => Promise.resolve(succeed({ id: ID_1 }));
    expect((await checkpoints(['drop', '4270'], { drop })).stdout).toBe('dropped 4270a8c\n');
    expect((await checkpoints(['drop', '1', '--json'], { drop })).stdout).toBe(`{"id":"${ID_1}"}\n`);
  });
});

describe('herma checkpoints diff, restore and undo', () => {
  it('do what herma rollback does', async () => {
    const asked: unknown[] = [];
    const store: Partial<CheckpointStore> = {
      ...having({}),
      diff: async (...given) => {
        asked.push(given);
        return Promise.resolve(fail('no_such_checkpoint', 'not there'));
      },
      restore: async (...given) => {
        asked.push(given);
        return Promise.resolve(report({}));
      },
      undo: async (...given) => {
        asked.push(given);
        return Promise.resolve(report({}));
      },
    };
    await checkpoints(['diff', '1', 'a b', 'c'], store);
    await checkpoints(['restore', '1', 'a b', '--all'], store);
    await checkpoints(['restore', '--call', 'c1'], store);
    await checkpoints(['undo', '--dry-run'], store);
    expect(asked).toEqual([
      ['/work/a', '1', { paths: ['a b', 'c'] }],
      ['/work/a', { ref: '1' }, { mode: 'all', includeAmbiguous: false, isDryRun: false, paths: ['a b'] }],
      ['/work/a', { callId: 'c1' }, { mode: 'agent', includeAmbiguous: false, isDryRun: false }],
      ['/work/a', { mode: 'agent', isDryRun: true }],
    ]);
  });

  it('need to be told which one', async () => {
    for (const argv of [['diff'], ['restore'], ['restore', '0'], ['restore', 'diff', '1'], ['nonsense']])
      expect((await checkpoints(argv, {})).code).toBe(2);
  });
});
