import { describe, expect, it } from 'vitest';
import { compileFileFilter } from './file-filter.ts';

describe('compileFileFilter', () => {
  it.each([
    ['*.{ts,tsx}', 'src/a.tsx', true],
    ['*.{ts,tsx}', 'src/a.js', false],
    ['{a,b{c,d}}.x', 'bd.x', true],
    ['{a,b{c,d}}.x', 'b.x', false],
    ['{a}', '{a}', true],
    ['{a,b', '{a,b', true],
    ['\\{a,b}', '{a,b}', true],
    ['{,x}a', 'a', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'lib/src/a.ts', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['/a.ts', 'a.ts', true],
    ['/a.ts', 'b/a.ts', false],
    ['**/a.ts', 'a.ts', true],
    ['a.ts', 'deep/in/a.ts', true],
  ])('%s on %s is %s', (glob, path, fits) => {
    expect(compileFileFilter(glob)?.(path)).toBe(fits);
  });

  it('gives up on a glob that stands for too many', () => {
    expect(compileFileFilter('{a,b}'.repeat(30))).toBeUndefined();
    expect(compileFileFilter('{'.repeat(2000))).toBeUndefined();
  });
});
