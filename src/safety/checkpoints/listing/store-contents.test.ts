import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ObjectStore } from '../objects/object-store.ts';
import { ChangeTotals } from './change-totals.ts';
import { diffSince } from './diff-since.ts';
import { groupEntries } from './entries.ts';
import { FakeProject } from './fake-project.ts';
import { listEntries } from './list-entries.ts';
import { resolveCheckpoint } from './resolve-checkpoint.ts';
import { storeContents } from './store-contents.ts';

const BEFORE = 'a\nb\n';
const AFTER = 'a\nc\nd\n';

function made() {
  const objects = ObjectStore.create(join(mkdtempSync(join(tmpdir(), 'listing-')), 'store'));
  const writer = objects.writer({ mayReuse: false });
  const oid = writer.blob(Buffer.from(BEFORE));
  writer.blob(Buffer.from(AFTER));
  writer.finish();
  const project = new FakeProject();
  project.write('f', BEFORE);
  project.call({ turn: 't1', named: ['f'] }, () => project.write('f', AFTER));
  return { objects, project, oid };
}

function fingerprint(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs, ctimeMs, ino, mode } = lstatSync(join(folder, name));
      return [name, size, mtimeMs, ctimeMs, ino, mode].join(' ');
    });
}

function loosePath(objects: ObjectStore, oid: string): string {
  return join(objects.folder, 'objects', oid.slice(0, 2), oid.slice(2));
}

it('lists, resolves and compares without a trace on the disk', () => {
  const { objects, project } = made();
  const before = fingerprint(objects.folder);
  expect(before.length).toBeGreaterThan(0);
  const contents = storeContents(objects);
  const { records, now, snapshots } = project;
  expect(listEntries({ records, totals: new ChangeTotals(contents) })).toMatchObject([
    { files: 1, insertions: 2, deletions: 1 },
  ]);
  const found = resolveCheckpoint({ ref: '1', directory: '/p', records, otherProjects: () => [] });
  if (!found.ok) throw new Error(found.message);
  expect(diffSince({ contents, snapshots }, { entry: found.value, records, now }).patch).toContain(
    '-b\n+c\n+d\n',
  );
  expect(fingerprint(objects.folder)).toEqual(before);
});

it('takes a damaged content for a lost one', () => {
  const { objects, project, oid } = made();
  const path = loosePath(objects, oid);
  const bytes = readFileSync(path);
  chmodSync(path, 0o600);
  writeFileSync(path, bytes.subarray(0, bytes.length - 4));
  const contents = storeContents(ObjectStore.open(objects.folder));
  expect(contents.read(oid)).toBeUndefined();
  const { records, now, snapshots } = project;
  expect(listEntries({ records, totals: new ChangeTotals(contents) })).toMatchObject([
    { files: 1, insertions: 0, deletions: 0 },
  ]);
  const [entry] = groupEntries(records);
  if (entry === undefined) throw new Error('no entry');
  expect(diffSince({ contents, snapshots }, { entry, records, now })).toMatchObject({
    files: [{ path: 'f', status: 'modified' }],
    holes: [{ path: 'f', reason: 'unreadable' }],
  });
});

it('has no content of what was never stored', () => {
  const { objects } = made();
  expect(storeContents(objects).read('0'.repeat(40))).toBeUndefined();
});
