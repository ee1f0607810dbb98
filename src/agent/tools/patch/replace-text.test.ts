import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceText } from './replace-text.ts';

function replace(text: string, oldText: string, newText: string, replaceAll = false): string {
  const replaced = replaceText(text, { oldText, newText, replaceAll }, 'f');
  return replaced.ok ? replaced.value.text : `${replaced.code}: ${replaced.message}`;
}

describe('replaceText', () => {
  it('replaces the only place, and does not read the new text as a pattern', () => {
    expect(replace('a foo b', 'foo', "$& $1 $' $$")).toBe("a $& $1 $' $$ b");
  });

  it('replaces every place where that is asked for', () => {
    const replaced = replaceText('x\ny\nx\n', { oldText: 'x\n', newText: 'a\nb\n', replaceAll: true }, 'f');
    expect(replaced).toEqual({
      ok: true,
      value: { text: 'a\nb\ny\na\nb\n', count: 2, linesAdded: 4, linesRemoved: 2 },
    });
  });

  it.each([
    ['a\r\nb\r\n', 'a\nb', 'c\nd\ne', 'c\r\nd\r\ne\r\n'],
    ['a\r\nb\r\n', 'a', 'c\nd', 'c\r\nd\r\nb\r\n'],
    ['a\r\nb\r\n', 'a\r\nb', 'c\r\nd', 'c\r\nd\r\n'],
    ['a\nb\n', 'a\r\nb', 'c\r\nd', 'c\nd\n'],
    ['a\nb\r\nc\nd\n', 'b\nc', 'x\ny', 'a\nx\r\ny\nd\n'],
    ['a\nb', 'b', 'c', 'a\nc'],
    ['a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
  ])('keeps the line endings of %j', (text, oldText, newText, expected) => {
    expect(replace(text, oldText, newText)).toBe(expected);
  });

  it.each([
    ['one\ntwo\none\n', 'one', 'ambiguous: old_string is in f 2 times: at lines 1, 3.'],
    ['aaa', 'aa', 'ambiguous: old_string is in f 1 times and more, overlapping: at lines 1.'],
    [
      `${'x\n'.repeat(20)}`,
      'x',
      'ambiguous: old_string is in f 20 times: at lines 1, 2, 3, 4, 5, 6, 7, 8, ….',
    ],
    ['let value = 1;\n', 'let valeu = 1;', 'Most like its beginning is line 1: "let value = 1;"'],
    [
      '\tif (x) {\n\t\ty();\n',
      '  if (x) {\n    y();',
      'but at line 1 it is with other white space: "\\tif (x) {"',
    ],
    ['abc', 'qrs', 'not_found: old_string is not in f, nor anything like it.'],
    ['abc', '\n\n', 'not_found: old_string is not in f.'],
    ['abc', 'abc', 'no_change'],
  ])('says why it does not fit %j: %j', (text, oldText, message) => {
    expect(replace(text, oldText, oldText === 'abc' ? 'abc' : 'new')).toContain(message);
  });

  it('equals the built-in replacement on small texts', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
    fc.assert(
      fc.property(letters, letters, letters, (text, oldText, newText) => {
        fc.pre(oldText !== '' && oldText !== newText && text.includes(oldText));
        expect(replace(text, oldText, newText, true)).toBe(text.replaceAll(oldText, () => newText));
      }),
    );
  });

  it('takes five megabytes of old text, found or not', () => {
    const large = 'line of text\n'.repeat(400_000);
    expect(replace(`start\n${large}end\n`, large, 'x\n')).toBe('start\nx\nend\n');
    expect(replace(large, `${large}more`, 'x')).toContain('not_found');
    const letters = 'a'.repeat(3_000_000);
    expect(replace(letters, `${'a'.repeat(1_000_000)}b`, 'x')).toContain('not_found');
    expect(replace(letters, 'a'.repeat(1_000_000), 'x')).toContain('ambiguous');
  });
});
