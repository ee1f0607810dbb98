import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type IgnoreRules, parseIgnoreFile } from '../../../kernel/gitignore/index.ts';
import { isSameState, type PathChange, type PathState } from '../model/path-state.ts';
import { hashObject } from '../objects/object-name.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import { entriesOf, stateAt } from '../snapshots/snapshot-entries.ts';
import { readMeta } from '../snapshots/snapshot-meta.ts';
import { type ScanRequest, TreeScanner } from './tree-scanner.ts';

const created: string[] = [];

afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true });
});

function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  created.push(folder);
  return folder;
}

interface Level {
  readonly prefix: string;
  readonly rules: IgnoreRules;
}

const BUILT_IN = new Set(['node_modules', '.env']);
const MAX_FILE_BYTES = 40;

/** The whole tree, read by the simplest code there is. */
function readTree(root: string): Map<string, PathState> {
  const states = new Map<string, PathState>();
  const read = (prefix: string, above: readonly Level[]): void => {
    const names = readdirSync(join(root, prefix));
    const own = names.includes('.gitignore') && lstatSync(join(root, prefix, '.gitignore')).isFile();
    const levels = own
      ? [{ prefix, rules: parseIgnoreFile(readFileSync(join(root, prefix, '.gitignore'), 'utf8')) }, ...above]
      : above;
    for (const name of names) {
      const path = prefix + name;
      const stat = lstatSync(join(root, path));
      const answer = levels
        .map((level) => level.rules(path.slice(level.prefix.length), stat.isDirectory()))
        .find((given) => given !== undefined);
      const mode = stat.mode & 0o7777;
      if (BUILT_IN.has(name) || answer === 'ignored') {
        states.set(path, { kind: 'hole', reason: 'ignored' });
      } else if (stat.isDirectory()) {
        states.set(path, { kind: 'directory', mode });
        read(`${path}/`, levels);
      } else if (stat.isSymbolicLink()) {
        const oid = hashObject('blob', Buffer.from(readlinkSync(join(root, path))));
        states.set(path, { kind: 'link', oid });
      } else if (stat.size > MAX_FILE_BYTES) {
        states.set(path, { kind: 'hole', reason: 'too_large' });
      } else {
        const bytes = readFileSync(join(root, path));
        states.set(path, { kind: 'file', mode, oid: hashObject('blob', bytes), size: bytes.length });
      }
    }
  };
  read('', []);
  return states;
}

function stateIn(states: ReadonlyMap<string, PathState>, path: string): PathState {
  for (let outer = path; outer !== '.'; outer = dirname(outer)) {
    const state = states.get(outer);
    if (state?.kind === 'hole') return state;
  }
  return states.get(path) ?? { kind: 'absent' };
}

function diffTrees(before: Map<string, PathState>, after: Map<string, PathState>): readonly PathChange[] {
  const isCaptured = ({ kind }: PathState): boolean => kind !== 'hole' && kind !== 'absent';
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((path) => ({ path, before: stateIn(before, path), after: stateIn(after, path) }))
    .filter(
      (change) =>
        isCaptured(change.before) ||
        isCaptured(change.after) ||
        (before.get(change.path)?.kind === 'hole' && change.after.kind === 'absent'),
    )
    .filter((change) => !isSameState(change.before, change.after));
}

const name = fc.constantFrom(
  'a',
  'b',
  'c.log',
  'build',
  'a.b',
  'node_modules',
  '.env',
  'é\n"x',
  '.gitignore',
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const text = fc.constantFrom(
  'one',
  'two',
  'six',
  '',
  'x'.repeat(MAX_FILE_BYTES),
  'y'.repeat(MAX_FILE_BYTES + 1),
);
const rules = fc.constantFrom(
  '*.log\n',
  'build/\n',
  '/a\n',
  'b\n!b\n',
  '*\n!a\n',
  '.gitignore\n',
  'a/b\n',
  '',
);
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o4755, 0o664);

