import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFileName, fileSystemPath, InvalidPathError } from './index.ts';

const fileNameBytes = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => bytes.filter((byte) => byte !== 0));

describe('decodeFileName and fileSystemPath', () => {
  it('give any bytes back unchanged', () => {
    fc.assert(
      fc.property(fileNameBytes, (bytes) => {
        fc.pre(bytes.length > 0);
        expect(Buffer.from(fileSystemPath(decodeFileName(bytes)))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it('leave well-formed text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        fc.pre(!name.includes('\0'));
        expect(fileSystemPath(name)).toBe(name);
        expect(decodeFileName(Buffer.from(name))).toBe(name);
      }),
    );
  });

  it.each([
    ['a byte that begins nothing', [0x61, 0xff, 0x62], 'a\udcffb'],
    ['a sequence that is cut short', [0xe2, 0x82], '\udce2\udc82'],
    ['an overlong form', [0xc0, 0xaf], '\udcc0\udcaf'],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], '\udced\udca0\udc80'],
    ['good and bad together', [0xc3, 0xa9, 0xe9], 'é\udce9'],
  ])('writes %s as lone surrogates', (_, bytes, text) => {
    expect(decodeFileName(Uint8Array.from(bytes))).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['a NUL', 'a\0b'],
    ['a lone surrogate that stands for no byte', 'a\ud800b'],
    ['escapes that spell valid UTF-8, a second way to write é', '\udcc3\udca9'],
    ['escapes of ASCII', '\udc2e\udc65'],
  ])('refuse %s', (_, path) => {
    expect(() => fileSystemPath(path)).toThrow(InvalidPathError);
  });

  it.runIf(process.platform === 'linux')('name files whose names are not UTF-8', () => {
    const folder = mkdtempSync(join(tmpdir(), 'names-'));
    const path = join(folder, 'caf\udce9.txt');
    writeFileSync(fileSystemPath(path), 'x');
    expect(readdirSync(folder, { encoding: 'buffer' })).toEqual([Buffer.from('caf\xe9.txt', 'latin1')]);
  });
});
