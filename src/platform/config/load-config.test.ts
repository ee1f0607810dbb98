import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { defaultConfig, loadConfig } from './index.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  file = join(home, 'config.yaml');
});

describe('loading the configuration', () => {
  it('gives the default without a file', async () => {
    expect(await loadConfig(home)).toEqual({
      ok: true,
      config: defaultConfig,
      file,
      exists: false,
      problems: [],
    });
    expect(await loadConfig(join(home, 'nowhere'))).toMatchObject({ ok: true, exists: false });
  });

  it('loads neither the YAML reader nor the schema without a file', () => {
    const program = `
      const { registerHooks } = await import('node:module');
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const countOf = () => loaded.filter((url) => /node_modules\\/(yaml|zod)\\//.test(url)).length;
      const { loadConfig } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
      const first = await loadConfig(process.argv[1]);
      const without = countOf();
      (await import('node:fs')).writeFileSync(process.argv[1] + '/config.yaml', 'model: m');
      const second = await loadConfig(process.argv[1]);
      console.log(JSON.stringify([first.exists, without, second.exists, countOf() > 0]));`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, home], {
      encoding: 'utf8',
    });
    expect([run.stdout, run.stderr]).toEqual(['[false,0,true,true]\n', '']);
  });

  it.each([
    ['a byte-order mark', '\uFEFFmodel: m\n'],
    ['CR LF', 'model: m\r\nagent:\r\n  max_iterations: 5\r\n'],
    ['no line break at the end', 'model: m'],
  ])('reads a file with %s', async (_, text) => {
    writeFileSync(file, text);
    expect(await loadConfig(home)).toMatchObject({
      ok: true,
      exists: true,
      config: { model: { name: 'm' } },
    });
  });

  it('reads an empty file', async () => {
    writeFileSync(file, '');
    expect(await loadConfig(home)).toMatchObject({ ok: true, exists: true, config: defaultConfig });
  });

  it('fails on one error, with the first in its message and all of them in its list', async () => {
    writeFileSync(file, 'agent:\n  max_iterations: x\n  verfy: 1\nmodel: m\n');
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      code: 'bad_config',
      message: `${file}:2:19: agent.max_iterations is "x" (text), expected a whole number from 1 to 10000 (and 1 more: \`herma config check\`)`,
      remedy: 'correct it, or remove the line: the default is 90',
      problems: [{ line: 2 }, { line: 3 }],
    });
  });

  it('names the line that is not UTF-8', async () => {
    writeFileSync(file, Buffer.from('model: m\n# caf\xe9\n', 'latin1'));
    expect(await loadConfig(home)).toMatchObject({
      message: `${file}:2:1: this line is not UTF-8 text`,
      remedy: 'save the file as UTF-8',
    });
  });

  it.each(['model: a\0b\n', Buffer.from('\ufeffmodel: m\n', 'utf16le')])(
    'refuses a file with NUL bytes',
    async (text) => {
      writeFileSync(file, text);
      expect(await loadConfig(home)).toMatchObject({
        ok: false,
        message: `${file}:1:1: this line is not UTF-8 text`,
      });
    },
  );

  it('refuses a folder, a pipe and a file that is too large', async () => {
    mkdirSync(file);
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      message: expect.stringContaining('a folder, not a file'),
    });
    rmSync(file, { recursive: true });
    spawnSync('mkfifo', [file]);
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      message: expect.stringContaining('not a file'),
    });
    rmSync(file);
    writeFileSync(file, `# ${'x'.repeat(2_000_000)}`);
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      message: expect.stringContaining('too large'),
    });
  });

  it('refuses a link that leads in a circle, and does not take it for a missing file', async () => {
    symlinkSync(file, file);
    expect(await loadConfig(home)).toMatchObject({ ok: false, message: expect.stringContaining('circle') });
  });

  it.runIf(process.getuid?.() !== 0)('refuses a file it may not read', async () => {
    writeFileSync(file, 'model: m');
    chmodSync(file, 0);
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      message: expect.stringContaining('permission denied'),
    });
  });

  it('reads 6,000 lines and finds the error in the last', async () => {
    const servers = Array.from(
      { length: 2000 },
      (_, index) => `  s${index}:\n    command: x\n    args: [a, "b"]\n`,
    );
    writeFileSync(file, `mcp_servers:\n${servers.join('')}`);
    const loaded = await loadConfig(home);
    expect(loaded.ok && loaded.config.mcpServers.size).toBe(2000);
    writeFileSync(file, `mcp_servers:\n${servers.join('')}    argz: 1\n`);
    expect(await loadConfig(home)).toMatchObject({
      ok: false,
      problems: [{ line: 6002, key: 'mcp_servers.s1999.argz', remedy: 'did you mean args?' }],
    });
  });
});
