import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { currentProcessIdentity } from '../../../platform/process/index.ts';
import { projectHash } from '../projects/project-hash.ts';
import { openRef } from '../projects/ref-names.ts';
import { evict } from './evict.ts';
import {
  age,
  DAY,
  expectSound,
  H16,
  ids,
  newFolder,
  newStore,
  removeFolders,
  take,
  value,
} from './fixtures/trial-checks.ts';
import { DEAD, openTrial } from './fixtures/trial-store.ts';
import { maintain, needsMaintenance } from './maintain.ts';
import { measureFolder } from './measure-folder.ts';
import { reclaim } from './reclaim.ts';
import { storeStatus } from './status.ts';
import { trim } from './trim.ts';
import { verify } from './verify.ts';

afterEach(removeFolders);

describe('trim', () => {
  it('keeps the newest entries, counts a turn once, and takes refs and records away', async () => {
    const parts = newStore();
    take(parts, { turn: 'one' });
    take(parts, { turn: 'two' });
    take(parts, { turn: 'two' });
    take(parts, { kind: 'manual' });
    take(parts, { kind: 'rollback' });
    const before = ids(parts);
    expect(before).toHaveLength(4);
    expect(trim(parts, H16, 3)).toBe(1);
    expect(ids(parts)).toEqual(before.slice(0, 3));
    expect(trim(parts, H16, 2)).toBe(1);
    expect(parts.refs.list(H16)).toHaveLength(4);
    await expectSound(parts);
  });

  it('keeps one entry whatever it is asked, and does nothing below the count', () => {
    const parts = newStore();
    const last = take(parts);
    expect(trim(parts, H16, 0)).toBe(0);
    expect(ids(parts)).toEqual([last.id]);
    expect(trim(parts, 'ffffffffffffffff', 1)).toBe(0);
  });

  it('never drops a call that runs, nor anything while a restore is unfinished', () => {
    const parts = newStore();
    const running = take(parts, { isClosed: false, process: currentProcessIdentity() });
    take(parts, { isClosed: false });
    const last = take(parts);
    expect(trim(parts, H16, 1)).toBe(1);
    expect(ids(parts)).toEqual([last.id, running.id]);
    take(parts);
    const journal = join(parts.folder, 'journals', H16, 'restore.json');
    writeFileSync(journal, '{}');
    expect(trim(parts, H16, 1)).toBe(0);
    rmSync(journal);
    expect(trim(parts, H16, 1)).toBe(1);
  });
});

