import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../../platform/locks/index.ts';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { CaptureReport } from '../api.ts';
import type { CloseRecord, Footprint, OpenRecord } from '../model/record.ts';
import { treeOfCommit } from '../objects/commit-object.ts';
import { projectHash } from '../projects/project-hash.ts';
import { treeRef } from '../projects/ref-names.ts';
import { type ScanOutcome, type ScanRequest, TreeScanner } from '../scan/tree-scanner.ts';
import { stateAt } from '../snapshots/snapshot-entries.ts';
import { captureAfter } from './capture-after.ts';
import { captureBefore } from './capture-before.ts';
import type { CaptureParts } from './capture-parts.ts';
import { openCaptureParts } from './open-capture-parts.ts';
import { persistManifests } from './persist-manifests.ts';
import { settleDead } from './settle-dead.ts';
import { takeManual } from './take-manual.ts';

const owner = { sessionId: 's', rootSessionId: 's', turnId: 't', callId: 'c' };
const settings = {
  maxSnapshots: 20,
  maxTotalBytes: 0,
  maxFileBytes: 1000,
  autoPrune: true,
  retentionMs: 1,
  privateRetentionMs: 1,
  minIntervalMs: 1,
  onFailure: 'warn',
} as const;

let base: string;
let home: string;
let root: string;
let folder: string;
let parts: CaptureParts;

const self = currentProcessIdentity();
const dead = { ...self, startTime: '1' };

const partsOf = (step?: (name: string) => void): CaptureParts =>
  openCaptureParts({
    folder,
    home,
    temporary: join(base, 'tmp'),
    settings,
    now: () => 1_700_000_000_000,
    isAlive,
    self,
    skip: [join(base, 'link-to-home/.herma')],
    ...(step === undefined ? {} : { step }),
  });

function write(path: string, text: string): void {
  const place = path.startsWith('/') ? path : join(root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

interface Command {
  readonly directory?: string;
  readonly words?: readonly string[];
  readonly paths?: readonly string[];
  readonly process?: typeof self;
}

function before({ directory = root, words, paths = [], process }: Command = {}): CaptureReport {
  const footprint: Footprint | undefined =
    words === undefined ? undefined : { words, isComplete: true, isDetached: false, cwd: directory };
  return captureBefore(parts, {
    reason: 'before terminal: rm x',
    owner,
    paths: paths.map((path) => join(root, path)),
    scan: { directory, ...(footprint === undefined ? {} : { footprint }) },
    ...(process === undefined ? {} : { process }),
  });
}

function opens(of = root): readonly OpenRecord[] {
  return parts.journals
    .of(projectHash(of))
    .records()
    .filter((record) => record.type === 'open');
}

function closes(of = root): readonly CloseRecord[] {
  return parts.journals
    .of(projectHash(of))
    .records()
    .filter((record) => record.type === 'close');
}

function contentAt(snapshot: string | undefined, path: string): string | undefined {
  const state = stateAt(parts.objects, snapshot ?? '', path);
  return state.kind === 'file' ? parts.objects.read(state.oid)?.bytes.toString() : state.kind;
}

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'scan-')));
  home = join(base, 'home');
  root = join(home, 'app');
  folder = join(home, '.herma/checkpoints/store');
  mkdirSync(join(base, 'tmp'));
  mkdirSync(root, { recursive: true });
  symlinkSync(home, join(base, 'link-to-home'));
  write('package.json', '{}');
  write('src/a.ts', 'a');
  parts = partsOf();
});

