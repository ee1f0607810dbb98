import { describe, expect, it } from 'vitest';
import { compileGlob } from './compile-glob.ts';

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
