import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadTailBuffer, type KeptOutput } from './head-tail-buffer.ts';

const keep = fc.constantFrom<KeptOutput>('head', 'head-and-tail');
const chunks = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 });

function filled(pieces: readonly Uint8Array[], maxBytes: number, kept: KeptOutput): HeadTailBuffer {
  const buffer = new HeadTailBuffer({ maxBytes, keep: kept });
  for (const piece of pieces) buffer.append(piece);
  return buffer;
}

function ofText(text: string, maxBytes: number, kept: KeptOutput = 'head-and-tail'): HeadTailBuffer {
  return filled([Buffer.from(text)], maxBytes, kept);
}

describe('what is kept', () => {
  it('is the first bytes and the last bytes of the stream, however it was cut into chunks', () => {
    fc.assert(
      fc.property(chunks, fc.nat({ max: 80 }), keep, (pieces, maxBytes, kept) => {
        const all = Buffer.concat(pieces);
        const headLimit = kept === 'head' ? maxBytes : Math.ceil(maxBytes / 2);
        const head = all.subarray(0, headLimit);
        const rest = all.subarray(headLimit);
        const tail = rest.subarray(Math.max(0, rest.length - (maxBytes - headLimit)));
        const buffer = filled(pieces, maxBytes, kept);
        expect(Buffer.from(buffer.toBytes())).toEqual(Buffer.concat([head, tail]));
        expect(buffer.totalBytes).toBe(all.length);
        expect(buffer.omittedBytes).toBe(all.length - head.length - tail.length);
        expect(buffer.isTruncated).toBe(all.length > maxBytes);
      }),
    );
  });

  it('is everything up to the limit and never more than the limit', () => {
    expect(ofText('abcdef', 6).toText()).toBe('abcdef');
    expect(ofText('abcdefg', 6).toBytes().length).toBe(6);
  });

  it('does not change when the appended chunk is changed afterwards', () => {
    const buffer = new HeadTailBuffer({ maxBytes: 4, keep: 'head-and-tail' });
    const chunk = Buffer.from('abcd');
    buffer.append(chunk);
    chunk.fill('x');
    expect(buffer.toText()).toBe('abcd');
  });

  it('is nothing with a limit of 0, and the bytes are still counted', () => {
    const buffer = ofText('abc', 0);
    expect(buffer.toText()).toBe('[... 3 bytes left out ...]\n');
    expect(buffer.totalBytes).toBe(3);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as a limit', (maxBytes) => {
    expect(() => new HeadTailBuffer({ maxBytes, keep: 'head' })).toThrow(RangeError);
  });
});

describe('text', () => {
  it('says in a line of its own how many bytes were left out', () => {
    expect(ofText('first\nmiddle\nlast', 8).toText()).toBe('firs\n[... 9 bytes left out ...]\nlast');
    expect(ofText('first\nmiddle\nlast', 12).toText()).toBe('first\n[... 5 bytes left out ...]\ne\nlast');
    expect(ofText('abcdef', 2, 'head').toText()).toBe('ab\n[... 4 bytes left out ...]\n');
  });

  it('leaves a character that the cut divides out whole and counts its bytes', () => {
    expect(ofText('aaa€-bbbbb-€ccc', 10).toText()).toBe('aaa\n[... 13 bytes left out ...]\nccc');
  });

  it('joins a character that lies across head and tail without a hole', () => {
    expect(ofText('a€b', 5).toText()).toBe('a€b');
  });

  it('keeps a byte order mark and replaces bytes that are not UTF-8', () => {
    expect(filled([Uint8Array.from([0xef, 0xbb, 0xbf, 0x61, 0xff])], 10, 'head').toText()).toBe(
      '\ufeffa\ufffd',
    );
  });

  it('never shows a replacement character for well-formed input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀') }),
        fc.nat({ max: 40 }),
        keep,
        (text, maxBytes, kept) => {
          expect(ofText(text, maxBytes, kept).toText()).not.toContain('\ufffd');
        },
      ),
    );
  });
});

describe('reading from a position', () => {
  it('gives head, hole and tail that add up to what came since then', () => {
    fc.assert(
      fc.property(
        chunks,
        fc.nat({ max: 60 }),
        keep,
        fc.nat({ max: 400 }),
        (pieces, maxBytes, kept, position) => {
          const all = Buffer.concat(pieces);
          const { head, omittedBytes, tail, nextPosition } = filled(pieces, maxBytes, kept).readFrom(
            position,
          );
          const since = all.subarray(position);
          expect(nextPosition).toBe(all.length);
          expect(head.length + omittedBytes + tail.length).toBe(since.length);
          expect(since.subarray(0, head.length)).toEqual(head);
          expect(since.subarray(since.length - tail.length)).toEqual(tail);
        },
      ),
    );
  });

  it('gives every character exactly once when it is read after every chunk', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n') });
    fc.assert(
      fc.property(texts, fc.array(fc.nat({ max: 5 })), (text, sizes) => {
        const bytes = Buffer.from(text);
        const buffer = new HeadTailBuffer({ maxBytes: bytes.length, keep: 'head-and-tail' });
        let seen = '';
        let position = 0;
        let offset = 0;
        for (const size of [...sizes, bytes.length]) {
          buffer.append(bytes.subarray(offset, offset + size));
          offset += size;
          const isFinal = offset >= bytes.length;
          const since = buffer.readTextFrom(position, isFinal);
          seen += since.text;
          position = since.nextPosition;
          if (isFinal) break;
        }
        expect(seen).toBe(text);
      }),
    );
  });

  it('says what was lost when the reader was too slow', () => {
    const buffer = ofText('0123456789', 4);
    expect(buffer.readTextFrom(3, false).text).toBe('[... 5 bytes left out ...]\n89');
    expect(buffer.readTextFrom(9, false)).toEqual({ text: '9', nextPosition: 10 });
    expect(buffer.readTextFrom(10, false)).toEqual({ text: '', nextPosition: 10 });
    expect(buffer.readTextFrom(99, true)).toEqual({ text: '', nextPosition: 10 });
    expect(buffer.readTextFrom(-5, true).text).toBe('01\n[... 6 bytes left out ...]\n89');
  });
});
