import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

describe('plainText', () => {
  it.each([
    ['plain\n\ttext ü 😀', 'plain\n\ttext ü 😀'],
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x1b[38:2::255:0:0mx\x1b[m', 'x'],
    ['\x9b31mx', 'x'],
    ['\x1b]0;title\x07x', 'x'],
    ['\x1b]8;;http://a.b\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1bPq#0;2\x1b\\x', 'x'],
    ['\x1b_app\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\x', 'x'],
    ['\x9d0;t\x9cx', 'x'],
    ['\x1b(B\x1b7\x1b8\x1b=\x1bcx', 'x'],
    ['a\x1b[?25lb\x1b[2Kc\x1b[1A', 'abc'],
    ['\x1b]unfinished\nnext', '\nnext'],
    ['\x1b]never ends', ''],
    ['\x1b[', ''],
    ['\x1b', ''],
    ['\x1b[31', ''],
    ['\x1b[3\x1b[31mx', 'x'],
    ['a\x07b\x00c\x7fd\x85e', 'abcde'],
    ['10%\r50%\r100%\ndone\n', '100%\ndone\n'],
    ['50%\r', '50%'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['\x1b[32m50%\x1b[0m\r\x1b[K100%\r\n', '100%\n'],
    ['typo\b\b\bext', 'text'],
    ['\b\bx\n\bx', 'x\nx'],
    ['😀\bx', 'x'],
  ])('reads %j as %j', (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it('leaves no control character, and leaves plain text alone', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\x1b',
        '\x1b[',
        '\x1b]',
        '\x1bP',
        '\x1b\\',
        '\x07',
        '\r',
        '\b',
        '\n',
        ';',
        '31',
        'm',
        '\x9b',
        '\x9c',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const plain = plainText(pieces.join(''));
        expect(plain).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(plainText(plain)).toBe(plain);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['\x1b[', '\x1b]', '\x1b]0;', '\x1bP', '\x9b', '\x1b[1;', '\b', '\r', 'a\b', '\x1b\x1b]\r'])(
    'takes megabytes of %j',
    (piece) => {
      expect(plainText(piece.repeat(500_000)).length).toBeLessThan(2_000_000);
    },
  );
});
