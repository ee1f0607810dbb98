import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../json/index.ts';
import { safeCut } from './safe-cut.ts';

const marker = '[redacted token len=4 #12345678]';

describe('safeCut', () => {
  it.each([
    ['abc', 2, 2],
    ['abc', 9, 3],
    ['abc', -1, 0],
    ['a\u{1f600}b', 2, 1],
    ['a\ud800b', 2, 2],
    ['a\\nb', 2, 1],
    ['a\\nb', 3, 3],
    ['a\\u20acb', 4, 1],
    ['a\\u20acb', 6, 1],
    ['a\\u20acb', 7, 7],
    ['a\\x1bb', 4, 1],
    ['\\ud83d\\ude00b', 8, 0],
    ['\\ud83d\\ude00b', 6, 0],
    ['\\ud83d\\ude00b', 12, 12],
    ['a\\\\nb', 2, 1],
    ['a\\\\nb', 4, 4],
    [`a${marker}b`, 5, 1],
    [`a${marker}b`, 1 + marker.length, 1 + marker.length],
    [`${marker}${marker}`, marker.length, marker.length],
    [`${marker}${marker}`, marker.length + 1, marker.length],
    ['[redacted tok', 5, 5],
  ])('cuts %j before %i at %i', (text, offset, expected) => {
    expect(safeCut(text, offset)).toBe(expected);
  });

  it('leaves a JSON string that ends at the cut readable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 60 }), (text, offset) => {
        const inside = JSON.stringify(text).slice(1, -1);
        const cut = inside.slice(0, safeCut(inside, offset));
        const parsed = parseJson(`"${cut}"`);
        expect(parsed.ok).toBe(true);
        if (text.isWellFormed())
          expect(parsed.ok && typeof parsed.value === 'string' && parsed.value.isWellFormed()).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('cuts long runs of backslashes between pairs', () => {
    expect(safeCut('\\'.repeat(1000), 501)).toBe(500);
  });
});
