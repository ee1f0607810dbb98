import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type RawStat, rawStat } from '../../../platform/raw-files/index.ts';
import { ScanClock } from './scan-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'scan-clock-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function statOf(path: string): RawStat {
  const stat = rawStat(path);
  if (stat === undefined) throw new Error(`${path} is missing`);
  return stat;
}

describe('ScanClock', () => {
  it('takes what changed just before for too young, and what changed long ago for settled', () => {
    const root = statOf(folder);
    const clock = ScanClock.start(folder, root, join(folder, 'made', 'here'));
    const now = statOf(join(folder, 'made', 'here', 'clock')).ctimeMs;
    const at = (mtimeMs: number, ctimeMs: number): boolean => clock.isRacy({ ...root, mtimeMs, ctimeMs });
    expect(at(now, now)).toBe(true);
    expect(at(now - 9, now - 9)).toBe(true);
    expect(at(now - 60_000, now - 9)).toBe(true);
    expect(at(now - 3000, now - 3000)).toBe(false);
  });

  it('takes times in the future for too young, as a clock that was put back leaves them', () => {
    const root = statOf(folder);
    const clock = ScanClock.start(folder, root, folder);
    const later = root.ctimeMs + 86_400_000;
    expect(clock.isRacy({ ...root, mtimeMs: 0, ctimeMs: later })).toBe(true);
    expect(clock.isRacy({ ...root, mtimeMs: later, ctimeMs: 0 })).toBe(true);
  });

  it('compares files of another device with each other, with a wide margin, and trusts no folder there', () => {
    const root = statOf(folder);
    const clock = ScanClock.start(folder, root, folder);
    const other = { ...root, dev: root.dev + 1 };
    const at = (ms: number): boolean => clock.isRacy({ ...other, mtimeMs: ms, ctimeMs: ms });
    expect(at(1_000_000)).toBe(true);
    expect(at(1_100_000)).toBe(true);
    expect(at(1_099_000)).toBe(true);
    expect(at(1_000_000)).toBe(false);
    expect(clock.provesNames(other)).toBe(false);
  });

  it('goes by the file system and not by the last use of its file', () => {
    const root = statOf(folder);
    ScanClock.start(folder, root, folder);
    const before = statOf(join(folder, 'clock'));
    ScanClock.start(folder, root, folder);
    const after = statOf(join(folder, 'clock'));
    expect(after.ino).toBe(before.ino);
    expect(after.ctimeMs).toBeGreaterThanOrEqual(before.ctimeMs);
    expect(after.mtimeMs).toBe(0);
  });
});
