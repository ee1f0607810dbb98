import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCount } from './byte-count.ts';

const store = (): string => mkdtempSync(join(tmpdir(), 'bytes-'));

describe('ByteCount', () => {
  it('is 0 without a store', () => {
    expect(new ByteCount(join(store(), 'none')).total()).toBe(0);
  });

  it('is the sum of what all instances add, and what reset says', () => {
    const numbers = fc.integer({ min: 1, max: 2 ** 40 });
    fc.assert(
      fc.property(fc.array(numbers), numbers, fc.array(numbers), (before, walked, after) => {
        const folder = store();
        const [one, other] = [new ByteCount(folder), new ByteCount(folder)];
        for (const bytes of before) one.add(bytes);
        expect(other.total()).toBe(before.reduce((sum, bytes) => sum + bytes, 0));
        other.reset(walked);
        for (const bytes of after) other.add(bytes);
        expect(one.total()).toBe(after.reduce((sum, bytes) => sum + bytes, walked));
      }),
      { numRuns: 30 },
    );
  });

  it('takes away, and is never negative', () => {
    const count = new ByteCount(store());
    count.add(10);
    count.add(-4);
    expect(count.total()).toBe(6);
    count.add(-40);
    expect(count.total()).toBe(0);
  });

  it('ignores names that are none of its own', () => {
    const folder = store();
    const count = new ByteCount(folder);
    count.add(10);
    writeFileSync(join(folder, 'bytes/add_x_1'), '');
    expect(count.total()).toBe(10);
  });

  it('has one file after a reset', () => {
    const folder = store();
    const count = new ByteCount(folder);
    for (let bytes = 1; bytes < 20; bytes += 1) count.add(bytes);
    count.reset(7);
    expect(readdirSync(join(folder, 'bytes'))).toHaveLength(1);
  });
});
