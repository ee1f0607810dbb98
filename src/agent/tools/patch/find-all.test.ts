import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersOf, findAll, itemsOf } from './find-all.ts';

/** The same by looking everywhere. */
function findNaively(haystack: string, needle: string): { positions: number[]; overlap: boolean } {
  const all = Array.from(haystack, (_, index) => index).filter((index) => haystack.startsWith(needle, index));
  const positions: number[] = [];
  for (const index of all) {
    const last = positions.at(-1);
    if (last === undefined || index >= last + needle.length) positions.push(index);
  }
  return { positions, overlap: positions.length < all.length };
}

const letters = (options: fc.StringConstraints): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b'), ...options });

describe('findAll', () => {
  it('finds what looking everywhere finds', () => {
    fc.assert(
      fc.property(letters({ maxLength: 60 }), letters({ minLength: 1, maxLength: 6 }), (haystack, needle) => {
        const { positions, overlap } = findNaively(haystack, needle);
        expect(findAll(charactersOf(haystack), charactersOf(needle))).toEqual({
          count: positions.length,
          positions,
          overlap,
        });
      }),
    );
  });

  it('begins where it is told to', () => {
    expect(findAll(itemsOf(['x', 'y', 'x']), itemsOf(['x']), 1).positions).toEqual([2]);
  });

  it('refuses an empty needle', () => {
    expect(() => findAll(charactersOf('a'), charactersOf(''))).toThrow(/empty/);
  });

  it('ends on the needles that the search built into strings takes minutes for', () => {
    const needle = `${'a'.repeat(700_000)}b${'a'.repeat(700_000)}`;
    expect(findAll(charactersOf('a'.repeat(3_000_000)), charactersOf(needle)).count).toBe(0);
  });
});
