import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchesEverything,
  matchesName,
  matchesPath,
  pathExpression,
  splitPattern,
} from './match-pattern.ts';

describe('matchesName', () => {
  it('agrees with the same pattern as an expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(letters, names, (pattern, name) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matchesName(pattern, name)).toBe(expression.test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('knows sets, escapes and hidden names', () => {
    expect(matchesName('[a-c]x', 'bx')).toBe(true);
    expect(matchesName('[!a-c]x', 'bx')).toBe(false);
    expect(matchesName(String.raw`\*`, '*')).toBe(true);
    expect(matchesName(String.raw`\*`, 'a')).toBe(false);
    expect(matchesName('*', '.a')).toBe(false);
    expect(matchesName('.*', '.a')).toBe(true);
    expect(matchesName('[', '[')).toBe(true);
  });
});

describe('matchesPath', () => {
  it('a star stays within its name, two go through any number of directories', () => {
    expect(matchesPath('/a/*', '/a/b')).toBe(true);
    expect(matchesPath('/a/*', '/a/b/c')).toBe(false);
    expect(matchesPath('/a/**/c', '/a/c')).toBe(true);
    expect(matchesPath('/a/**/c', '/a/b/b/c')).toBe(true);
    expect(matchesPath('/a/**/c', '/a/b/d')).toBe(false);
  });

  it('many double stars take no longer than one', () => {
    expect(matchesPath(`${'/**'.repeat(300)}/x`, `${'/a'.repeat(300)}/y`)).toBe(false);
  });
});

it('patterns for everything are recognised', () => {
  for (const pattern of ['*', '.*', '**', '?*', '.[!.]*', '*.*'])
    expect(matchesEverything(pattern)).toBe(true);
  for (const pattern of ['a*', '*.o', '?', '[a]']) expect(matchesEverything(pattern)).toBe(false);
});

it('the directory in front of a pattern is known', () => {
  expect(splitPattern('/a/b/*/c')).toEqual({ base: '/a/b', rest: ['*', 'c'] });
  expect(splitPattern('/*')).toEqual({ base: '/', rest: ['*'] });
  expect(splitPattern(String.raw`/a\*/b`)).toEqual({ base: '/a*/b', rest: [] });
});

it('a list of patterns becomes one expression', () => {
  const expression = pathExpression(['**/.ssh/a*', '/etc/x.d/**']);
  for (const path of ['/h/.ssh/ab', '/etc/x.d', '/etc/x.d/y/z']) expect(expression.test(path)).toBe(true);
  for (const path of ['/h/ssh/ab', '/etc/xxd/y', '/h/.ssh/a/b']) expect(expression.test(path)).toBe(false);
});
