import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFileName } from '../../../platform/paths/index.ts';
import { fromDisplayed, toDisplayed } from './displayed-path.ts';

describe('fromDisplayed', () => {
  it('is the inverse of toDisplayed for every file name', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.string({ unit: 'binary' }), (bytes, text) => {
        const path = decodeFileName(bytes) + text;
        expect(fromDisplayed(toDisplayed(path))).toBe(path);
        expect(toDisplayed(path)).not.toMatch(/[\n\r\p{Cs}]/u);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '\\x41',
    '\\u0041',
    '\\u{00041}',
    '\\',
    '\\q',
    'a\nb',
    '\\x0a',
    '\\u000a',
    '\\u{110000}',
    '\\u{fffff0}',
  ])('does not take %j, which no path is listed as', (text) => {
    expect(fromDisplayed(text)).toBeUndefined();
  });
});
