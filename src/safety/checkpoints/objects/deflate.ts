import { constants, deflateSync, inflateSync } from 'node:zlib';

/** Takes bytes, in order. They are used up when `write` returns. */
export interface ByteSink {
  write(bytes: Uint8Array): void;
}

/** RFC 1950: deflate, a window of 32 KiB, no dictionary, made for speed. */
const ZLIB_HEADER = Buffer.of(0x78, 0x01);
const ZLIB_OVERHEAD = 6;
/** RFC 1951, 3.2.4: a stored block is its last-block bit, its length and the complement of that, then the bytes. */
const BLOCK_HEADER_BYTES = 5;
const MAX_BLOCK_BYTES = 0xffff;
/** RFC 1950, 9: the largest prime below 65536, and how many sums of bytes fit into 32 bits. */
const ADLER_BASE = 65_521;
const ADLER_RUN = 5552;
/** No deflate stream gives more than this for a byte; see the technical notes of zlib. */
const MAX_RATIO = 1032;

/** The checksum that ends a zlib stream. `start` is the checksum of what comes before. */
export function adler32(bytes: Uint8Array, start = 1): number {
  let low = start & 0xffff;
  let high = start >>> 16;
  for (let index = 0; index < bytes.length; ) {
    const end = Math.min(index + ADLER_RUN, bytes.length);
    for (; index < end; index += 1) {
      low = (low + (bytes[index] ?? 0)) | 0;
      high = (high + low) | 0;
    }
    low = (low >>> 0) % ADLER_BASE;
    high = (high >>> 0) % ADLER_BASE;
  }
  return ((high << 16) | low) >>> 0;
}

/** How long {@link writeStored} makes these parts. */
export function storedSize(parts: readonly Uint8Array[]): number {
  return parts.reduce(
    (sum, { length }) => sum + length + Math.max(1, Math.ceil(length / MAX_BLOCK_BYTES)) * BLOCK_HEADER_BYTES,
    ZLIB_OVERHEAD,
  );
}

/** Writes a zlib stream of the parts, one after another, that holds them as they are: nothing is compressed. */
export function writeStored(sink: ByteSink, parts: readonly Uint8Array[]): void {
  sink.write(ZLIB_HEADER);
  let sum = 1;
  for (const [index, part] of parts.entries()) {
    const isLastPart = index === parts.length - 1;
    let offset = 0;
    do {
      const end = Math.min(offset + MAX_BLOCK_BYTES, part.length);
      sink.write(blockHeader(end - offset, isLastPart && end === part.length));
      sink.write(part.subarray(offset, end));
      offset = end;
    } while (offset < part.length);
    sum = adler32(part, sum);
  }
  const trailer = Buffer.allocUnsafe(4);
  trailer.writeUInt32BE(sum);
  sink.write(trailer);
}

/** The most that {@link placeStored} takes. */
export const MAX_PLACED_BYTES = MAX_BLOCK_BYTES;
/** What {@link placeStored} adds to it. */
export const PLACED_OVERHEAD = ZLIB_OVERHEAD + BLOCK_HEADER_BYTES;

/** Puts the stream that {@link writeStored} writes of one part, of one block, to a place in a buffer. Returns its end. */
export function placeStored(buffer: Buffer, start: number, bytes: Uint8Array): number {
  const { length } = bytes;
  buffer[start] = 0x78;
  buffer[start + 1] = 0x01;
  buffer[start + 2] = 1;
  buffer[start + 3] = length & 0xff;
  buffer[start + 4] = length >>> 8;
  buffer[start + 5] = ~length & 0xff;
  buffer[start + 6] = (~length >>> 8) & 0xff;
  buffer.set(bytes, start + 7);
  const sum = adler32(bytes);
  const end = start + 7 + length;
  buffer[end] = sum >>> 24;
  buffer[end + 1] = (sum >>> 16) & 0xff;
  buffer[end + 2] = (sum >>> 8) & 0xff;
  buffer[end + 3] = sum & 0xff;
  return end + 4;
}

function blockHeader(length: number, isLast: boolean): Buffer {
  const header = Buffer.allocUnsafe(BLOCK_HEADER_BYTES);
  header[0] = isLast ? 1 : 0;
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ MAX_BLOCK_BYTES, 3);
  return header;
}

/** A zlib stream of the bytes as small as it gets at a bearable price. */
export function compress(bytes: Uint8Array): Buffer {
  return deflateSync(bytes, { level: 6 });
}

/** Whether a zlib stream of `compressed` bytes can hold that many. */
export function canHold(compressed: number, size: number): boolean {
  return size <= compressed * MAX_RATIO;
}

/**
 * What a zlib stream holds; what follows the stream is not looked at. Throws an Error when it is damaged, cut short,
 * or longer than `maxBytes`. The result may share its memory with `bytes`.
 */
export function inflate(bytes: Buffer, maxBytes: number): Buffer {
  return inflateStored(bytes, maxBytes) ?? inflateSync(bytes, { maxOutputLength: Math.max(1, maxBytes) });
}

/** What the beginning of a zlib stream holds, as far as it can be told. Throws an Error when it is damaged. */
export function inflateBeginning(bytes: Uint8Array): Buffer {
  return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** A stream that holds nothing but stored blocks, read without zlib; undefined when there is anything else in it. */
function inflateStored(bytes: Buffer, maxBytes: number): Buffer | undefined {
  if (bytes.length < ZLIB_OVERHEAD + BLOCK_HEADER_BYTES) return undefined;
  if (bytes[0] !== ZLIB_HEADER[0] || bytes[1] !== ZLIB_HEADER[1]) return undefined;
  const blocks: Buffer[] = [];
  let offset = ZLIB_HEADER.length;
  let size = 0;
  for (let isLast = false; !isLast; ) {
    if (offset + BLOCK_HEADER_BYTES > bytes.length) return undefined;
    const first = bytes[offset];
    const length = bytes.readUInt16LE(offset + 1);
    if ((first !== 0 && first !== 1) || bytes.readUInt16LE(offset + 3) !== (length ^ MAX_BLOCK_BYTES))
      return undefined;
    isLast = first === 1;
    offset += BLOCK_HEADER_BYTES;
    blocks.push(bytes.subarray(offset, offset + length));
    offset += length;
    size += length;
    if (size > maxBytes) throw new Error(`it holds more than ${String(maxBytes)} bytes`);
  }
  if (offset + 4 > bytes.length) return undefined;
  const [only] = blocks;
  const content = only !== undefined && blocks.length === 1 ? only : Buffer.concat(blocks);
  if (adler32(content) !== bytes.readUInt32BE(offset)) throw new Error('its checksum is wrong');
  return content;
}
