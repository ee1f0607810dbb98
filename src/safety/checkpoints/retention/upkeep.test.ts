import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import { projectHash } from '../projects/project-hash.ts';
import { openRef, privateRef } from '../projects/ref-names.ts';
import { archiveLegacy } from './archive-legacy.ts';
import { clear } from './clear.ts';
import { drop } from './drop.ts';
import {
  DAY,
  expectSound,
  H16,
  ids,
  newFolder,
  newStore,
  ROOT,
  removeFolders,
  take,
  value,
} from './fixtures/trial-checks.ts';
import { openTrial } from './fixtures/trial-store.ts';
import { takeInventory } from './inventory.ts';
import { judgeWorkdir } from './judge-workdir.ts';
import { clearLegacy } from './legacy.ts';
import { maintain } from './maintain.ts';
import { reclaim } from './reclaim.ts';
import { repair } from './repair.ts';
import type { RetentionParts } from './retention-parts.ts';
import { storeStatus } from './status.ts';
import { prune, sweep } from './sweep.ts';
import { trim } from './trim.ts';
import { verify } from './verify.ts';

afterEach(removeFolders);

const SETTINGS = {
  maxSnapshots: 20,
  maxTotalBytes: 0,
  maxFileBytes: 0,
  autoPrune: true,
  retentionMs: 7 * DAY,
  privateRetentionMs: 2 * DAY,
  minIntervalMs: DAY,
  onFailure: 'warn' as const,
};

describe('judgeWorkdir', () => {
  it('says orphan only for a folder that is gone from the very folder it was in', () => {
    const parent = newFolder();
    const workdir = join(parent, 'project');
    const { dev, ino } = statSync(parent);
    mkdirSync(workdir);
    expect(judgeWorkdir(workdir, { dev, ino })).toBe('live');
    rmSync(workdir, { recursive: true });
    expect(judgeWorkdir(workdir, { dev, ino })).toBe('unreachable');
    writeFileSync(join(parent, 'other'), '');
    expect(judgeWorkdir(workdir, { dev, ino })).toBe('orphan');
    expect(judgeWorkdir(workdir, undefined)).toBe('unreachable');
    expect(judgeWorkdir(workdir, { dev, ino: ino + 1 })).toBe('unreachable');
    expect(judgeWorkdir(workdir, { dev: dev + 1, ino })).toBe('unreachable');
    expect(judgeWorkdir(join(workdir, 'below'), { dev, ino })).toBe('unreachable');
    writeFileSync(workdir, 'a file');
    expect(judgeWorkdir(workdir, { dev, ino })).toBe('unreachable');
    expect(judgeWorkdir(join(parent, 'x'.repeat(300)), { dev, ino })).toBe('unreachable');
  });
});

