import { closeSync, fstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPayload } from './payload-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payload-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it.each([0, 1, 5_000_000])('holds %d bytes to be read from the start, and has no name', (length) => {
  const payload = Buffer.alloc(length, 'é');
  const fd = openPayload(payload, [join(folder, 'missing'), folder]) ?? -1;
  try {
    expect(readdirSync(folder)).toEqual([]);
    expect(fstatSync(fd).mode & 0o777).toBe(0o600);
    expect(readFileSync(fd).equals(payload)).toBe(true);
    expect(() => writeSync(fd, 'x')).toThrow('EBADF');
  } finally {
    closeSync(fd);
  }
});

it('cannot be made where no directory is writable', () => {
  expect(openPayload(Buffer.from('x'), ['/no/such/folder', '/proc'])).toBeUndefined();
});
