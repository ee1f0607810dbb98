import { closeSync, mkdtempSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeEnds, PipePool } from './pipe-pool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipe-pool-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('gives pipes that carry bytes and end when the writer closes, and leaves no file', async () => {
  const pool = new PipePool({ directories: [folder] });
  const taken = (await pool.take(2)) ?? [];
  expect(taken.length).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
  for (const { readFd, writeFd } of taken) {
    writeSync(writeFd, 'hello');
    closeSync(writeFd);
    const buffer = Buffer.alloc(10);
    expect(readSync(readFd, buffer)).toBe(5);
    expect(readSync(readFd, buffer)).toBe(0);
    closeSync(readFd);
  }
  pool.close();
  pool.close();
});

it('gives every taker pipes of his own, also at once and beyond one batch', async () => {
  const pool = new PipePool({ directories: [folder] });
  const all = await Promise.all(Array.from({ length: 10 }, () => pool.take(3)));
  const descriptors = all.flatMap((ends) => ends ?? []).flatMap(({ readFd, writeFd }) => [readFd, writeFd]);
  expect(descriptors.length).toBe(60);
  expect(new Set(descriptors).size).toBe(60);
  for (const ends of all) for (const each of ends ?? []) closeEnds(each);
  pool.close();
});

it('tries the next directory when one is missing', async () => {
  const pool = new PipePool({ directories: [join(folder, 'missing'), folder] });
  const [ends] = (await pool.take(1)) ?? [];
  expect(ends).toBeDefined();
  if (ends !== undefined) closeEnds(ends);
  pool.close();
});

it.each([
  ['no directory is there', { directories: ['/no/such/folder'] }],
  ['there is no mkfifo', { mkfifo: 'no-such-mkfifo' }],
  ['mkfifo fails', { mkfifo: 'false' }],
])('gives none when %s, and leaves no file', async (_, options) => {
  const pool = new PipePool({ directories: [folder], ...options });
  expect(await pool.take(2)).toBeUndefined();
  expect(await pool.take(2)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});
