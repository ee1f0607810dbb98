import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadRegexCompiler } from '../../../kernel/regex/index.ts';
import { compileHostPattern } from './host-pattern.ts';
import { compileNamePattern, compileNamePatterns } from './name-pattern.ts';
import { compilePathPattern } from './path-pattern.ts';

describe('a pattern of tool names', () => {
  it.each([
    ['terminal', 'terminal', true],
    ['terminal', 'Terminal', false],
    ['terminal', 'terminals', false],
    ['mcp__*exec*', 'mcp__host__exec_command', true],
    ['mcp__*exec*', 'mcp__exe', false],
    ['*_file', 'read_file', true],
    ['a*b*c', 'abc', true],
    ['a*bb', 'ab', false],
    ['a*a', 'a', false],
    ['*', 'constructor', true],
    ['a.c', 'abc', false],
  ])('%s of %s is %s', (pattern, name, fits) => {
    expect(compileNamePattern(pattern)(name)).toBe(fits);
  });

  it('fits what a regular expression made of it fits', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(text, name, (pattern, given) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        expect(compileNamePattern(pattern)(given)).toBe(expression.test(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('fits when one of several does', () => {
    expect(compileNamePatterns(['a', 'b*'])('bc')).toBe(true);
    expect(compileNamePatterns(['a', 'b*'])('c')).toBe(false);
  });
});

describe('a pattern of paths', () => {
  const scope = { home: '/home/u', workspace: '/home/u/proj' };

  it.each([
    ['deploy/prod/**', '/home/u/proj/deploy/prod/a/b.yaml', true],
    ['deploy/prod/**', '/home/u/proj/deploy/prod', true],
    ['deploy/prod/**', '/home/u/other/deploy/prod/a', false],
    ['./deploy/*', '/home/u/proj/deploy/a', true],
    ['*.pem', '/home/u/proj/a.pem', true],
    ['*.pem', '/home/u/proj/sub/a.pem', false],
    ['**/*.pem', '/etc/ssl/a.pem', true],
    ['~/.ssh/**', '/home/u/.ssh/id', true],
    ['~/.ssh/**', '/home/v/.ssh/id', false],
    ['/etc/**', '/etc/passwd', true],
    ['/etc/**', '/etcetera', false],
    ['/srv/[ab]', '/srv/b', true],
  ])('%s of %s is %s', (glob, path, fits) => {
    expect(compilePathPattern(glob).fits(path, scope)).toBe(fits);
  });

  it.each([
    ['deploy/prod/**', '/home/u/proj/deploy', true],
    ['deploy/prod/**', '/home/u/proj', true],
    ['deploy/prod/**', '/home/u/proj/docs', false],
    ['/etc/ssl/*.pem', '/etc', true],
    ['/etc/ssl/*.pem', '/usr', false],
    ['~/.ssh/**', '/home/u', true],
    ['/**', '/', true],
  ])('%s may be below %s: %s', (glob, folder, reaches) => {
    expect(compilePathPattern(glob).reachesBelow(folder, scope)).toBe(reaches);
  });
});

describe('a pattern of hosts', () => {
  it.each([
    ['example.com', 'example.com', true],
    ['example.com', 'EXAMPLE.com.', true],
    ['example.com', 'api.example.com', false],
    ['example.com', 'notexample.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'notexample.com', false],
    ['*.example.com', 'example.com.evil.test', false],
    ['*', 'anything', true],
  ])('%s of %s is %s', (pattern, host, fits) => {
    expect(compileHostPattern(pattern)(host)).toBe(fits);
  });
});

describe('a regular expression', () => {
  it('finds a part, or fits the whole', async () => {
    const compile = await loadRegexCompiler();
    const pattern = compile('b+');
    if (!pattern.ok) throw new Error(pattern.message);
    expect([pattern.value.finds('abbc'), pattern.value.fits('abbc'), pattern.value.fits('bb')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each(['(', '(?=x)', String.raw`(a)\1`, '(a{1000}){1000}'])('is refused as %s', async (source) => {
    const compile = await loadRegexCompiler();
    expect(compile(source)).toMatchObject({ ok: false, code: 'invalid_pattern' });
  });
});
