import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasReliableTimes, readSteady } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'steady-'));
const scratch = Buffer.alloc(8);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('readSteady', () => {
  it.each(['', '1234567', '12345678', 'x'.repeat(5000)])(
    'reads %j, whatever fits the scratch buffer',
    (text) => {
      const read = readSteady(write('file', text), 10_000, scratch);
      expect(read.type === 'content' && read.bytes.toString()).toBe(text);
      expect(read.type === 'content' && read.stat.size).toBe(text.length);
    },
  );

  it('reads as much as it may, and not one byte more', () => {
    const file = write('limit', '12345');
    expect(readSteady(file, 5, scratch).type).toBe('content');
    expect(readSteady(file, 4, scratch)).toMatchObject({ type: 'too_large', stat: { size: 5 } });
  });

  it('neither follows a link nor waits for a pipe', () => {
    const file = write('target', 'x');
    symlinkSync(file, join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    mkdirSync(join(folder, 'folder'));
    for (const name of ['link', 'pipe', 'folder'])
      expect(readSteady(join(folder, name), 100, scratch).type).toBe('not_a_file');
  });

  it('throws for what is missing', () => {
    expect(() => readSteady(join(folder, 'missing'), 100, scratch)).toThrow('ENOENT');
  });

  it('takes a file whose size is not that of its content for one that changes', () => {
    // /proc says 0 for files with content.
    expect(readSteady('/proc/self/status', 100_000, Buffer.alloc(100_000)).type).toBe('changed');
  });
});

describe('hasReliableTimes', () => {
  it('is false for what is unknown or missing', () => {
    expect(hasReliableTimes('/proc')).toBe(false);
    expect(hasReliableTimes(join(folder, 'missing'))).toBe(false);
  });
});
