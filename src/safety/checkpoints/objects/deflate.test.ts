import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adler32,
  canHold,
  compress,
  inflate,
  inflateBeginning,
  MAX_PLACED_BYTES,
  PLACED_OVERHEAD,
  placeStored,
  storedSize,
  writeStored,
} from './deflate.ts';

function stored(...parts: Uint8Array[]): Buffer {
  const chunks: Buffer[] = [];
  writeStored({ write: (bytes) => chunks.push(Buffer.from(bytes)) }, parts);
  return Buffer.concat(chunks);
}

function resultOf(work: () => Buffer): Buffer | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

const lengths = fc.constantFrom(0, 1, 2, 5551, 5552, 5553, 65_534, 65_535, 65_536, 131_070, 200_000);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(lengths, fc.nat(255)).map(([length, byte]) => new Uint8Array(length).fill(byte)),
);

describe('writeStored', () => {
  it('writes what zlib reads, at the size that was foretold', () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 3 }), (parts) => {
        const bytes = stored(...parts);
        expect(bytes).toHaveLength(storedSize(parts));
        expect(inflateSync(bytes).equals(Buffer.concat(parts))).toBe(true);
        expect(inflate(bytes, 1_000_000).equals(Buffer.concat(parts))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('placeStored', () => {
  it('puts what writeStored writes to its place, and nothing elsewhere', () => {
    fc.assert(
      fc.property(content, fc.nat(20), (bytes, start) => {
        fc.pre(bytes.length <= MAX_PLACED_BYTES);
        const buffer = Buffer.alloc(start + bytes.length + PLACED_OVERHEAD + 3, 0xee);
        const end = placeStored(buffer, start, bytes);
        expect(end).toBe(start + bytes.length + PLACED_OVERHEAD);
        expect(buffer.subarray(start, end).equals(stored(bytes))).toBe(true);
        expect(buffer.subarray(0, start).every((byte) => byte === 0xee)).toBe(true);
        expect(buffer.toString('hex', end)).toBe('eeeeee');
      }),
      { numRuns: 200 },
    );
  });
});

describe('adler32', () => {
  it('goes on from what comes before', () => {
    fc.assert(
      fc.property(content, content, (one, other) => {
        expect(adler32(other, adler32(one))).toBe(adler32(Buffer.concat([one, other])));
      }),
    );
  });

  it('is the known value', () => {
    expect(adler32(Buffer.from('Wikipedia'))).toBe(0x11e60398);
    expect(adler32(Buffer.alloc(0))).toBe(1);
  });
});

describe('inflate', () => {
  it.each([0, 1, 6, 9])('reads what zlib writes at level %i, whatever follows', (level) => {
    fc.assert(
      fc.property(content, fc.uint8Array({ maxLength: 30 }), (bytes, rest) => {
        const stream = Buffer.concat([deflateSync(bytes, { level }), rest]);
        expect(inflate(stream, bytes.length).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('gives the content or nothing when one byte of a stored stream is changed', () => {
    const content = Buffer.from('the content of a file');
    const whole = stored(Buffer.from('header'), content);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ change;
        // Some bits mean nothing to the format: the padding of a block, the level in the header.
        const result = resultOf(() => inflate(changed, 1000));
        expect(result === undefined || result.equals(Buffer.concat([Buffer.from('header'), content]))).toBe(
          true,
        );
        if (at >= whole.length - 4 - content.length) expect(result).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('refuses a stored stream that is cut short', () => {
    const whole = stored(Buffer.from('header'), Buffer.from('the content of a file'));
    for (let length = 0; length < whole.length; length += 1)
      expect(() => inflate(whole.subarray(0, length), 1000)).toThrow();
  });

  it.each([
    ['stored', stored(Buffer.alloc(1000))],
    ['compressed', compress(Buffer.alloc(1000))],
  ])('refuses a %s stream that holds more than it may', (_, stream) => {
    expect(inflate(stream, 1000)).toHaveLength(1000);
    expect(() => inflate(stream, 999)).toThrow();
  });
});

describe('inflateBeginning', () => {
  it('gives what can be told from a part of a stream', () => {
    const text = Buffer.from('blob 5000\0'.padEnd(5000, 'some text, '));
    for (const stream of [stored(text), compress(text)]) {
      const beginning = inflateBeginning(stream.subarray(0, 60));
      expect(beginning.length).toBeGreaterThan(10);
      expect(text.subarray(0, beginning.length).equals(beginning)).toBe(true);
    }
  });

  it('refuses what is no stream', () => {
    expect(() => inflateBeginning(Buffer.from('no stream at all'))).toThrow();
  });
});

describe('canHold', () => {
  it('holds for the best that zlib can do', () => {
    const size = 10_000_000;
    expect(canHold(compress(Buffer.alloc(size)).length, size)).toBe(true);
    expect(canHold(100, size)).toBe(false);
  });
});
