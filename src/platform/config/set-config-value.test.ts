import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { getConfigValue, listConfigKeys, loadConfig, setConfigValue } from './index.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'home-')), '.herma');
  file = join(home, 'config.yaml');
});

async function write(text: string): Promise<void> {
  await setConfigValue(home, 'logging.level', 'info');
  writeFileSync(file, text);
}

describe('setting a value', () => {
  it('makes a private file in a private home', async () => {
    expect(await setConfigValue(home, 'agent.max_iterations', '5')).toEqual({
      ok: true,
      file,
      isChanged: true,
      problems: [],
    });
    expect(readFileSync(file, 'utf8')).toBe('agent:\n  max_iterations: 5\n');
    expect([statSync(home).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('keeps comments, order, the byte-order mark and CR LF', async () => {
    await write('\uFEFF# mine\r\nmodel: m   # which\r\nagent:\r\n  max_iterations: 90  # many\r\n');
    await setConfigValue(home, 'agent.max_iterations', '5');
    await setConfigValue(home, 'model', 'openai:gpt-5');
    expect(readFileSync(file, 'utf8')).toBe(
      '\uFEFF# mine\r\nmodel: openai:gpt-5   # which\r\nagent:\r\n  max_iterations: 5  # many\r\n',
    );
  });

  it('takes text as it is where text is expected, and YAML elsewhere', async () => {
    await setConfigValue(home, 'model', '012');
    await setConfigValue(home, 'agent.verify', '["npm test", no, 5]').then((result) => {
      expect(result).toMatchObject({ ok: false, code: 'bad_value' });
    });
    await setConfigValue(home, 'agent.verify', '["npm test", "no"]');
    await setConfigValue(home, 'compression.enabled', 'off');
    await setConfigValue(home, 'agent.system_prompt', 'no');
    expect(await loadConfig(home)).toMatchObject({
      config: {
        model: { name: '012' },
        agent: { verify: ['npm test', 'no'], systemPrompt: 'no' },
        compression: { enabled: false },
      },
    });
  });

  it('turns a model that is only a name into a mapping, and keeps a mapping when only the name changes', async () => {
    await write('model: openai-compatible:m  # local\n');
    await setConfigValue(home, 'model.base_url', 'http://127.0.0.1:1/v1');
    await setConfigValue(home, 'model', 'openai-compatible:n');
    expect(await loadConfig(home)).toMatchObject({
      config: { model: { name: 'openai-compatible:n', baseUrl: 'http://127.0.0.1:1/v1' } },
    });
    expect(readFileSync(file, 'utf8')).toContain('# local');
  });

  it('changes the setting of Hermes Agent that is in the file', async () => {
    await write('agent:\n  max_turns: 60\n');
    await setConfigValue(home, 'agent.max_iterations', '5');
    expect(readFileSync(file, 'utf8')).toBe('agent:\n  max_turns: 5\n');
    await setConfigValue(home, 'agent.max_turns', '6');
    expect(readFileSync(file, 'utf8')).toBe('agent:\n  max_turns: 6\n');
  });

  it.each([
    [
      'agent.max_iterations',
      'ninety',
      'bad_value',
      'agent.max_iterations is "ninety" (text), expected a whole number',
    ],
    ['agent.max_iterations', '[', 'bad_value', '"[" is not valid YAML'],
    ['agent.max_iterations', '*x', 'bad_value', '"*x" is not valid YAML'],
    ['agent.max_iteration', '5', 'unknown_key', 'agent.max_iteration is not a setting'],
    ['nonsense.key', '5', 'unknown_key', 'nonsense.key is not a setting'],
    ['agent..x', '5', 'bad_key', '"agent..x" is not the name of a setting'],
    ['__proto__.x', '5', 'unknown_key', 'is not a setting'],
    ['mcp_servers.a.args', '["x"]', 'bad_value', 'mcp_servers.a lacks command'],
    ['policy.mode', '[]', 'unknown_key', 'policy.mode is not a setting'],
  ])('refuses %s = %s and leaves the file alone', async (key, text, code, message) => {
    await write('# mine\n');
    expect(await setConfigValue(home, key, text)).toMatchObject({
      ok: false,
      code,
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
    expect(readdirSync(home)).toEqual(['config.yaml', 'run']);
  });

  it('suggests the key that was meant', async () => {
    expect(await setConfigValue(home, 'agent.max_iteration', '5')).toMatchObject({
      remedy: 'did you mean agent.max_iterations?',
    });
  });

  it('mends one of several errors', async () => {
    await write('agent:\n  max_iterations: x\n  max_verify_nudges: y\n');
    expect(await setConfigValue(home, 'agent.max_iterations', '5')).toMatchObject({
      ok: true,
      problems: [{ key: 'agent.max_verify_nudges' }],
    });
    expect(await setConfigValue(home, 'agent.max_verify_nudges', 'z')).toMatchObject({ ok: false });
  });

  it('does not touch a file that is no YAML', async () => {
    await write('agent: [\n');
    expect(await setConfigValue(home, 'agent.max_iterations', '5')).toMatchObject({
      ok: false,
      code: 'bad_config',
    });
    expect(readFileSync(file, 'utf8')).toBe('agent: [\n');
  });

  it('does not write what is there already', async () => {
    await write('agent: {max_iterations: 5}\n');
    const before = statSync(file).ino;
    expect(await setConfigValue(home, 'agent.max_iterations', '5')).toMatchObject({
      ok: true,
      isChanged: false,
    });
    expect(statSync(file).ino).toBe(before);
  });

  it('writes through a symbolic link', async () => {
    await write('# mine\n');
    const elsewhere = join(home, 'dotfiles.yaml');
    writeFileSync(elsewhere, 'model: m\n');
    symlinkSync(elsewhere, join(home, 'linked'));
    const linkedHome = mkdtempSync(join(tmpdir(), 'linked-'));
    symlinkSync(elsewhere, join(linkedHome, 'config.yaml'));
    expect(await setConfigValue(linkedHome, 'model', 'other')).toMatchObject({ ok: true });
    expect(lstatSync(join(linkedHome, 'config.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toBe('model: other\n');
  });

  it('loses none of several changes at once', async () => {
    const keys = [
      'agent.max_iterations',
      'agent.max_verify_nudges',
      'delegation.max_depth',
      'delegation.max_children',
    ];
    const results = await Promise.all(keys.map((key) => setConfigValue(home, key, '7')));
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    const values = await Promise.all(keys.map((key) => getConfigValue(home, key)));
    expect(values).toEqual(keys.map(() => ({ ok: true, value: 7, source: 'file' })));
  });

  it('warns about a secret', async () => {
    await write('mcp_servers: {a: {command: x}}\n');
    expect(await setConfigValue(home, 'mcp_servers.a.env.API_KEY', 'abc')).toMatchObject({
      ok: true,
      problems: [{ severity: 'warning', key: 'mcp_servers.a.env.API_KEY' }],
    });
  });
});

describe('getting a value', () => {
  it('says where it comes from', async () => {
    await write('agent:\n  max_turns: 60\nmcp_servers: {a: {command: x, env: {T: "${TOKEN}"}}}\n');
    expect(await getConfigValue(home, 'agent.max_iterations')).toEqual({
      ok: true,
      value: 60,
      source: 'file',
    });
    expect(await getConfigValue(home, 'agent.max_turns')).toEqual({ ok: true, value: 60, source: 'file' });
    expect(await getConfigValue(home, 'approvals.timeout')).toEqual({
      ok: true,
      value: 300,
      source: 'default',
    });
    expect(await getConfigValue(home, 'model')).toEqual({ ok: true, value: undefined, source: 'none' });
    expect(await getConfigValue(home, 'mcp_servers.a.env.T')).toMatchObject({ value: '${TOKEN}' });
    expect(await getConfigValue(home, 'agent')).toEqual({
      ok: true,
      value: { max_iterations: 60, verify: [], max_verify_nudges: 3 },
      source: 'file',
    });
  });

  it('gives everything without a key', async () => {
    const all = await getConfigValue(home, undefined);
    expect(all).toMatchObject({ ok: true, source: 'default', value: { agent: { max_iterations: 90 } } });
  });

  it('gives what setting put there', async () => {
    for (const { key, default: value } of await listConfigKeys()) {
      if (value === undefined || key.includes('<')) continue;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      expect(await setConfigValue(home, key, text)).toMatchObject({ ok: true });
      expect(await getConfigValue(home, key)).toEqual({ ok: true, value, source: 'file' });
    }
    expect(await loadConfig(home)).toMatchObject({ ok: true });
  });

  it('fails for a key that does not exist', async () => {
    expect(await getConfigValue(home, 'agent.nope')).toMatchObject({ ok: false, code: 'unknown_key' });
    expect(await getConfigValue(home, 'constructor')).toMatchObject({ ok: false, code: 'unknown_key' });
  });
});

describe('the list of settings', () => {
  it('has a description for each', async () => {
    const keys = await listConfigKeys();
    expect(keys.filter(({ description }) => description === '').map(({ key }) => key)).toEqual([]);
    expect(keys.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['model', 'model.name', 'agent.max_iterations', 'mcp_servers.<name>.command']),
    );
    expect(keys.find(({ key }) => key === 'agent.max_iterations')).toMatchObject({
      default: 90,
      expected: 'a whole number from 1 to 10000',
    });
  });
});
