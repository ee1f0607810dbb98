import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileMatcher } from './compile-matcher.ts';
import { matchesPlainNames, readPlainNames } from './plain-names.ts';

async function matches(pattern: string | undefined, name: string): Promise<boolean | string> {
  const compiled = await compileMatcher(pattern);
  return compiled.ok ? compiled.value(name) : compiled.code;
}

describe('a matcher', () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, 'terminal', true],
    ['', 'terminal', true],
    [' * ', 'terminal', true],
    ['terminal', 'terminal', true],
    [' terminal ', 'terminal', true],
    ['terminal', 'terminal_kill', false],
    ['terminal', 'a terminal', false],
    ['Terminal', 'terminal', false],
    ['write_file|patch', 'patch', true],
    ['write_file|patch', 'write_file_patch', false],
    ['mcp__gh', 'mcp__gh__create', false],
    ['mcp__gh__.*', 'mcp__gh__create', true],
    ['mcp__gh__.*', 'mcp__gh', false],
    ['.*', 'anything', true],
    ['^term', 'terminal', false],
    ['^terminal$', 'terminal', true],
    ['(?P<kind>read|write)_file', 'write_file', true],
    ['(?i)TERMINAL', 'terminal', true],
    ['[[:alpha:]]+', 'terminal', true],
    ['mcp__(?:gh|gl)__[a-z]+', 'mcp__gl__create', true],
    ['constructor|__proto__', '__proto__', true],
    ['a|', '', true],
  ])('%j on %s: %j', async (pattern, name, expected) => {
    expect(await matches(pattern, name)).toBe(expected);
  });

  it.each(['(', '[', 'a{2,1}', '(?!terminal).*', '(a)\\1', String.raw`terminal\Z`, '\\', '*a', 'x{1001}'])(
    '%s is no valid one, and the message says what to write',
    async (pattern) => {
      const compiled = await compileMatcher(pattern);
      expect(compiled).toMatchObject({ ok: false, code: 'invalid_pattern' });
      expect(compiled.ok ? '' : compiled.message).toContain(JSON.stringify(pattern));
    },
  );

  it('that would compile to something huge is refused', async () => {
    expect(await matches('(x|y|z){1000}'.repeat(40), 'x')).toBe('invalid_pattern');
  });

  it('takes linear time where a backtracking engine takes for ever', async () => {
    expect(await matches('(a+)+b', 'a'.repeat(20_000))).toBe(false);
  });

  it('means the same natively and in the engine', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '1'), maxLength: 3 });
    const alternative = fc.tuple(part, fc.constantFrom('', '.*')).map(([name, tail]) => name + tail);
    const pattern = fc.array(alternative, { minLength: 1, maxLength: 4 }).map((all) => all.join('|'));
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '1', '\n', '😀'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (source, given) => {
        const plain = readPlainNames(source);
        expect(plain).toBeDefined();
        expect(plain && matchesPlainNames(plain, given)).toBe(RE2JS.compile(source).matches(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('loads no engine for plain names', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      const { compileMatcher } = await import(${JSON.stringify(import.meta.resolve('./compile-matcher.ts'))});
      await compileMatcher('write_file|mcp__x__.*');
      const before = loaded.some((url) => url.includes('re2js'));
      await compileMatcher('(a)');
      console.log(before, loaded.some((url) => url.includes('re2js')));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('false true\n');
  });
});