describe('reclaim', () => {
  it('deletes what nothing needs and keeps what something needs', async () => {
    const parts = newStore();
    take(parts, { files: { a: randomBytes(100_000), shared: 'shared' } });
    take(parts, { files: { b: 'small', shared: 'shared' } });
    trim(parts, H16, 1);
    const before = measureFolder(parts.folder);
    const done = await value(reclaim(parts));
    expect(done.isComplete).toBe(true);
    expect(done.bytesReclaimed).toBeGreaterThan(90_000);
    expect(measureFolder(parts.folder)).toBeLessThan(before - 90_000);
    expect(parts.bytes.total()).toBe(done.bytes);
    await expectSound(parts);
  });

  it('rewrites a pack of which little is alive, compressed, and leaves one that is fine', async () => {
    const parts = newStore();
    const many = (prefix: string, text: string) =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `${prefix}${String(index)}`,
          `${prefix} ${String(index)} ${text.repeat(500)}`,
        ]),
      );
    take(parts, { files: { ...many('x', 'gone '), ...many('y', 'kept ') }, isScan: true });
    take(parts, { files: many('y', 'kept '), isScan: true });
    expect(parts.objects.packs()).toHaveLength(1);
    const [old] = parts.objects.packs();
    trim(parts, H16, 1);
    const done = await value(reclaim(parts));
    const [pack] = parts.objects.packs();
    expect(pack?.name).not.toBe(old?.name);
    expect(pack?.bytes).toBeLessThan((old?.bytes ?? 0) / 10);
    expect(done.packs).toBe(1);
    await expectSound(parts);
    expect((await value(reclaim(parts))).packs).toBe(0);
    expect(parts.objects.packs().map(({ name }) => name)).toEqual([pack?.name]);
  });

  it('puts more than a thousand loose objects into a pack', async () => {
    const parts = newStore();
    for (let turn = 0; turn < 26; turn += 1)
      take(parts, {
        files: Object.fromEntries(
          Array.from({ length: 40 }, (_, index) => [`f${String(index)}`, `${String(turn)} ${String(index)}`]),
        ),
      });
    expect([...parts.objects.looseObjects()].length).toBeGreaterThan(1000);
    await value(reclaim(parts));
    expect([...parts.objects.looseObjects()]).toEqual([]);
    expect(parts.objects.packs()).toHaveLength(1);
    await expectSound(parts);
  });

  it('waits for a take that runs, deletes nothing when it does not end, and ignores a dead one', async () => {
    const parts = newStore();
    take(parts);
    take(parts);
    trim(parts, H16, 1);
    const lease = parts.leases.take();
    const waited = await value(reclaim(parts, { leaseWaitMs: 30 }));
    expect(waited).toMatchObject({ isComplete: false, objects: 0 });
    lease.release();
    writeFileSync(
      join(parts.folder, 'leases/1-1.json'),
      JSON.stringify({ ...currentProcessIdentity(), pid: 1 }),
    );
    expect((await value(reclaim(parts, { leaseWaitMs: 30 }))).isComplete).toBe(false);
    age(join(parts.folder, 'leases/1-1.json'));
    expect((await value(reclaim(parts, { leaseWaitMs: 30 }))).isComplete).toBe(true);
    expect(parts.leases.all()).toEqual([]);
    writeFileSync(
      join(parts.folder, 'leases/1-1.json'),
      JSON.stringify({ pid: 1, start_time: '1', boot_id: DEAD.bootId, pid_namespace: DEAD.pidNamespace }),
    );
    expect(await value(reclaim(parts))).toMatchObject({ isComplete: true });
    await expectSound(parts);
  });

  it('keeps garbage that a take which began before it has come to need', async () => {
    const parts = newStore();
    take(parts, { files: { a: 'again' } });
    take(parts);
    trim(parts, H16, 1);
    const lease = parts.leases.take();
    expect(lease.mayReuse).toBe(true);
    const writer = parts.objects.writer({ mayReuse: true });
    const blob = writer.blob(Buffer.from('again'));
    const id = writer.commit({
      tree: writer.tree([{ name: 'a', mode: 0o100_644, oid: blob }]),
      message: 'late\n',
      at: 1,
    });
    writer.finish();
    const running = reclaim(parts);
    await vi.waitFor(() => {
      expect(existsSync(join(parts.folder, 'gc.lock'))).toBe(true);
    });
    parts.refs.set(`${H16}/tree`, id);
    lease.release();
    expect((await value(running)).objects).toBeGreaterThan(0);
    expect(parts.objects.read(blob)).toBeDefined();
    await expectSound(parts);
  });

  it('does not touch an object that was written anew after it was listed', async () => {
    const folder = join(newFolder(), 'checkpoints');
    const plain = openTrial(folder);
    take(plain, { files: { a: 'again' } });
    take(plain);
    trim(plain, H16, 1);
    const late: { id?: string } = {};
    const parts = openTrial(folder, {
      step: (name) => {
        if (name === 'marked') late.id = take(plain, { files: { a: 'again' } }).id;
      },
    });
    await value(reclaim(parts));
    expect(ids(parts)).toContain(late.id);
    await expectSound(parts);
  });

  it('puts back what somebody who died had taken away to look at it', async () => {
    const parts = newStore();
    take(parts);
    for (const { path } of Array.from(parts.objects.looseObjects())) {
      const away = join(dirname(path), `tmp_obj_away-${basename(path)}`);
      renameSync(path, away);
      age(away);
    }
    expect((await verify(parts)).isClean).toBe(false);
    await value(reclaim(parts));
    await expectSound(parts);
  });

  it('loses nothing when there is no space for a new pack', async () => {
    const parts = newStore();
    const many = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`${prefix}${String(index)}`, `${prefix} ${String(index)}`]),
      );
    take(parts, { files: { ...many('gone'), ...many('kept') } });
    take(parts, { files: many('kept') });
    trim(parts, H16, 1);
    const full = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const failing = { ...parts, step: (name: string) => name === 'objects-copied' && full() };
    const done = await value(reclaim(failing));
    expect(done).toMatchObject({ isComplete: false, errors: [expect.stringContaining('ENOSPC')] });
    expect(readdirSync(join(parts.folder, 'objects/pack')).filter((name) => name.startsWith('tmp_'))).toEqual(
      [],
    );
    await expectSound(parts);
    expect((await value(reclaim(parts))).isComplete).toBe(true);
    await expectSound(parts);
  });

  it('keeps what a person has named with git', async () => {
    const parts = newStore();
    const first = take(parts);
    take(parts);
    spawnSync('git', ['-C', parts.folder, 'branch', 'mine', first.id]);
    spawnSync('git', ['-C', parts.folder, 'pack-refs', '--all']);
    trim(parts, H16, 1);
    await value(reclaim(parts, { targetBytes: 1 }));
    expect(spawnSync('git', ['-C', parts.folder, 'log', 'mine']).status).toBe(0);
    await expectSound(parts);
  });

  it('works beside a ref to an object that is missing', async () => {
    const parts = newStore();
    parts.refs.create(openRef('0123456789abcdef', 1), '1'.repeat(40));
    take(parts);
    take(parts);
    trim(parts, H16, 1);
    const done = await value(reclaim(parts));
    expect(done.objects).toBeGreaterThan(0);
    expect(done.isComplete).toBe(true);
  });

  it('leaves everything as it was when it is aborted, and says who holds the lock', async () => {
    const parts = newStore();
    take(parts);
    take(parts);
    trim(parts, H16, 1);
    const abort = new AbortController();
    const stopping = { ...parts, step: (name: string) => name === 'waited' && abort.abort() };
    expect(await value(reclaim(stopping, { signal: abort.signal }))).toMatchObject({
      isComplete: false,
      objects: 0,
    });
    let inner: Awaited<ReturnType<typeof reclaim>> | undefined;
    let started: Promise<void> | undefined;
    const outer = {
      ...parts,
      step: (name: string) => {
        if (name === 'waited')
          started = reclaim(parts).then((result) => {
            inner = result;
          });
      },
    };
    await value(reclaim(outer));
    await started;
    expect(inner).toMatchObject({ ok: false, code: 'held' });
  });

  it('sweeps what the dead have left, by age, and nothing that is young', async () => {
    const parts = newStore();
    take(parts);
    const { folder } = parts;
    mkdirSync(join(folder, 'objects/aa'), { recursive: true });
    writeFileSync(join(folder, 'objects/pack/tmp_pack_Q1w2E3'), Buffer.alloc(30_000_000));
    writeFileSync(join(folder, 'objects/aa/tmp_obj_z9'), 'x');
    writeFileSync(join(folder, `journals/${H16}/tmp-1`), 'x');
    const refs = parts.refs.list('').map(({ name }) => `refs/herma/${name}.lock`);
    const locks = ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock', ...refs];
    for (const name of locks) writeFileSync(join(folder, name), '');
    const old = ['objects/pack/tmp_pack_Q1w2E3', 'objects/aa/tmp_obj_z9', `journals/${H16}/tmp-1`, ...locks];
    for (const name of old) age(join(folder, name));
    writeFileSync(join(folder, 'objects/pack/tmp_pack_young'), 'x');
    take(parts);
    expect((await value(reclaim(parts))).errors).toEqual([]);
    for (const name of old) expect(existsSync(join(folder, name)), name).toBe(false);
    expect(existsSync(join(folder, 'objects/pack/tmp_pack_young'))).toBe(true);
    expect(measureFolder(folder)).toBeLessThan(5_000_000);
    expect(ids(parts)).toHaveLength(2);
    rmSync(join(folder, 'objects/pack/tmp_pack_young'));
    await expectSound(parts);
  });

  it('removes halves that a dead take or drop has left', async () => {
    const parts = newStore();
    take(parts);
    const gone = take(parts);
    const journal = parts.journals.of(H16);
    journal.remove([gone.seq]);
    expect((await verify(parts)).leftovers).not.toEqual([]);
    expect((await value(reclaim(parts))).debris).toBeGreaterThan(0);
    expect((await verify(parts)).leftovers).toEqual([]);
    expect(parts.refs.list(H16)).toHaveLength(2);
    await expectSound(parts);
  });
});