describe('sweep', () => {
  it('drops what is too old, entry by entry and project by project, and legacy archives', async () => {
    let now = 1000 * DAY;
    const parts = newStore({ now: () => now });
    const idle = join(newFolder(), 'idle');
    mkdirSync(idle);
    take(parts, { root: idle });
    take(parts);
    const legacy = join(parts.base, 'legacy-20260506-050616');
    mkdirSync(legacy);
    utimesSync(legacy, now / 1000, now / 1000);
    now += 5 * DAY;
    const young = take(parts);
    now += 3 * DAY;
    const outcome = await sweep(parts, SETTINGS);
    expect(outcome).toMatchObject({
      type: 'swept',
      report: { scanned: 2, deletedOrphans: 0, deletedStale: 1, droppedEntries: 2, errors: [] },
    });
    expect(ids(parts)).toEqual([young.id]);
    expect(parts.registry.hashes()).toEqual([H16]);
    expect(existsSync(legacy)).toBe(false);
    await expectSound(parts);
  });

  it('drops what is too old of places that are no projects, and then their journals', async () => {
    const start = Date.now();
    let now = start;
    const parts = newStore({ now: () => now });
    take(parts);
    parts.registry.remove(H16);
    now += 2 * DAY;
    const young = take(parts);
    parts.registry.remove(H16);
    now += 6 * DAY;
    expect(await sweep(parts, SETTINGS)).toMatchObject({ report: { droppedEntries: 1, errors: [] } });
    expect(ids(parts)).toEqual([young.id]);
    now += 9 * DAY;
    expect(await sweep(parts, SETTINGS)).toMatchObject({ report: { droppedEntries: 1, errors: [] } });
    expect(parts.journals.hashes()).toEqual([]);
    await expectSound(parts);
  });

  it('runs once in an interval, also for two processes, and again when the marker is damaged or from the future', async () => {
    let now = 1000 * DAY;
    const parts = newStore({ now: () => now });
    take(parts);
    const both = await Promise.all([sweep(parts, SETTINGS), sweep(parts, SETTINGS)]);
    expect(both.map(({ type }) => type).toSorted()).toEqual(['skipped', 'swept']);
    expect(storeStatus(parts, 0).lastSweep).toBe(now);
    now += DAY - 1;
    expect(await sweep(parts, SETTINGS)).toEqual({ type: 'skipped', reason: 'not_due' });
    now += 1;
    expect((await sweep(parts, SETTINGS)).type).toBe('swept');
    for (const text of ['what?', '', '99999999999', '-1', '1e3']) {
      writeFileSync(join(parts.base, '.last_prune'), text);
      expect((await sweep(parts, SETTINGS)).type, text).toBe('swept');
    }
  });

  it('does nothing when it is switched off or there is no store', async () => {
    const parts = newStore();
    expect(await sweep(parts, { ...SETTINGS, autoPrune: false })).toEqual({ type: 'skipped', reason: 'off' });
    rmSync(parts.folder, { recursive: true });
    expect(await sweep(parts, SETTINGS)).toEqual({ type: 'skipped', reason: 'no_store' });
    expect(readdirSync(parts.base)).toEqual([]);
  });

  it('does not begin when it cannot note that it does', async () => {
    const parts = newStore();
    const { id } = take(parts, { at: 1 });
    mkdirSync(join(parts.base, '.last_prune.lock'));
    expect((await sweep(parts, SETTINGS)).type).not.toBe('swept');
    expect(ids(parts)).toEqual([id]);
  });

  it('takes a folder in the place of its marker away', async () => {
    const parts = newStore();
    take(parts);
    mkdirSync(join(parts.base, '.last_prune/in/the/way'), { recursive: true });
    expect((await sweep(parts, SETTINGS)).type).toBe('swept');
    expect((await sweep(parts, SETTINGS)).type).toBe('skipped');
  });

  it('never touches an orphan, however old', async () => {
    let now = 1000 * DAY;
    const parts = newStore({ now: () => now });
    const parent = newFolder();
    const gone = join(parent, 'gone');
    mkdirSync(gone);
    writeFileSync(join(parent, 'other'), '');
    const { id } = take(parts, { root: gone });
    rmSync(gone, { recursive: true });
    now += 100 * DAY;
    expect(await sweep(parts, SETTINGS)).toMatchObject({ report: { deletedOrphans: 0, deletedStale: 0 } });
    expect(ids(parts, projectHash(gone))).toEqual([id]);
  });

  it('gives up private content after its own time, and the record stays', async () => {
    let now = 1000 * DAY;
    const parts = newStore({ now: () => now });
    const { id, seq } = take(parts, { files: { '.env': 'TOKEN=1', a: 'public' }, secret: ['.env'] });
    expect(parts.refs.get(privateRef(H16, seq))).toBeDefined();
    await expectSound(parts);
    now += 3 * DAY;
    await sweep(parts, SETTINGS);
    expect(parts.refs.get(privateRef(H16, seq))).toBeUndefined();
    expect(ids(parts)).toEqual([id]);
    const state = parts.journals
      .of(H16)
      .record(seq)
      ?.named.find(({ path }) => path === '.env')?.state;
    expect(state?.kind === 'file' && parts.objects.has(state.oid)).toBe(false);
    await expectSound(parts);
  });
});

