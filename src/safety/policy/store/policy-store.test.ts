import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { EXAMPLE_POLICY } from '../rules/example-policy.ts';
import { decodeLastGood, encodeLastGood } from './last-good.ts';
import { readMode } from './policy-mode.ts';
import { type PolicyState, PolicyStore } from './policy-store.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'policy-'));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const store = (): PolicyStore => new PolicyStore(homePaths(home));
const folder = (): string => homePaths(home).ledger;
const inFolder = (name: string): string => join(folder(), name);
const GOOD = JSON.stringify({ version: 1, rules: [{ id: 'mine', decision: 'ask', tool: 'x' }] });
const BROKEN = JSON.stringify({ version: 1, rules: [{ id: 'mine', decison: 'ask' }] });

async function write(name: string, text: string): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  await writeFile(inFolder(name), text, { mode: 0o600 });
}

function ids({ policy }: PolicyState): readonly string[] {
  return policy.rules.filter(({ source }) => source === 'file').map(({ rule }) => rule.id);
}

describe('PolicyStore', () => {
  it('is off, with the built-in rules at hand, where there are no files', async () => {
    const state = await store().current();
    expect(state).toMatchObject({ mode: 'off', source: 'builtin', warnings: [], problems: [] });
    expect(state.policy.rules.length).toBeGreaterThan(20);
  });

  it('reads the files again when they change', async () => {
    const kept = store();
    await kept.current();
    await write('policy.json', GOOD);
    await write('policy_mode', 'dry_run\n');
    const state = await kept.current();
    expect([state.mode, state.source, ids(state)]).toEqual(['dry_run', 'file', ['mine']]);
    expect(await kept.current()).toBe(state);
    await write('policy_mode', 'enforce');
    expect((await kept.current()).mode).toBe('enforce');
    await rm(inFolder('policy_mode'));
    expect((await kept.current()).mode).toBe('off');
  });

  it('reads them again behind a link, and after a change that keeps size and time', async () => {
    await write('elsewhere.json', GOOD);
    await symlink('elsewhere.json', inFolder('policy.json'));
    const kept = store();
    expect(ids(await kept.current())).toEqual(['mine']);
    const { atime, mtime } = await stat(inFolder('elsewhere.json'));
    await rm(inFolder('elsewhere.json'));
    await write('other', 'x');
    await write('elsewhere.json', GOOD.replace('mine', 'thou'));
    await utimes(inFolder('elsewhere.json'), atime, mtime);
    expect(ids(await kept.current())).toEqual(['thou']);
  });

  it.each(['dry_run', 'enforce'])(
    'keeps the last good rules in %s, in the same process and in the next',
    async (mode) => {
      await write('policy_mode', mode);
      await write('policy.json', GOOD);
      const kept = store();
      await kept.current();
      await write('policy.json', BROKEN);
      for (const each of [kept, store()]) {
        const state = await each.current();
        expect([state.mode, state.source, ids(state)]).toEqual([mode, 'last_good', ['mine']]);
        expect(state.warnings.join('\n')).toContain(
          'CANNOT BE USED: the last policy that could be used stays in force',
        );
        expect(state.warnings.join('\n')).toContain('unknown key "decison"; did you mean "decision"?');
        expect(state.problems.length).toBeGreaterThan(0);
      }
      await write('policy.json', GOOD.replace('mine', 'new'));
      expect(ids(await kept.current())).toEqual(['new']);
      await write('policy.json', BROKEN);
      expect(ids(await store().current())).toEqual(['new']);
    },
  );

  it('tests the rules of a text once for each program, and again for another one', async () => {
    await write('policy_mode', 'enforce');
    await write('policy.json', GOOD);
    await store().current();
    const copy = parseJson(await readFile(inFolder('policy.last-good.json'), 'utf8'));
    const { testedBy } = (copy.ok ? decodeLastGood(copy.value) : undefined) ?? { testedBy: '' };
    expect(testedBy).not.toBe('');
    const tests = { hit: ['ls'], miss: [] };
    const failing = JSON.stringify({
      version: 1,
      rules: [{ id: 'mine', decision: 'ask', when: { 'argv.prefix': ['rm'] }, tests }],
    });
    await write('policy.json', failing);
    await write('policy.last-good.json', encodeLastGood({ policy: failing, testedBy: `${testedBy}0` }));
    expect((await store().current()).problems).not.toEqual([]);
    await write('policy.last-good.json', encodeLastGood({ policy: failing, testedBy }));
    expect(await store().current()).toMatchObject({ source: 'file', problems: [] });
  });

  it('keeps the copy private', async () => {
    await write('policy_mode', 'enforce');
    await write('policy.json', GOOD);
    await store().current();
    expect((await stat(inFolder('policy.last-good.json'))).mode & 0o777).toBe(0o600);
  });

  it('writes no copy while it is off', async () => {
    await write('policy.json', GOOD);
    await store().current();
    await expect(stat(inFolder('policy.last-good.json'))).rejects.toThrow('ENOENT');
  });

  it('enforces the built-in rules when there is no good copy, or it is not what was written', async () => {
    await write('policy_mode', 'enforce');
    await write('policy.json', '{');
    expect(await store().current()).toMatchObject({ mode: 'enforce', source: 'builtin' });
    await write(
      'policy.last-good.json',
      encodeLastGood({ policy: GOOD, testedBy: '' }).replace('mine', 'mime'),
    );
    const state = await store().current();
    expect(state).toMatchObject({ mode: 'enforce', source: 'builtin' });
    expect(state.warnings[0]).toContain('the built-in policy stays in force');
    expect(state.policy.rules.length).toBeGreaterThan(20);
  });

  it.each([
    ['enfroce', 'did you mean "enforce"?'],
    ['', 'write off, dry_run, enforce'],
    ['OFF', 'did you mean "off"?'],
    ['dry-run', 'did you mean "dry_run"?'],
  ])('enforces on the word %j, and says so', async (word, hint) => {
    await write('policy_mode', word);
    const { mode, warnings } = await store().current();
    expect([mode, warnings[0]]).toEqual(['enforce', expect.stringContaining(hint)]);
  });

  it('enforces when the mode cannot be read', async () => {
    await mkdir(inFolder('policy_mode'), { recursive: true });
    const { mode, warnings } = await store().current();
    expect([mode, warnings[0]]).toEqual([
      'enforce',
      expect.stringContaining('Until it can be read the policy is enforced'),
    ]);
  });

  it('keeps the rules when the policy has become something that is no text file', async () => {
    await write('policy_mode', 'enforce');
    await mkdir(inFolder('policy.json'));
    expect(await store().current()).toMatchObject({ mode: 'enforce', source: 'builtin' });
    await rm(inFolder('policy.json'), { recursive: true });
    await writeFile(inFolder('policy.json'), new Uint8Array([0x22, 0xff, 0x22]));
    expect((await store().current()).problems[0]?.message).toContain('is not UTF-8');
  });

  it('warns of files that others can change', async () => {
    await write('policy.json', GOOD);
    await chmod(inFolder('policy.json'), 0o622);
    expect((await store().current()).warnings[0]).toContain('can be changed by other users');
  });

  it('refuses a rule that fails its own tests', async () => {
    const failing = { id: 'r', decision: 'ask', when: { 'argv.prefix': ['a'] }, tests: { hit: ['b'] } };
    await write('policy.json', JSON.stringify({ version: 1, rules: [failing] }));
    expect((await store().current()).problems).toEqual([
      { where: 'r', message: expect.stringContaining('does not: b') },
    ]);
  });

  it('sets the mode', async () => {
    const kept = store();
    expect(await kept.setMode('enforce')).toEqual({ ok: true });
    expect([(await kept.current()).mode, await readFile(inFolder('policy_mode'), 'utf8')]).toEqual([
      'enforce',
      'enforce\n',
    ]);
    expect((await stat(inFolder('policy_mode'))).mode & 0o777).toBe(0o600);
    await kept.setMode('off');
    expect((await store().current()).mode).toBe('off');
  });

  it('says so when the mode cannot be set', async () => {
    await mkdir(inFolder('policy_mode'), { recursive: true });
    expect(await store().setMode('enforce')).toMatchObject({ ok: false, code: 'not_a_file' });
  });

  it('begins with the example, and leaves a policy that is there as it is', async () => {
    const kept = store();
    expect(await kept.init()).toMatchObject({
      ok: true,
      policy: { path: inFolder('policy.json'), isNew: true },
    });
    expect(await readFile(inFolder('policy.json'), 'utf8')).toBe(EXAMPLE_POLICY);
    expect(await kept.current()).toMatchObject({ mode: 'off', source: 'file', problems: [] });
    await write('policy.json', GOOD);
    expect(await kept.init()).toMatchObject({
      ok: true,
      policy: { isNew: false },
      example: { path: inFolder('policy.example.json') },
    });
    expect(await readFile(inFolder('policy.json'), 'utf8')).toBe(GOOD);
  });
});

describe('readMode', () => {
  it('is off only where no file or the word says so', () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        expect(readMode(word).mode === 'off').toBe(word.replace(/^\uFEFF/, '').trim() === 'off');
      }),
    );
    expect(readMode(undefined)).toEqual({ mode: 'off', warning: undefined });
  });
});

describe('the last good copy', () => {
  it('gives back what was written, and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const written = parseJson(encodeLastGood({ policy: text, testedBy: 'x' }));
        const value = written.ok && isJsonObject(written.value) ? written.value : {};
        const lastGood = { policy: text, testedBy: 'x' };
        expect(decodeLastGood(value)).toEqual(lastGood);
        expect(decodeLastGood({ ...value, policy: other })).toEqual(other === text ? lastGood : undefined);
      }),
    );
  });
});

describe('the shipped example', () => {
  it('is the one that init writes', async () => {
    const shipped = new URL('../../../../docs/examples/policy.example.json', import.meta.url);
    expect(await readFile(shipped, 'utf8')).toBe(EXAMPLE_POLICY);
  });
});