afterEach(() => {
  if (!existsSync(join(folder, 'HEAD'))) return;
  expect(git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
});

describe('a scan before and after a command', () => {
  it('keeps the whole project, and what the command changed', () => {
    write('src/gone.ts', 'gone');
    const report = before();
    expect(report).toMatchObject({ notices: [], failures: [] });
    rmSync(join(root, 'src/gone.ts'));
    write('src/a.ts', 'b');
    write('new', 'n');
    expect(captureAfter(parts, report.token)).toEqual({ notices: [], failures: [] });
    const [open] = opens();
    const [close] = closes();
    expect(open?.before).toMatchObject({ coverage: 'whole', files: 3 });
    expect(contentAt(open?.before?.root, 'src/gone.ts')).toBe('gone');
    expect(contentAt(close?.after?.root, 'src/a.ts')).toBe('b');
    expect(close?.changes.map(({ path, before: was, after }) => [path, was.kind, after.kind])).toEqual([
      ['new', 'absent', 'file'],
      ['src/a.ts', 'file', 'file'],
      ['src/gone.ts', 'file', 'absent'],
    ]);
    expect(git('show', `${String(open?.id)}:tree/src/gone.ts`)).toBe('gone');
  });

  it('keeps a snapshot alive with its root, also beside named files', () => {
    before({ paths: ['src/a.ts'] });
    const [open] = opens();
    const reachable = git('rev-list', '--objects', String(open?.id));
    expect(reachable).toContain(open?.before?.root);
    expect(git('show', `${String(open?.id)}:named/src%2Fa.ts`)).toBe('a');
  });

  it('reserves the number before the scan, so that windows can be compared', () => {
    let reserved = 0;
    parts = partsOf((step) => {
      if (step === 'scan') reserved = parts.journals.of(projectHash(root)).reservations().length;
    });
    before();
    expect(reserved).toBe(1);
  });

  it('starts from the project when the command runs in a folder of it', () => {
    before({ directory: join(root, 'src') });
    expect(contentAt(opens()[0]?.before?.root, 'package.json')).toBe('{}');
  });

  it('leaves the store and the home of the program out', () => {
    write(join(home, '.herma/config.yaml'), 'x');
    write(join(home, '.herma/package.json'), 'x');
    parts.registry.touch(join(home, '.herma'), 1);
    write(join(home, '.herma/checkpoints/readme'), 'x');
    before({ directory: join(home, '.herma') });
    const [open] = opens(join(home, '.herma'));
    expect(contentAt(open?.before?.root, 'checkpoints/store/HEAD')).toBe('absent');
  });

  it('keeps many changes in a blob that the close keeps alive', () => {
    const { token } = before();
    for (let index = 0; index < 1500; index += 1)
      write(`many/${'long-name-'.repeat(10)}${String(index)}`, 'x');
    captureAfter(parts, token);
    const blobs = parts.journals.of(projectHash(root)).changesBlobs();
    expect([...blobs.keys()]).toEqual([2]);
    parts = partsOf();
    expect(closes()[0]?.changes).toHaveLength(1501);
    const commit = parts.refs.get(`${projectHash(root)}/close/0000000002`);
    expect(git('rev-list', '--objects', String(commit))).toContain(blobs.get(2));
  });
});

describe('a scan of a tree that is too large to be captured as a whole', () => {
  class SmallScanner extends TreeScanner {
    override scan(request: ScanRequest): ScanOutcome {
      return super.scan({ ...request, maxFiles: 3 });
    }
  }

  it('is of the same part before the command and after it, the folders of its words included', () => {
    parts = { ...parts, scanner: new SmallScanner({ objects: parts.objects }) };
    for (const name of ['1', '2', '3', '4', '5']) write(`data/${name}`, name);
    const { token } = before({ words: ['rm', 'data/1', 'data/2'] });
    rmSync(join(root, 'data/1'));
    rmSync(join(root, 'data/3'));
    captureBefore(parts, { reason: 'r', owner, paths: [join(root, 'src/a.ts')] });
    captureAfter(parts, token);
    expect(closes()[0]?.changes).toMatchObject([
      { path: 'data/1', before: { kind: 'file' }, after: { kind: 'absent' } },
      { path: 'data/3', before: { kind: 'file' }, after: { kind: 'absent' } },
    ]);
  });
});

describe('a project whose folder a command has removed', () => {
  it('is one of which nothing is left', () => {
    const { token } = before();
    rmSync(root, { recursive: true });
    expect(captureAfter(parts, token).failures).toEqual([]);
    expect(closes()[0]?.after).toMatchObject({ coverage: 'whole', files: 0, holes: 0 });
    expect(closes()[0]?.changes.map(({ path, after }) => `${path} ${after.kind}`)).toEqual([
      'package.json absent',
      'src absent',
      'src/a.ts absent',
    ]);
  });

  it('is not one whose volume may be missing', () => {
    const { token } = before();
    renameSync(home, join(base, 'mounted'));
    mkdirSync(home);
    renameSync(join(base, 'mounted/.herma'), join(home, '.herma'));
    expect(captureAfter(parts, token).failures).toMatchObject([{ path: root }]);
    expect(closes()).toEqual([]);
  });

  it('is also closed for a process that died', () => {
    before({ process: dead });
    rmSync(root, { recursive: true });
    expect(settleDead(parts, projectHash(root))).toEqual({ closed: 1, failures: [] });
    expect(closes()[0]).toMatchObject({ isLate: true, after: { files: 0 } });
  });
});

describe('words of a command', () => {
  it('are captured when the scan does not cover what they name', () => {
    write('.gitignore', '*.log\n');
    write('.git/HEAD', '');
    write('x.log', 'log');
    write('large.bin', 'x'.repeat(2000));
    write(join(home, 'outside.txt'), 'outside');
    before({ words: ['x.log', 'large.bin', 'src/a.ts', '../outside.txt', 'new.txt', '-rf', 'src'] });
    const named = Object.fromEntries(opens()[0]?.named.map(({ path, state }) => [path, state.kind]) ?? []);
    expect(named).toEqual({ 'x.log': 'file', 'large.bin': 'file' });
    expect(opens()[0]?.isPrivate).toEqual(['x.log']);
    expect(opens(home)[0]?.named.map(({ path }) => path)).toEqual(['outside.txt']);
  });

  describe('outside of the project', () => {
    const other = (): string => join(base, 'other');
    const isProject = (folder: string): boolean =>
      parts.registry.read(projectHash(folder)).type === 'project';

    it('make no project of a place that the command leaves as it is, and nothing is left of them', () => {
      write(join(other(), 'x'), 'x');
      write(join(home, 'y'), 'y');
      const { token, ids } = before({
        words: [join(other(), 'x'), join(home, 'y'), '/etc/passwd', '../free'],
      });
      expect(ids).toEqual([opens()[0]?.id]);
      expect(opens(other())[0]?.named.map(({ path }) => path)).toEqual(['x']);
      expect(captureAfter(parts, token).failures).toEqual([]);
      expect(parts.registry.all().map((project) => project.root)).toEqual([root]);
      for (const place of [other(), home, '/etc']) {
        expect(parts.journals.of(projectHash(place)).records()).toEqual([]);
        expect(parts.refs.list(projectHash(place))).toEqual([]);
      }
      expect(captureAfter(parts, token).failures).toEqual([]);
      expect(closes()).toHaveLength(1);
    });

    it('are captured all the same, and make a project, when the command writes there', () => {
      for (const [place, name] of [
        [other(), 'x'],
        [home, 'free'],
      ] as const) {
        if (name === 'x') write(join(place, name), 'old');
        else mkdirSync(place, { recursive: true });
        const { token } = before({ words: [join(place, name)] });
        expect(isProject(place)).toBe(false);
        write(join(place, name), 'new');
        expect(captureAfter(parts, token).failures).toEqual([]);
        expect(isProject(place)).toBe(true);
        expect(closes(place)[0]?.named).toMatchObject([{ path: name, state: { kind: 'file' } }]);
      }
      expect(opens(other())[0]?.named).toMatchObject([{ path: 'x', state: { kind: 'file', size: 3 } }]);
    });

    it('of a command that died make a project when it had changed them, else nothing is left', () => {
      write(join(other(), 'x'), 'old');
      write(join(home, 'y'), 'old');
      const dead = { ...self, startTime: '1' };
      before({ words: [join(other(), 'x'), join(home, 'y')], process: dead });
      write(join(other(), 'x'), 'new');
      expect(settleDead(parts, projectHash(other()))).toEqual({ closed: 1, failures: [] });
      expect(settleDead(parts, projectHash(home))).toEqual({ closed: 0, failures: [] });
      expect([isProject(other()), isProject(home)]).toEqual([true, false]);
      expect([opens(other()).length, opens(home).length]).toEqual([1, 0]);
    });

    it('that a tool names are a project at once', () => {
      const { token } = captureBefore(parts, {
        reason: 'before write_file',
        owner,
        paths: [join(other(), 'x')],
      });
      expect(token).not.toBe('');
      expect(parts.registry.all()).toHaveLength(1);
    });
  });

  it('that lie in a package of the project belong to the project', () => {
    write('packages/a/package.json', '{}');
    write('packages/a/x.log', 'log');
    write('.git/HEAD', '');
    write('.gitignore', '*.log\n');
    const { token } = before({ words: ['packages/a/x.log', 'packages/a/new'] });
    captureAfter(parts, token);
    expect(parts.registry.all().map((project) => project.root)).toEqual([root]);
    expect(opens()[0]?.named.map(({ path }) => path)).toEqual(['packages/a/x.log']);
  });

  it('are captured one and all in a broad root, of which there is no scan', () => {
    write(join(home, 'file'), 'x');
    const report = before({
      directory: home,
      words: ['file', 'free', 'app', 'no/where', '/a\0b', '/dev/stdout', '/dev/null'],
    });
    expect(report.failures).toEqual([]);
    expect(report.notices).toHaveLength(1);
    expect(opens(home)[0]?.before).toBeUndefined();
    expect(opens(home)[0]?.named.map(({ path }) => path)).toEqual(['file', 'free']);
    expect(before({ directory: home, words: ['file'] }).notices).toEqual([]);
    expect(parts.registry.read(projectHash(home))).toMatchObject({
      project: { notice: { code: 'broad_root' } },
    });
  });

  it('are 64 at most', () => {
    for (let index = 0; index < 100; index += 1) write(join(home, `f${String(index)}`), '');
    const words = Array.from({ length: 100 }, (_, index) => `f${String(index)}`);
    before({ directory: home, words });
    expect(opens(home)[0]?.named).toHaveLength(64);
  });

  it('that name something too large even for that are holes', () => {
    write('.gitignore', 'big\n');
    write('.git/HEAD', '');
    write('big', '');
    truncateSync(join(root, 'big'), 64 * 1024 * 1024 + 1);
    before({ words: ['big'] });
    expect(opens()[0]?.named).toEqual([{ path: 'big', state: { kind: 'hole', reason: 'too_large' } }]);
  });
});

describe('takeManual', () => {
  it('captures the project of a folder', () => {
    const taken = takeManual(parts, join(root, 'src'), 'my reason');
    expect(taken).toMatchObject({ ok: true, value: { root, seq: 1, files: 2, holes: 0 } });
    expect(opens()).toMatchObject([{ kind: 'manual', reason: 'my reason' }]);
  });

  it('refuses a broad root in any spelling, and leaves a notice', () => {
    for (const spelling of [
      home,
      `${home}/`,
      `${home}/.`,
      `${home}/app/..`,
      join(base, 'link-to-home'),
      '/',
      '/tmp',
      base,
    ])
      expect(takeManual(parts, spelling, 'r')).toMatchObject({ ok: false, code: 'broad_root' });
    expect(parts.registry.read(projectHash(home))).toMatchObject({
      project: { notice: { code: 'broad_root' } },
    });
    expect(parts.journals.hashes()).toEqual([]);
  });

  it('refuses what is no folder', () => {
    expect(takeManual(parts, join(root, 'none'), 'r')).toMatchObject({ ok: false, code: 'not_a_folder' });
    expect(takeManual(parts, join(root, 'src/a.ts'), 'r')).toMatchObject({ ok: false, code: 'not_a_folder' });
  });

  it('fails with what is wrong when the store is a file', () => {
    rmSync(folder, { recursive: true, force: true });
    write(folder, '');
    expect(takeManual(parts, root, 'r')).toMatchObject({ ok: false, code: 'take_failed' });
    rmSync(folder);
  });
});

describe('settleDead', () => {
  it('closes with what the next snapshot found, where there is one', () => {
    before({ process: dead });
    write('src/a.ts', 'by the dead');
    before();
    write('src/a.ts', 'later');
    expect(settleDead(parts, projectHash(root))).toEqual({ closed: 1, failures: [] });
    const [close] = closes();
    expect(close).toMatchObject({ opens: 1, isLate: true });
    expect(close?.after?.root).toBe(opens()[1]?.before?.root);
    expect(contentAt(close?.after?.root, 'src/a.ts')).toBe('by the dead');
    expect(close?.changes.map(({ path }) => path)).toEqual(['src/a.ts']);
  });

  it('closes with what is there now, else', () => {
    before({ process: dead, paths: ['.env'] });
    write('.env', 'now');
    write('src/a.ts', 'now');
    expect(settleDead(parts, projectHash(root)).closed).toBe(1);
    expect(contentAt(closes()[0]?.after?.root, 'src/a.ts')).toBe('now');
    expect(closes()[0]?.named).toMatchObject([{ path: '.env', state: { kind: 'file', size: 3 } }]);
    expect(settleDead(parts, projectHash(root)).closed).toBe(0);
  });

  it('takes the named state that a later record found', () => {
    captureBefore(parts, { reason: 'r', owner, paths: [join(root, 'src/a.ts')], process: dead });
    write('src/a.ts', 'second');
    captureBefore(parts, { reason: 'r', owner, paths: [join(root, 'src/a.ts')] });
    write('src/a.ts', 'third, and longer');
    settleDead(parts, projectHash(root));
    expect(closes()[0]?.named).toMatchObject([{ path: 'src/a.ts', state: { size: 6 } }]);
  });

  it('leaves alone what is closed, what a person took, and what may live', () => {
    const { token } = before({ process: dead });
    captureAfter(parts, token);
    takeManual({ ...parts, process: dead }, root, 'manual');
    before();
    before({ process: { ...self, pidNamespace: 'elsewhere' } });
    expect(settleDead(parts, projectHash(root))).toEqual({ closed: 0, failures: [] });
  });

  it('does nothing while maintenance runs', async () => {
    before({ process: dead });
    const lock = await acquireLock(join(folder, 'gc.lock'));
    if (!lock.ok) throw new Error(lock.message);
    expect(settleDead(parts, projectHash(root)).closed).toBe(0);
    await lock.value.release();
    expect(settleDead(parts, projectHash(root)).closed).toBe(1);
  });

  it('does nothing for a project nobody knows', () => {
    expect(settleDead(parts, '0123456789abcdef')).toEqual({ closed: 0, failures: [] });
  });
});

describe('persistManifests', () => {
  it('names the snapshot that the manifest describes', () => {
    before();
    expect(parts.pending.size).toBe(1);
    expect(persistManifests(parts)).toEqual([]);
    expect(parts.pending.size).toBe(0);
    const h16 = projectHash(root);
    const commit = parts.objects.read(parts.refs.get(treeRef(h16)) ?? '');
    expect(commit === undefined ? '' : treeOfCommit(commit.bytes)).toBe(opens()[0]?.before?.root);
    expect(existsSync(join(folder, `manifests/${h16}.bin`))).toBe(true);
    parts = partsOf();
    expect(before().failures).toEqual([]);
    expect(opens()[1]?.before?.root).toBe(opens()[0]?.before?.root);
  });

  it('names nothing whose record is gone', () => {
    before();
    const h16 = projectHash(root);
    parts.journals.of(h16).remove([1]);
    parts.refs.delete(`${h16}/0000000001`);
    expect(persistManifests(parts)).toEqual([]);
    expect(parts.refs.get(treeRef(h16))).toBeUndefined();
  });

  it('waits while maintenance runs', async () => {
    before();
    const lock = await acquireLock(join(folder, 'gc.lock'));
    if (!lock.ok) throw new Error(lock.message);
    persistManifests(parts);
    expect(parts.pending.size).toBe(1);
    await lock.value.release();
    persistManifests(parts);
    expect(parts.pending.size).toBe(0);
  });
});
