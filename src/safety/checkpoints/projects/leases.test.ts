import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../../../platform/locks/index.ts';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import { Leases } from './leases.ts';

let store: string;
const self = currentProcessIdentity();
const dead = { ...self, startTime: '1' };

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'leases-'));
});

describe('Leases', () => {
  it('are files that say whose they are, until they are released', () => {
    const leases = new Leases(store, { self, isAlive });
    const [one, other] = [leases.take(), leases.take()];
    expect(leases.others()).toHaveLength(2);
    expect(leases.others()[0]).toMatchObject({ holder: self, liveness: 'alive' });
    one.release();
    one.release();
    expect(leases.others()).toHaveLength(1);
    other.release();
    expect(readdirSync(join(store, 'leases'))).toEqual([]);
  });

  it('of two instances in one process do not meet', () => {
    const [one, other] = [new Leases(store, { self, isAlive }), new Leases(store, { self, isAlive })];
    const first = one.take();
    const second = other.take();
    first.release();
    expect(other.others()).toHaveLength(1);
    second.release();
  });

  it('allow reuse unless the lock of maintenance is held by a living process', async () => {
    const leases = new Leases(store, { self, isAlive });
    expect(leases.take().mayReuse).toBe(true);
    const lock = await acquireLock(join(store, 'gc.lock'));
    if (!lock.ok) throw new Error(lock.message);
    expect(leases.take().mayReuse).toBe(false);
    await lock.value.release();
    expect(leases.take().mayReuse).toBe(true);
  });

  it('allow reuse when whoever held the lock of maintenance is dead', async () => {
    const processes = { current: () => dead, isAlive };
    const lock = await acquireLock(join(store, 'gc.lock'), { processes });
    expect(lock.ok).toBe(true);
    expect(new Leases(store, { self, isAlive }).take().mayReuse).toBe(true);
  });

  it.each([
    ['is empty', ''],
    ['is something else', 'hello'],
    ['lacks the holder', '{"version":1}'],
  ])('do not allow reuse when the lock of maintenance %s', (_, text) => {
    writeFileSync(join(store, 'gc.lock'), text);
    expect(new Leases(store, { self, isAlive }).take().mayReuse).toBe(false);
  });

  it('do not allow reuse when nobody can say whether its holder lives', async () => {
    const lock = await acquireLock(join(store, 'gc.lock'));
    expect(lock.ok).toBe(true);
    expect(new Leases(store, { self, isAlive: () => 'unknown' }).take().mayReuse).toBe(false);
  });

  it('of the dead are no others, and are swept', () => {
    new Leases(store, { self: dead, isAlive }).take();
    const leases = new Leases(store, { self, isAlive });
    leases.take();
    expect(leases.all()).toHaveLength(2);
    expect(leases.others()).toHaveLength(1);
    expect(leases.sweep()).toBe(1);
    expect(leases.all()).toHaveLength(1);
  });

  it('that do not say whose they are count as held', () => {
    mkdirSync(join(store, 'leases'));
    writeFileSync(join(store, 'leases/12-1.json'), '');
    const leases = new Leases(store, { self, isAlive });
    expect(leases.others()).toMatchObject([{ holder: undefined, liveness: 'unknown' }]);
    expect(leases.sweep()).toBe(0);
  });

  it('are none where there is no store, and need one that is a folder', () => {
    expect(new Leases(join(store, 'none'), { self, isAlive }).others()).toEqual([]);
    writeFileSync(join(store, 'file'), '');
    expect(() => new Leases(join(store, 'file'), { self, isAlive }).take()).toThrow(/ENOTDIR/);
    expect(existsSync(join(store, 'leases'))).toBe(false);
  });
});
