import { describe, expect, it } from 'vitest';
import { shortDiff } from './short-diff.ts';

describe('shortDiff', () => {
  it.each([
    ['the same', 'a\nb\n', 'a\nb\n', []],
    ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', ['@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c']],
    ['a new file', '', 'a\n', ['@@ -0,0 +1,1 @@', '+a']],
    ['an emptied file', 'a\n', '', ['@@ -1,1 +0,0 @@', '-a']],
    ['a repeated line', 'a\na\n', 'a\na\na\n', ['@@ -1,2 +1,3 @@', ' a', ' a', '+a']],
    ['a missing line break', 'a\n', 'a', ['@@ -1,1 +1,1 @@', '-a', '+a\\ no newline at the end']],
  ])('shows %s', (_, before, after, rows) => {
    expect(shortDiff(before, after)).toEqual(rows);
  });

  it('keeps three lines around, and is cut when it is long', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `${String(index)}\n`);
    const changed = lines.with(10, 'x\n');
    expect(shortDiff(lines.join(''), changed.join(''))).toEqual([
      '@@ -8,7 +8,7 @@',
      ' 7',
      ' 8',
      ' 9',
      '-10',
      '+x',
      ' 11',
      ' 12',
      ' 13',
    ]);
    expect(shortDiff('', 'y\n'.repeat(100))).toHaveLength(26);
  });
});
