import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { encodePackIndex, type PackEntry, PackIndex } from './pack-index.ts';

const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
/** Some begin alike. */
const oid = fc
  .oneof(
    bytes,
    fc
      .tuple(fc.nat(2), bytes)
      .map(([first, rest]) => new Uint8Array(20).fill(first, 0, 4).fill(rest[0] ?? 0, 4)),
  )
  .map((name) => Buffer.from(name).toString('hex'));
const offset = fc.oneof(
  fc.integer({ min: 12, max: 1_000_000 }),
  fc.integer({ min: 2 ** 31 - 2, max: 2 ** 31 + 2 }),
  fc.integer({ min: 2 ** 32 - 2, max: 2 ** 40 }),
);
const entries: fc.Arbitrary<PackEntry[]> = fc
  .uniqueArray(fc.record({ oid, offset, crc: fc.nat(0xffff_ffff) }), {
    selector: (entry) => entry.oid,
    maxLength: 60,
  })
  .map((list) =>
    list.filter((entry, index) => list.findIndex((other) => other.offset === entry.offset) === index),
  );
const checksum = Buffer.alloc(20, 7);

describe('PackIndex', () => {
  it('finds what was put in, at any offset, and what comes after it', () => {
    fc.assert(
      fc.property(entries, oid, (list, other) => {
        const index = new PackIndex(encodePackIndex(list, checksum), 'x.idx');
        expect(index.count).toBe(list.length);
        expect(index.packChecksum).toEqual(checksum);
        expect([...index.oids()]).toEqual(list.map((entry) => entry.oid).toSorted());
        const order = list.map((entry) => entry.offset).toSorted((one, two) => one - two);
        for (const entry of list) {
          expect(index.find(entry.oid)).toBe(entry.offset);
          expect(index.next(entry.offset)).toBe(order[order.indexOf(entry.offset) + 1]);
        }
        if (!list.some((entry) => entry.oid === other)) expect(index.find(other)).toBeUndefined();
      }),
    );
  });

  it('refuses an index with any byte changed, and one that is cut short', () => {
    const bytes = encodePackIndex([{ oid: 'ab'.repeat(20), offset: 12, crc: 1 }], checksum);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => new PackIndex(changed, 'x.idx')).toThrow(CorruptObjectError);
      expect(() => new PackIndex(bytes.subarray(0, at), 'x.idx')).toThrow(/x\.idx/);
    }
  });
});