describe('evict', () => {
  it('drops exactly as many of the oldest as are too many, over all projects, never the last of one', async () => {
    const parts = newStore();
    const other = '/trial/other';
    const lonely = take(parts, { root: other, files: { a: randomBytes(100_000) }, at: 1 });
    const all = Array.from(
      { length: 10 },
      (_, index) => take(parts, { files: { a: randomBytes(100_000) }, at: 10 + index }).id,
    );
    const total = measureFolder(parts.folder);
    const outcome = evict(parts, total - 250_000);
    expect(outcome).toMatchObject({ dropped: 3, isOverCap: false });
    expect(ids(parts)).toEqual(all.slice(3).toReversed());
    expect(ids(parts, projectHash(other))).toEqual([lonely.id]);
    const { bytes } = await value(reclaim(parts));
    expect(Math.abs(bytes - outcome.bytesKept)).toBeLessThan(100_000);
    await expectSound(parts);
  });

  it('says so when nothing else may go, and never drops what was there before a young restore', () => {
    let now = 1000 * DAY;
    const parts = newStore({ now: () => now });
    const safety = take(parts, { kind: 'rollback' });
    take(parts);
    const last = take(parts);
    expect(evict(parts, 1)).toMatchObject({ dropped: 1, isOverCap: true });
    expect(ids(parts)).toEqual([last.id, safety.id]);
    now += 2 * DAY;
    expect(evict(parts, 1)).toMatchObject({ dropped: 1, isOverCap: true });
    expect(ids(parts)).toEqual([last.id]);
  });

  it('counts shared content for the newest that needs it', () => {
    const parts = newStore();
    const shared = randomBytes(200_000);
    for (let index = 0; index < 5; index += 1) take(parts, { files: { shared, own: randomBytes(10) } });
    // All five together are hardly more than one: only the fifth of it is not worth dropping anything.
    expect(evict(parts, measureFolder(parts.folder))).toMatchObject({ dropped: 0, isOverCap: false });
  });
});

