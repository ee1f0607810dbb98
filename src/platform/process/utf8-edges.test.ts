import fc from 'fast-check';
import { expect, it } from 'vitest';
import { strayBytesAtStart, unfinishedBytesAtEnd } from './utf8-edges.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const wellFormed = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

it('cuts any well-formed text at any byte into two well-formed texts', () => {
  fc.assert(
    fc.property(wellFormed, fc.nat(), (text, at) => {
      const bytes = Buffer.from(text);
      const cut = at % (bytes.length + 1);
      const head = bytes.subarray(0, cut);
      const tail = bytes.subarray(cut);
      const before = strict.decode(head.subarray(0, head.length - unfinishedBytesAtEnd(head)));
      const after = strict.decode(tail.subarray(strayBytesAtStart(tail)));
      expect(text.startsWith(before)).toBe(true);
      expect(text.endsWith(after)).toBe(true);
      expect(unfinishedBytesAtEnd(head) > 0).toBe(strayBytesAtStart(tail) > 0);
    }),
  );
});

it.each([
  [[], 0],
  [[0x61], 0],
  [[0xe2, 0x82], 2],
  [[0xe2, 0x82, 0xac], 0],
  [[0xf0, 0x9f, 0x98], 3],
  [[0x80, 0x80, 0x80, 0x80], 0],
  [[0xc0], 0],
  [[0xff], 0],
])('bytes %j end with %i unfinished ones', (bytes, expected) => {
  expect(unfinishedBytesAtEnd(Uint8Array.from(bytes))).toBe(expected);
});

it('takes at most three bytes for strays', () => {
  expect(strayBytesAtStart(Uint8Array.from([0x80, 0x80, 0x80, 0x80, 0x80]))).toBe(3);
});
