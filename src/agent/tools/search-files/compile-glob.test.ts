import { describe, expect, it } from 'vitest';
import { compileGlob } from './compile-glob.ts';
import { compileFileFilter } from './file-filter.ts';

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', '.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a?c', 'aéc', true],
    ['a?c', 'a😀c', true],
    ['**/x', 'x', true],
    ['**/x', 'a/b/x', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['a/**', 'a', false],
    ['a/**', 'a/b/c', true],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]x]', ']', true],
    ['[a-]', '-', true],
    ['[[:digit:]]', '7', true],
    ['[[:digit:]]', 'x', false],
    ['[[:nope:]]', ':]', true],
    ['[a', '[a', false],
    ['a[/]b', 'a/b', false],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['\\[a]', '[a]', true],
    ['a\\', 'a\\', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxa', false],
    ['', '', true],
    ['', 'a', false],
  ])('%s on %s is %s', (glob, path, fits) => {
    expect(compileGlob(glob)(path)).toBe(fits);
  });

  it('takes a hostile glob on a long name without exploding', () => {
    const fits = compileGlob(`${'*a'.repeat(60)}b`);
    expect(fits('a'.repeat(4000))).toBe(false);
    const deep = compileGlob(`${'**/a/'.repeat(40)}b`);
    expect(deep('a/'.repeat(2000))).toBe(false);
  });
});

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
