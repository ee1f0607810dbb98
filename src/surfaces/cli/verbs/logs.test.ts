import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, runOn } from '../fake-host.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  file = join(home, 'logs', 'herma.log');
  mkdirSync(join(home, 'logs'));
});

async function logs(...argv: readonly string[]): ReturnType<typeof runOn> {
  return runOn(new FakeHost({ home }), ['logs', ...argv]);
}

describe('logs', () => {
  it('says that there is none yet, exit 4', async () => {
    expect(await logs()).toEqual({ code: 4, stdout: '', stderr: `there is no log yet (${file})\n` });
    expect((await logs('--json')).stdout).toBe('[]\n');
  });

  it('shows the last entries, one line each', async () => {
    writeFileSync(
      file,
      '{"time":"2026-01-02T03:04:05.678Z","level":"info","pid":1,"message":"old"}\n' +
        '{"time":"2026-01-02T03:04:05.678Z","level":"warn","pid":1,"message":"two\\nlines","tool":"terminal","n":{"a":1}}\n' +
        'not json \u001b[2J\n\n',
    );
    expect((await logs('-n', '2')).stdout).toBe(
      '2026-01-02T03:04:05.678Z  warn  two\\nlines  tool=terminal n={"a":1}\nnot json \\x1b[2J\n',
    );
  });

  it('prints one document with --json', async () => {
    writeFileSync(file, '{"level":"info","message":"a"}\nbroken {\n');
    expect(JSON.parse((await logs('--json')).stdout)).toEqual([
      { level: 'info', message: 'a' },
      { message: 'broken {' },
    ]);
  });

  it('reads only the end of a large file, and whole lines of it', async () => {
    const line = `${JSON.stringify({ message: 'x'.repeat(1000) })}\n`;
    writeFileSync(file, line.repeat(6000) + '{"message":"last"}\n');
    const { stdout } = await logs('-n', '10000');
    const shown = stdout.trimEnd().split('\n');
    expect(shown.at(-1)).toBe('last');
    expect(shown.slice(0, -1).every((text) => text === 'x'.repeat(1000))).toBe(true);
  });

  it('survives entries of any shape', async () => {
    writeFileSync(file, '[]\nnull\n{}\n{"time":1e300,"level":null,"message":5}\n{"__proto__":1}\n');
    expect(await logs()).toMatchObject({ code: 0, stderr: '' });
  });
});