const edit = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('write' as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('folder' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('link' as const), path, text: fc.constantFrom('a', '/etc') }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rename' as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('mode' as const), path, mode }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('rules' as const),
      path: fc.constantFrom('', 'a/', 'build/'),
      text: rules,
    }),
  },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** What the system refuses does not happen. */
function apply(root: string, change: Edit): void {
  const at = join(root, change.path);
  try {
    switch (change.type) {
      case 'write':
        if (at.endsWith('.gitignore')) return;
        mkdirSync(dirname(at), { recursive: true });
        if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(at);
        writeFileSync(at, change.text);
        break;
      case 'folder':
        if (at.endsWith('.gitignore')) return;
        if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(at, { force: true });
        mkdirSync(at, { recursive: true });
        break;
      case 'link':
        rmSync(at, { recursive: true, force: true });
        symlinkSync(change.text, at);
        break;
      case 'remove':
        rmSync(at, { recursive: true, force: true });
        break;
      case 'rename':
        renameSync(at, join(root, change.to));
        break;
      case 'mode':
        if (lstatSync(at).isSymbolicLink()) return;
        chmodSync(at, lstatSync(at).isDirectory() ? change.mode | 0o700 : change.mode);
        break;
      case 'rules':
        writeFileSync(join(at, '.gitignore'), change.text);
        break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

function request(root: string): ScanRequest {
  return {
    h16: '0123456789abcdef',
    root,
    maxFileBytes: MAX_FILE_BYTES,
    touched: [],
    skip: [],
    isAlive: () => true,
    mayReuse: true,
  };
}

describe('TreeScanner', () => {
  it('finds what a full read finds after any edits, and says what they were', () => {
    const storeFolder = newFolder('scan-store-');
    const objects = ObjectStore.create(storeFolder);
    fc.assert(
      fc.property(
        fc.array(fc.array(edit, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        (rounds) => {
          const root = newFolder('scan-tree-');
          const scanner = new TreeScanner({ objects });
          scanner.scan({ ...request(root), mayReuse: false });
          let before = { root: scanner.scan(request(root)).snapshot.root, states: readTree(root) };
          for (const edits of rounds) {
            for (const change of edits) apply(root, change);
            const { snapshot } = scanner.scan(request(root));
            const states = readTree(root);
            const expected = [...states].filter(([, state]) => state.kind !== 'hole');
            expect(
              Array.from(entriesOf(objects, snapshot.root), (entry) => [entry.path, entry.state]),
            ).toEqual(expected.sort(([one], [other]) => (one < other ? -1 : 1)));
            const holes = [...states].filter(([, state]) => state.kind === 'hole').map(([hole]) => hole);
            expect(readMeta(objects, snapshot.root).holes.map((hole) => hole.path)).toEqual(holes.sort());
            expect(snapshot.holes).toBe(holes.length);
            expect(snapshot.files).toBe(
              expected.filter(([, { kind }]) => kind === 'file' || kind === 'link').length,
            );
            expect(diffSnapshots(objects, before.root, snapshot.root)).toEqual(
              diffTrees(before.states, states),
            );
            for (const [at] of states)
              expect(stateAt(objects, snapshot.root, at)).toEqual(stateIn(states, at));
            expect(scanner.scan(request(root)).snapshot).toBe(snapshot);
            scanner.persist(request(root).h16);
            const second = new TreeScanner({ objects }).scan(request(root));
            expect(second).toEqual({ snapshot, bytes: 0 });
            const fresh = new TreeScanner({ objects }).scan({ ...request(root), isAlive: () => false });
            expect(fresh.snapshot).toEqual(snapshot);
            before = { root: snapshot.root, states };
          }
          rmSync(root, { recursive: true });
        },
      ),
      { numRuns: 150 },
    );
    expect(
      execFileSync('git', ['fsck', '--full', '--strict', '--no-dangling'], {
        cwd: storeFolder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ).toBe('');
  });
});