describe('prune', () => {
  function orphaned(parts: RetentionParts, count: number): readonly string[] {
    const parent = newFolder();
    writeFileSync(join(parent, 'other'), '');
    return Array.from({ length: count }, (_, index) => {
      const root = join(parent, `gone-${String(index)}`);
      mkdirSync(root);
      take(parts, { root });
      rmSync(root, { recursive: true });
      return root;
    });
  }
  const request = { ...SETTINGS, keepOrphans: false, confirmedOrphans: [] as readonly string[] };

  it('deletes the orphans that were confirmed, and no other one', async () => {
    const parts = newStore();
    const [one = '', other = ''] = orphaned(parts, 2);
    take(parts);
    const orphans = storeStatus(parts, 0).projects.filter(({ state }) => state === 'orphan');
    expect(orphans.map(({ workdir }) => workdir).toSorted()).toEqual([one, other]);
    expect(await prune(parts, request)).toMatchObject({ deletedOrphans: 0, scanned: 3 });
    const confirmedOrphans = [projectHash(one), H16, 'constructor'];
    expect(await prune(parts, { ...request, keepOrphans: true, confirmedOrphans })).toMatchObject({
      deletedOrphans: 0,
    });
    const report = await prune(parts, { ...request, confirmedOrphans });
    expect(report).toMatchObject({ deletedOrphans: 1, droppedEntries: 1, errors: [] });
    expect(parts.registry.hashes()).toEqual([projectHash(other), H16].toSorted());
    expect(parts.refs.list(projectHash(one))).toEqual([]);
    await expectSound(parts);
  });

  it('spares one that has come back while the person was asked', async () => {
    const parts = newStore();
    const [root = ''] = orphaned(parts, 1);
    mkdirSync(root);
    expect(await prune(parts, { ...request, confirmedOrphans: [projectHash(root)] })).toMatchObject({
      deletedOrphans: 0,
    });
    expect(ids(parts, projectHash(root))).toHaveLength(1);
  });

  it('says that the store is over its limit, and works whenever the last sweep was', async () => {
    const parts = newStore();
    take(parts, { files: { a: randomBytes(100_000) } });
    expect(await prune(parts, { ...request, maxTotalBytes: 1 })).toMatchObject({ isOverCap: true });
    expect(await prune(parts, { ...request, maxTotalBytes: 1 })).toMatchObject({ isOverCap: true });
  });
});

describe('status', () => {
  it('tells of every project and archive', () => {
    const parts = newStore();
    const live = join(newFolder(), 'live');
    mkdirSync(live);
    take(parts, { root: live });
    take(parts, { root: live, at: Date.now() + 5000 });
    parts.registry.setNotice(projectHash(live), { code: 'broad_root', message: 'too broad', at: 1 });
    take(parts, { root: ROOT, at: 1000 });
    mkdirSync(join(parts.base, 'legacy-1'));
    writeFileSync(join(parts.base, 'legacy-1/x'), 'xxx');
    writeFileSync(join(parts.folder, 'projects/0123456789abcdef.json'), '{');
    const status = storeStatus(parts, 5);
    expect(status).toMatchObject({ isThere: true, isOverCap: true, capBytes: 5, lastSweep: undefined });
    expect(status.projects).toMatchObject([
      { workdir: live, snapshots: 2, state: 'live', notice: { code: 'broad_root' } },
      { workdir: ROOT, snapshots: 1, state: 'unreachable', lastTouch: 1000 },
    ]);
    expect(status.legacy).toMatchObject([{ name: 'legacy-1' }]);
    expect(status.bytes).toBe(status.storeBytes + (status.legacy[0]?.bytes ?? 0));
    expect(status.damaged).toHaveLength(1);
  });

  it('is empty where there is no store', () => {
    const parts = newStore();
    rmSync(parts.base, { recursive: true });
    expect(storeStatus(parts, 5)).toMatchObject({
      isThere: false,
      bytes: 0,
      projects: [],
      legacy: [],
      isOverCap: false,
    });
  });
});