describe('maintain', () => {
  it('keeps forty snapshots of two megabytes under a limit of twenty', async () => {
    const parts = newStore();
    const limits = { maxSnapshots: 20, maxTotalBytes: 20 * 1024 * 1024 };
    for (let index = 0; index < 40; index += 1) {
      take(parts, { files: { data: randomBytes(2_000_000) }, isScan: true });
      if (needsMaintenance(parts, limits)) await value(maintain(parts, limits));
    }
    await value(maintain(parts, limits));
    expect(measureFolder(parts.base)).toBeLessThanOrEqual(limits.maxTotalBytes);
    const kept = ids(parts).length;
    expect(kept).toBeGreaterThanOrEqual(8);
    expect(kept).toBeLessThanOrEqual(20);
    await expectSound(parts);
  });

  it('keeps one snapshot that is larger than the limit, says so, and does not try again and again', async () => {
    const parts = newStore();
    const limits = { maxSnapshots: 20, maxTotalBytes: 1024 * 1024 };
    const only = take(parts, { files: { data: randomBytes(3_000_000) } });
    expect(needsMaintenance(parts, limits)).toBe(true);
    expect(await value(maintain(parts, limits))).toMatchObject({ isOverCap: true, droppedEntries: 0 });
    expect(ids(parts)).toEqual([only.id]);
    expect(needsMaintenance(parts, limits)).toBe(false);
    expect(storeStatus(parts, limits.maxTotalBytes)).toMatchObject({
      isOverCap: true,
      capBytes: limits.maxTotalBytes,
    });
    take(parts, { files: { data: randomBytes(3_000_000) } });
    expect(needsMaintenance(parts, limits)).toBe(true);
    await value(maintain(parts, limits));
    expect(ids(parts)).not.toContain(only.id);
    await expectSound(parts);
  });

  it('compresses before it drops anything', async () => {
    const parts = newStore();
    for (let index = 0; index < 5; index += 1)
      take(parts, { files: { data: `${String(index)} the same words\n`.repeat(20_000) } });
    const limits = { maxSnapshots: 20, maxTotalBytes: 1024 * 1024 };
    expect(measureFolder(parts.folder)).toBeGreaterThan(limits.maxTotalBytes);
    expect(await value(maintain(parts, limits))).toMatchObject({ droppedEntries: 0, isOverCap: false });
    expect(ids(parts)).toHaveLength(5);
    await expectSound(parts);
  });

  it('has no limit of size at 0', async () => {
    const parts = newStore();
    take(parts, { files: { data: randomBytes(100_000) } });
    expect(needsMaintenance(parts, { maxSnapshots: 1, maxTotalBytes: 0 })).toBe(false);
    expect(await value(maintain(parts, { maxSnapshots: 1, maxTotalBytes: 0 }))).toMatchObject({
      isOverCap: false,
    });
  });
});
