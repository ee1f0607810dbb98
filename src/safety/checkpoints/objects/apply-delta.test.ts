import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, deltaSizes } from './apply-delta.ts';

const base = Buffer.from('0123456789');

describe('applyDelta', () => {
  it('copies from the base and inserts', () => {
    // copy 3 from 2; insert "xy"; copy 2 from 0 (no offset bytes)
    const delta = Buffer.from([10, 7, 0x91, 2, 3, 2, 0x78, 0x79, 0x90, 2]);
    expect(deltaSizes(delta)).toEqual({ base: 10, result: 7, start: 2 });
    expect(applyDelta(base, delta, 100).toString()).toBe('234xy01');
  });

  it('takes a copy without a length for one of 65536 bytes', () => {
    const large = Buffer.alloc(0x1_0000, 'z');
    const size = [0x80, 0x80, 0x04];
    expect(applyDelta(large, Buffer.from([...size, ...size, 0x80]), 0x1_0000).equals(large)).toBe(true);
  });

  it.each([
    ['nothing', []],
    ['sizes that are cut short', [0x80]],
    ['another base', [9, 1, 1, 0x78]],
    ['the instruction 0', [10, 1, 0]],
    ['a copy from outside', [10, 3, 0x91, 9, 3]],
    ['an insert that is cut short', [10, 3, 3, 0x78]],
    ['a copy that is cut short', [10, 3, 0x91, 1]],
    ['more than it says', [10, 1, 2, 0x78, 0x79]],
    ['less than it says', [10, 3, 2, 0x78, 0x79]],
    ['more than is allowed', [10, 101, 2, 0x78, 0x79]],
    ['a size beyond all numbers', [10, ...Array.from({ length: 12 }, () => 0xff), 1]],
  ])('refuses %s', (_, delta) => {
    expect(() => applyDelta(base, Buffer.from(delta), 100)).toThrow(RangeError);
  });

  it('gives a result or throws a RangeError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          applyDelta(base, Buffer.concat([Buffer.of(10), bytes]), 1000);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