describe('verify and repair', () => {
  it('finds a store in order', async () => {
    const parts = newStore();
    take(parts);
    take(parts, { isScan: true });
    expect(await verify(parts)).toMatchObject({
      isClean: true,
      records: 4,
      refs: 4,
      projects: 1,
      damage: [],
      leftovers: [],
    });
  });

  it('finds a changed, an emptied and a missing object, and puts the entries that need them aside', async () => {
    const parts = newStore();
    const good = take(parts, { files: { a: 'good' } });
    const paths = ['changed', 'emptied', 'missing'].map((text) => {
      const { named } = take(parts, { files: { a: text } });
      const state = named[0]?.state;
      if (state?.kind !== 'file') throw new Error('no file');
      return join(parts.folder, 'objects', state.oid.slice(0, 2), state.oid.slice(2));
    });
    const [changed = '', emptied = '', missing = ''] = paths;
    const bytes = readFileSync(changed);
    bytes[bytes.length - 6] = (bytes.at(-6) ?? 0) ^ 1;
    writeFileSync(changed, bytes);
    truncateSync(emptied);
    rmSync(missing);
    const report = await verify(parts);
    expect(report.isClean).toBe(false);
    expect(report.damage.filter(({ type }) => type === 'object')).toHaveLength(3);
    expect(report.damage.filter(({ type }) => type === 'record')).toHaveLength(6);
    const done = await value(repair(parts));
    expect(done).toMatchObject({ droppedEntries: 3, isComplete: true, after: { isClean: true } });
    expect(readdirSync(join(done.aside ?? '', 'journals', H16))).toHaveLength(6);
    expect(readdirSync(join(done.aside ?? '', 'objects'))).toHaveLength(2);
    expect(existsSync(changed)).toBe(false);
    expect(ids(parts)).toEqual([good.id]);
    expect(storeStatus(parts, 0).aside).toHaveLength(1);
    await expectSound(parts);
    expect(await value(repair(parts))).toMatchObject({ done: [], droppedEntries: 0, aside: undefined });
  });

  it('names damaged records, projects and packs, and moves them aside', async () => {
    const parts = newStore();
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`f${String(index)}`, String(index)]),
    );
    const packed = take(parts, { files: many });
    const record = take(parts);
    const good = take(parts);
    const other = '/trial/other';
    take(parts, { root: other });
    const [pack] = parts.objects.packs();
    const index = readFileSync(pack?.indexPath ?? '');
    index[2000] = (index[2000] ?? 0) ^ 1;
    rmSync(pack?.indexPath ?? '');
    writeFileSync(pack?.indexPath ?? '', index);
    const fresh = openTrial(parts.base);
    writeFileSync(
      join(parts.folder, 'journals', H16, `${String(record.seq).padStart(10, '0')}.json`),
      '{"x":',
    );
    writeFileSync(join(parts.folder, 'projects', `${projectHash(other)}.json`), 'nothing');
    const types = new Set((await verify(fresh)).damage.map(({ type }) => type));
    expect([...types].toSorted()).toEqual(expect.arrayContaining(['pack', 'project', 'record']));
    const done = await value(repair(fresh));
    expect(done.after).toMatchObject({ isClean: true });
    expect(ids(fresh)).toEqual([good.id]);
    expect(ids(fresh)).not.toContain(packed.id);
    expect(ids(fresh, projectHash(other))).toHaveLength(1);
    expect(readdirSync(done.aside ?? '').toSorted()).toEqual(
      expect.arrayContaining(['journals', 'packs', 'projects']),
    );
    await expectSound(fresh);
  });

  it('salvages the rest of a pack with one damaged object', async () => {
    const parts = newStore();
    const files = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [
          `${prefix}${String(index)}`,
          `${prefix}${String(index)} `.repeat(50),
        ]),
      );
    const bad = take(parts, { files: files('bad') });
    const good = take(parts, { files: files('good') });
    await value(maintain(parts, { maxSnapshots: 20, maxTotalBytes: 0 }));
    const [pack] = parts.objects.packs();
    if (pack === undefined) throw new Error('no pack');
    const listed = takeInventory(parts.objects).packs[0]?.listed ?? [];
    const state = bad.named[7]?.state;
    const place = listed.find(({ oid }) => state?.kind === 'file' && state.oid === oid);
    const bytes = readFileSync(pack.path);
    bytes[(place?.offset ?? 0) + 9] = (bytes[(place?.offset ?? 0) + 9] ?? 0) ^ 0xff;
    rmSync(pack.path);
    writeFileSync(pack.path, bytes);
    const fresh = openTrial(parts.base);
    expect((await verify(fresh)).isClean).toBe(false);
    expect(await value(repair(fresh))).toMatchObject({ droppedEntries: 1, after: { isClean: true } });
    expect(ids(fresh)).toEqual([good.id]);
    await expectSound(fresh);
  });

  it('makes what git needs, and refs that were lost, anew', async () => {
    const parts = newStore();
    const { seq, id } = take(parts);
    rmSync(join(parts.folder, 'HEAD'));
    rmSync(join(parts.folder, 'refs/heads'), { recursive: true });
    rmSync(join(parts.folder, 'refs/herma', openRef(H16, seq)));
    expect((await verify(parts)).damage.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['layout', 'record']),
    );
    expect(await value(repair(parts))).toMatchObject({ droppedEntries: 0, after: { isClean: true } });
    expect(parts.refs.get(openRef(H16, seq))).toBe(id);
    await expectSound(parts);
  });

  it('replaces a ref that was emptied', async () => {
    const parts = newStore();
    const { seq, id } = take(parts);
    truncateSync(join(parts.folder, 'refs/herma', openRef(H16, seq)));
    expect((await verify(parts)).isClean).toBe(false);
    expect(await value(repair(parts))).toMatchObject({ droppedEntries: 0, after: { isClean: true } });
    expect(parts.refs.get(openRef(H16, seq))).toBe(id);
  });
});

