import { describe, expect, it } from 'vitest';
import { parseIgnoreFile } from './ignore-rules.ts';

describe('parseIgnoreFile', () => {
  it.each([
    ['# comment', 'x', undefined],
    ['', 'x', undefined],
    ['x', 'x', 'ignored'],
    ['x', 'a/x', 'ignored'],
    ['/x', 'x', 'ignored'],
    ['/x', 'a/x', undefined],
    ['a/x', 'a/x', 'ignored'],
    ['a/x', 'b/a/x', undefined],
    ['x \r', 'x', 'ignored'],
    ['x\\ ', 'x ', 'ignored'],
    ['x\\ ', 'x', undefined],
    ['\\#x', '#x', 'ignored'],
    ['\\!x', '!x', 'ignored'],
    ['x\n!x', 'x', 'included'],
    ['!x\nx', 'x', 'ignored'],
    ['\uFEFFx', 'x', 'ignored'],
    ['/', 'x', undefined],
  ])('%j says of %s: %s', (text, path, answer) => {
    expect(parseIgnoreFile(text)(path, false)).toBe(answer);
  });

  it('keeps a rule with a slash at its end for folders', () => {
    expect(parseIgnoreFile('x/')('x', false)).toBeUndefined();
    expect(parseIgnoreFile('x/')('x', true)).toBe('ignored');
    expect(parseIgnoreFile('x/')('a/x', true)).toBe('ignored');
  });
});
