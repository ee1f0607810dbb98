import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeClock, systemClock } from '../../../platform/clock/index.ts';
import { FileInspector } from './index.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'inspector-')));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('the hash of a file', () => {
  it.each([0, 1, 255, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 4 * 1024 * 1024, 9_000_001])(
    'of %i bytes is that of all of them',
    async (size) => {
      const bytes = Buffer.alloc(size, 'abc');
      const path = join(root, `${String(size)}.bin`);
      writeFileSync(path, bytes);
      const read = await new FileInspector(systemClock).inspect(path);
      expect(read).toMatchObject({
        ok: true,
        value: { path, sha256: createHash('sha256').update(bytes).digest('hex'), uid: process.getuid?.() },
      });
      expect(read.ok && read.value.head.equals(bytes.subarray(0, 256))).toBe(true);
    },
  );

  it('is remembered only of a file that was old when it was read', async () => {
    const path = join(root, 'young');
    writeFileSync(path, 'x');
    const young = await new FileInspector(systemClock).inspect(path);
    const old = await new FileInspector(new FakeClock()).inspect(path);
    const future = await new FileInspector(new FakeClock(0)).inspect(path);
    expect([young, old, future].map((read) => read.ok && read.value.isSettled)).toEqual([false, true, false]);
  });

  it('is not read on when it was cancelled', async () => {
    const path = join(root, 'cancelled');
    writeFileSync(path, 'x');
    expect(await new FileInspector(systemClock).inspect(path, AbortSignal.abort())).toMatchObject({
      ok: false,
      code: 'cancelled',
    });
  });

  it('of a file that is written to all the time is that of one moment, or none', async () => {
    const path = join(root, 'busy');
    const contents = ['a', 'b'].map((letter) => letter.repeat(8 * 1024 * 1024));
    const hashes = contents.map((text) => createHash('sha256').update(text).digest('hex'));
    writeFileSync(path, contents[0] ?? '');
    const inspector = new FileInspector(systemClock);
    for (let round = 0; round < 6; round += 1) {
      const pending = inspector.inspect(path);
      await Promise.resolve();
      setImmediate(() => {
        writeFileSync(path, contents[round % 2] ?? '');
      });
      const read = await pending;
      expect(read.ok ? hashes.includes(read.value.sha256) : read.code === 'unsteady').toBe(true);
    }
  });
});
