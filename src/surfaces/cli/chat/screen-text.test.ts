import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScreenTextStream, screenText } from './screen-text.ts';

/** What a terminal acts on, or a person cannot see. */
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

describe('screenText', () => {
  it.each([
    ['\u001b]52;c;aGk=\u0007', '\\u{1b}]52;c;aGk=\\u{7}'],
    ['\u001b[2J', '\\u{1b}[2J'],
    ['\u009b31m', '\\u{9b}31m'],
    ['a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
    ['x\u{e0041}y', 'x\\u{e0041}y'],
    ['progress\rdone', 'progress\\u{d}done'],
    ['\b\0', '\\u{8}\\u{0}'],
  ])('shows %j escaped', (text, shown) => {
    expect(screenText(text)).toBe(shown);
  });

  it.each(['two\nlines\n', 'a\ttab', '你好 👩‍👩‍👧 é', 'می‌خواهم', '# **bold** <b> $5', ''])(
    'leaves %j as it is',
    (text) => {
      expect(screenText(text)).toBe(text);
    },
  );

  it('makes one line break of the two characters of Windows', () => {
    expect(screenText('a\r\nb\r\n')).toBe('a\nb\n');
  });

  it('lets nothing through that steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(screenText(text)).not.toMatch(STEERS);
      }),
    );
  });
});

describe('a stream of screen text', () => {
  it('shows the same as the whole, wherever it is cut', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\n', '\r', '\r\n', '\u001b', '👍', '\u202e', '\u{e0041}', ' '),
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
        const stream = new ScreenTextStream();
        let shown = '';
        let rest = whole;
        for (const cut of cuts) {
          shown += stream.take(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        shown += stream.take(rest);
        const held = screenText(whole).slice(shown.length);
        expect(screenText(whole).startsWith(shown)).toBe(true);
        expect(['', '\\u{d}']).toContain(held);
      }),
    );
  });
});
