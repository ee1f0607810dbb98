import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rawStat } from '../../../platform/raw-files/index.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { buildTrees } from './build-trees.ts';
import { dropMoved } from './drop-moved.ts';
import { emptyRecord, type FolderRecord, holeReasonOf, KIND } from './folder-record.ts';
import { readPending } from './read-pending.ts';
import { ScanClock } from './scan-clock.ts';
import { walkWhole } from './walk-whole.ts';

const base = mkdtempSync(join(tmpdir(), 'moving-tree-'));
const objects = ObjectStore.create(join(base, 'store'));
let count = 0;

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Does something as soon as the walk asks about an entry. */
class Trigger extends Set<string> {
  readonly #path: string;
  readonly #action: () => void;

  constructor(path: string, action: () => void) {
    super();
    this.#path = path;
    this.#action = action;
  }

  override has(path: string): boolean {
    if (path === this.#path) this.#action();
    return super.has(path);
  }
}

interface Moving {
  /** Absolute: a file or a folder with the file `inner`, which the system lists first. */
  readonly path: string;
  /** What the scan makes of it. */
  readonly state: string;
  readonly content: string;
  readonly inner: FolderRecord | undefined;
}

/** Scans a tree in which `action` happens to the first entry after it was looked at: at once, or before files are read. */
function scanMoving(
  kind: 'file' | 'folder',
  moment: 'walk' | 'read',
  action: (path: string) => void,
  previous: FolderRecord | undefined,
): Moving {
  count += 1;
  const root = join(base, `tree-${String(count)}`);
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(root, kind === 'file' ? '' : name), { recursive: true });
    writeFileSync(join(root, kind === 'file' ? name : `${name}/inner`), 'inner');
  }
  const [first = '', second = ''] = readdirSync(root);
  const path = join(root, first);
  const stat = rawStat(root);
  if (stat === undefined) throw new Error('the root is there');
  const writer = objects.writer({ mayReuse: true });
  const parts = {
    maxFileBytes: 100,
    skip: new Trigger(second, () => {
      if (moment === 'walk') action(path);
    }),
    clock: ScanClock.start(root, stat, join(base, 'store', 'manifests')),
    indexes: new Map(),
    writer: () => writer,
    scratch: Buffer.alloc(1000),
  };
  const start = {
    path: root,
    stat,
    previous,
    hasSameNames: false,
    isDecidedAnew: true,
    hasNewIndex: true,
    repository: undefined,
    level: () => undefined,
  };
  const walk = walkWhole(parts, start, 100);
  if (walk === undefined) throw new Error('there are few files');
  if (moment === 'read') action(path);
  readPending(walk.pending, parts);
  dropMoved(walk.visits);
  const record = buildTrees(walk.visits, () => writer);
  writer.finish();
  const at = record.names.indexOf(first);
  expect(record.files).toBe(2 + (record.kinds[at] === KIND.file || record.kinds[at] === KIND.link ? 1 : 0));
  const known = Object.entries(KIND).find(([, number]) => number === record.kinds[at])?.[0];
  return {
    path,
    state: holeReasonOf(record.kinds[at] ?? KIND.gone) ?? known ?? '',
    content: Buffer.from(objects.read(record.oids[at] ?? '')?.bytes ?? []).toString(),
    inner: record.folders[at],
  };
}

const replacements: readonly (readonly [string, string, (path: string) => void])[] = [
  ['gone', '', () => undefined],
  [
    'file',
    'new',
    (path) => {
      writeFileSync(path, 'new');
    },
  ],
  [
    'link',
    '/etc',
    (path) => {
      symlinkSync('/etc', path);
    },
  ],
  [
    'special',
    '',
    (path) => {
      execFileSync('mkfifo', [path]);
    },
  ],
  [
    'too_large',
    '',
    (path) => {
      writeFileSync(path, 'x'.repeat(101));
    },
  ],
];

/** The first scan of a tree looks at its files only when it reads them, later ones before that. */
const scans = [
  { scan: 'first', previous: undefined },
  { scan: 'later', previous: emptyRecord([]) },
];

describe.each(scans)('a tree that changes during a $scan scan', ({ previous }) => {
  const scan = (kind: 'file' | 'folder', moment: 'walk' | 'read', action: (path: string) => void): Moving =>
    scanMoving(kind, moment, action, previous);

  it.each(replacements)('has a %s where a folder was when it was looked at', (state, content, put) => {
    const found = scan('folder', 'walk', (path) => {
      rmSync(path, { recursive: true });
      put(path);
    });
    expect(found).toMatchObject({ state, content, inner: undefined });
  });

  it.each(replacements)('has a %s where a file was when it was looked at', (state, content, put) => {
    const found = scan('file', 'read', (path) => {
      rmSync(path);
      put(path);
    });
    expect(found).toMatchObject({ state, content });
  });

  it.each(replacements)(
    'knows nothing of a folder that became a %s before its files were read',
    (kind, _, put) => {
      const { state, inner } = scan('folder', 'read', (path) => {
        rmSync(path, { recursive: true });
        put(path);
      });
      expect([state, inner]).toEqual([kind === 'gone' ? 'gone' : 'unstable', undefined]);
    },
  );

  it('takes nothing from outside through a link that took the place of a folder', () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    writeFileSync(join(outside, 'inner'), 'secret');
    for (const moment of ['walk', 'read'] as const) {
      const { state, inner } = scan('folder', moment, (path) => {
        rmSync(path, { recursive: true });
        symlinkSync(outside, path);
      });
      expect([state, inner]).toEqual([moment === 'walk' ? 'link' : 'unstable', undefined]);
    }
  });

  it('has a hole where a file was and a folder is', () => {
    const { state } = scan('file', 'read', (path) => {
      rmSync(path);
      mkdirSync(path);
    });
    expect(state).toBe('unstable');
  });

  it('is read as it is when it is read', () => {
    const found = scan('file', 'read', (path) => {
      writeFileSync(path, 'other');
    });
    expect(found).toMatchObject({ state: 'file', content: 'other' });
  });
});
