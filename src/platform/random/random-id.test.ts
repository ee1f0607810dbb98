import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdMaker, randomBytes, randomFraction, randomId } from './index.ts';

describe('randomId', () => {
  it('is made of lower-case letters, digits and the underscore after its prefix', () => {
    expect(randomId()).toMatch(/^[a-z0-9]{25}$/);
    expect(randomId('call')).toMatch(/^call_[a-z0-9]{25}$/);
  });

  it.each(['', 'Call', 'a_b', 'a b', 'a\n', 'ä'])('refuses the prefix %j', (prefix) => {
    expect(() => randomId(prefix)).toThrow(/prefix/);
  });

  it('is unique and sorts in the order of making', () => {
    const ids = Array.from({ length: 20_000 }, () => randomId());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('createIdMaker', () => {
  it('keeps the order for any course of the clock, and at the end of the random range', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 42 }), fc.constantFrom(0, 255)), {
          minLength: 2,
          maxLength: 50,
        }),
        (steps) => {
          let step = 0;
          const make = createIdMaker({
            now: () => steps[step]?.[0] ?? 0,
            bytes: (count) => new Uint8Array(count).fill(steps[step]?.[1] ?? 0),
          });
          const ids = steps.map((_, index) => {
            step = index;
            return make();
          });
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.toSorted()).toEqual(ids);
        },
      ),
    );
  });

  it('carries into the time when the random digits are used up', () => {
    // 36 ** 16 - 1, the largest random part, as twelve bytes.
    const largest = (36n ** 16n - 1n).toString(16).padStart(24, '0');
    const make = createIdMaker({ now: () => 0, bytes: () => Buffer.from(largest, 'hex') });
    const first = make();
    const second = make();
    expect(first).toBe('000000000zzzzzzzzzzzzzzzz');
    expect(second.startsWith('000000001')).toBe(true);
  });

  it('puts ids of different makers in the order of their time', () => {
    const at = (ms: number): string => createIdMaker({ now: () => ms, bytes: randomBytes })();
    expect(at(1_000) < at(1_001)).toBe(true);
    expect(at(1_000)).not.toBe(at(1_000));
  });
});

describe('randomBytes and randomFraction', () => {
  it('give what was asked for', () => {
    expect(randomBytes(32)).toHaveLength(32);
    expect(Buffer.from(randomBytes(16)).equals(randomBytes(16))).toBe(false);
    const fraction = randomFraction();
    expect(fraction).toBeGreaterThanOrEqual(0);
    expect(fraction).toBeLessThan(1);
  });
});
