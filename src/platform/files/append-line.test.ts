import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { appendLine } from './index.ts';

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'append-')));
}

describe('appendLine', () => {
  it('creates a private file and adds to its end', async () => {
    const path = join(createFolder(), 'log');
    expect(await appendLine(path, 'one')).toEqual({ ok: true, value: undefined });
    expect(await appendLine(path, 'zwei ü', { fsync: true })).toEqual({ ok: true, value: undefined });
    expect(readFileSync(path, 'utf8')).toBe('one\nzwei ü\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('ends a line that a crash cut short before it adds its own', async () => {
    const path = join(createFolder(), 'log');
    writeFileSync(path, 'whole\n{"tor');
    await appendLine(path, '{"ok":1}');
    expect(readFileSync(path, 'utf8')).toBe('whole\n{"tor\n{"ok":1}\n');
  });

  it('refuses a line that is two', async () => {
    const path = join(createFolder(), 'log');
    await expect(appendLine(path, 'a\nb')).rejects.toThrow(RangeError);
  });

  it('says that the target is a folder, a device, or not there', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'dir'));
    expect(await appendLine(join(folder, 'dir'), 'x')).toMatchObject({ ok: false, code: 'not_a_file' });
    expect(await appendLine('/dev/full', 'x')).toMatchObject({ ok: false, code: 'not_a_file' });
    expect(await appendLine(join(folder, 'no/log'), 'x')).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('keeps the lines of several processes apart and complete', async () => {
    const path = join(createFolder(), 'log');
    const module_ = fileURLToPath(new URL('index.ts', import.meta.url));
    const program = `import(process.argv[1]).then(async ({ appendLine }) => {
      for (let count = 0; count < 100; count += 1) await appendLine(process.argv[2], process.argv[3].repeat(5000) + count);
    })`;
    const writers = ['a', 'b', 'c', 'd'].map((letter) =>
      spawn(process.execPath, ['-e', program, module_, path, letter]),
    );
    await Promise.all(writers.map((writer) => once(writer, 'close')));
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    expect(lines).toHaveLength(400);
    expect(new Set(lines).size).toBe(400);
    for (const line of lines) expect(line).toMatch(/^([abcd])\1{4999}\d+$/);
  });
});