describe('where there is no store', () => {
  it('nothing is done and nothing is made', async () => {
    const parts = newStore();
    rmSync(parts.base, { recursive: true });
    expect(await value(reclaim(parts))).toMatchObject({ isComplete: true, bytes: 0 });
    expect(await verify(parts)).toMatchObject({ isClean: true, records: 0 });
    expect(await value(repair(parts))).toMatchObject({ done: [], after: { isClean: true } });
    expect(await value(maintain(parts, SETTINGS))).toMatchObject({ isOverCap: false });
    const request = { ...SETTINGS, keepOrphans: false, confirmedOrphans: [] };
    expect(await prune(parts, request)).toMatchObject({ scanned: 0, errors: [] });
    expect(await value(clear(parts))).toMatchObject({ wasThere: false });
    expect(trim(parts, H16, 1)).toBe(0);
    expect(existsSync(parts.base)).toBe(false);
  });
});

describe('clear, clearLegacy and drop', () => {
  it('deletes everything, and only the base folder stays', async () => {
    const parts = newStore();
    take(parts);
    mkdirSync(join(parts.base, 'legacy-1'));
    writeFileSync(join(parts.base, '.last_prune'), '1');
    writeFileSync(join(parts.base, 'mine'), 'not ours');
    expect(await value(clear(parts))).toMatchObject({ wasThere: true, errors: [] });
    expect(readdirSync(parts.base)).toEqual(['mine']);
    expect(await value(clear(parts))).toMatchObject({ bytes: 0 });
  });

  it('deletes the archives alone', async () => {
    const parts = newStore();
    const { id } = take(parts);
    mkdirSync(join(parts.base, 'legacy-1'));
    expect((await clearLegacy(parts.base)).removed.map(({ name }) => name)).toEqual(['legacy-1']);
    expect(ids(parts)).toEqual([id]);
    expect((await clearLegacy(parts.base)).removed).toEqual([]);
  });

  it('drops one entry by the id of any of its calls', async () => {
    const parts = newStore();
    take(parts, { turn: 'one' });
    const second = take(parts, { turn: 'one' });
    const other = take(parts);
    const running = take(parts, { isClosed: false, process: currentProcessIdentity() });
    expect(drop(parts, { h16: H16, id: second.id })).toEqual({ ok: true, value: { calls: 2 } });
    expect(drop(parts, { h16: H16, id: second.id })).toMatchObject({ ok: false, code: 'not_found' });
    expect(drop(parts, { h16: 'ffffffffffffffff', id: other.id })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
    expect(drop(parts, { h16: H16, id: running.id })).toMatchObject({ ok: false, code: 'in_use' });
    expect(ids(parts)).toEqual([running.id, other.id]);
    await expectSound(parts);
  });
});

describe('archiveLegacy', () => {
  const NOW = Date.UTC(2026, 4, 6, 5, 6, 16);

  it('moves a store of an older version, or of nobody, aside', () => {
    const base = newFolder();
    mkdirSync(join(base, 'store'));
    writeFileSync(join(base, 'store/herma-version'), '0\n');
    expect(archiveLegacy(base, NOW)).toEqual({ type: 'archived', name: 'legacy-20260506-050616' });
    mkdirSync(join(base, 'store/objects/aa'), { recursive: true });
    writeFileSync(join(base, 'store/objects/aa/x'), 'x');
    expect(archiveLegacy(base, NOW)).toEqual({ type: 'archived', name: 'legacy-20260506-050616-2' });
    expect(readdirSync(base).toSorted()).toEqual(['legacy-20260506-050616', 'legacy-20260506-050616-2']);
  });

  it('leaves a store of ours, of a newer version and of Hermes alone', () => {
    const parts = newStore();
    take(parts);
    expect(archiveLegacy(parts.base, NOW)).toEqual({ type: 'current' });
    rmSync(join(parts.folder, 'herma-version'));
    expect(archiveLegacy(parts.base, NOW)).toEqual({ type: 'current' });
    writeFileSync(join(parts.folder, 'herma-version'), '2\n');
    expect(archiveLegacy(parts.base, NOW)).toEqual({ type: 'newer', version: 2 });
    const base = newFolder();
    mkdirSync(join(base, 'store/refs/hermes'), { recursive: true });
    writeFileSync(join(base, 'store/refs/hermes/0123456789abcdef'), '1'.repeat(40));
    expect(archiveLegacy(base, NOW)).toEqual({ type: 'hermes' });
    expect(readdirSync(base)).toEqual(['store']);
  });

  it('takes the beginning of a store for none', () => {
    const base = newFolder();
    expect(archiveLegacy(base, NOW)).toEqual({ type: 'none' });
    mkdirSync(join(base, 'store/objects/pack'), { recursive: true });
    mkdirSync(join(base, 'store/refs/heads'), { recursive: true });
    expect(archiveLegacy(base, NOW)).toEqual({ type: 'none' });
  });
});
