import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortIds } from './short-ids.ts';

it('ids are as short as they can be told apart, and at least 7 digits', () => {
  const id = fc.stringMatching(/^[ab]{40}$/);
  fc.assert(
    fc.property(fc.array(id, { minLength: 1, maxLength: 20 }), (ids) => {
      const short = shortIds(ids);
      for (const each of ids) {
        const shown = short.get(each) ?? '';
        expect(shown.length).toBeGreaterThanOrEqual(7);
        expect([...new Set(ids)].filter((other) => other.startsWith(shown))).toEqual([each]);
      }
    }),
  );
});
