import { describe, expect, it } from 'vitest';
import { readManifest } from './manifest.ts';

describe('readManifest', () => {
  it('takes name and version as they are written', () => {
    expect(readManifest('name: no\nversion: 1.10\n')).toEqual({
      ok: true,
      value: { name: 'no', version: '1.10', description: '', isolate: false, env: [] },
    });
  });

  it('reads all keys, as YAML 1.1, and lets those of Hermes Agent pass', () => {
    const text = `name: p
version: "2"
description: does
author: me
provides_hooks: [pre_tool_call]
provides_tools: [a]
provides_commands: [b]
isolate: yes
env: [A_TOKEN]
kind: standalone
requires_env: [X]
`;
    expect(readManifest(text)).toEqual({
      ok: true,
      value: {
        name: 'p',
        version: '2',
        description: 'does',
        author: 'me',
        providesHooks: ['pre_tool_call'],
        providesTools: ['a'],
        providesCommands: ['b'],
        isolate: true,
        env: ['A_TOKEN'],
      },
    });
  });

  it.each([
    ['', 'no mapping'],
    ['- a', 'no mapping'],
    ['name: [', 'not valid YAML'],
    ['version: 1', 'name'],
    ['name: p', 'version'],
    ['name: ../p\nversion: 1', 'name: is no name'],
    ['name: agent-ledger\nversion: 1', 'name: is no name'],
    ['name: installed.json\nversion: 1', 'name: is no name'],
    ['name: p\nversion: 1\nisolate: maybe', 'isolate'],
    ['name: p\nversion: 1\nisolated: true', 'did you mean "isolate"'],
    ['name: p\nversion: 1\nprovide_hooks: [pre_tool_call]', 'did you mean "provides_hooks"'],
    ['name: p\nversion: 1\nprovides_hooks: pre_tool_call', 'provides_hooks'],
    ['name: p\nversion: 1\nenv: [a-b]', 'environment variables'],
    ['name: p\nname: q\nversion: 1', 'not valid YAML'],
  ])('refuses %j and says why', (text, why) => {
    expect(readManifest(text)).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  });

  it('refuses aliases that multiply', () => {
    const levels = Array.from(
      { length: 12 },
      (_, index) => `l${String(index + 1)}: &l${String(index + 1)} [${`*l${String(index)},`.repeat(9)}]`,
    );
    expect(readManifest(['name: p', 'version: 1', 'l0: &l0 [x]', ...levels].join('\n')).ok).toBe(false);
  });
});
