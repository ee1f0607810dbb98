import { createHash } from 'node:crypto';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';

/** Where an object lies in a pack. */
export interface PackEntry {
  readonly oid: Oid;
  readonly offset: number;
  /** CRC-32 of the bytes of the entry. */
  readonly crc: number;
}

/** See gitformat-pack(5), "pack-*.idx files, version 2". */
const MAGIC = Buffer.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2);
const FAN_OUT_BYTES = 256 * 4;
const NAMES_START = MAGIC.length + FAN_OUT_BYTES;
const OID_BYTES = 20;
/** What each object takes: name, CRC-32, offset. */
const ROW_BYTES = OID_BYTES + 4 + 4;
const TRAILER_BYTES = 2 * OID_BYTES;
/** An offset of 31 bits; with this bit it is the place of one of 64 bits. */
const LARGE = 0x8000_0000;
/** With four bytes of a name, the place of one among so many fits into the 53 bits of an exact number. */
const MAX_KEYED = 2 ** 21;

/** The content of an index of a pack whose checksum is `packChecksum`. */
export function encodePackIndex(entries: readonly PackEntry[], packChecksum: Uint8Array): Buffer {
  const rows = sortedByName(entries);
  const large = rows.filter(({ offset }) => offset >= LARGE);
  const buffer = Buffer.alloc(NAMES_START + rows.length * ROW_BYTES + large.length * 8 + TRAILER_BYTES);
  buffer.set(MAGIC);
  const crcStart = NAMES_START + rows.length * OID_BYTES;
  const offsetStart = crcStart + rows.length * 4;
  const largeStart = offsetStart + rows.length * 4;
  let largeCount = 0;
  for (const [index, { oid, offset, crc }] of rows.entries()) {
    const nameStart = NAMES_START + index * OID_BYTES;
    buffer.write(oid, nameStart, 'hex');
    const fanOut = MAGIC.length + (buffer[nameStart] ?? 0) * 4;
    buffer.writeUInt32BE(index + 1, fanOut);
    buffer.writeUInt32BE(crc, crcStart + index * 4);
    if (offset < LARGE) {
      buffer.writeUInt32BE(offset, offsetStart + index * 4);
    } else {
      buffer.writeUInt32BE(LARGE + largeCount, offsetStart + index * 4);
      buffer.writeBigUInt64BE(BigInt(offset), largeStart + largeCount * 8);
      largeCount += 1;
    }
  }
  for (let byte = 1; byte < 256; byte += 1) {
    const at = MAGIC.length + byte * 4;
    if (buffer.readUInt32BE(at) === 0) buffer.writeUInt32BE(buffer.readUInt32BE(at - 4), at);
  }
  const end = buffer.length - TRAILER_BYTES;
  buffer.set(packChecksum, end);
  buffer.set(
    createHash('sha1')
      .update(buffer.subarray(0, end + OID_BYTES))
      .digest(),
    end + OID_BYTES,
  );
  return buffer;
}

/** By their names. The first four bytes decide nearly always, and numbers are sorted much faster than texts. */
function sortedByName(entries: readonly PackEntry[]): readonly PackEntry[] {
  const count = entries.length;
  if (count > MAX_KEYED) return entries.toSorted(compareNames);
  const keys = Float64Array.from(
    entries,
    ({ oid }, place) => Number.parseInt(oid.slice(0, 8), 16) * MAX_KEYED + place,
  ).sort();
  const rows: PackEntry[] = [];
  let isSorted = true;
  for (const key of keys) {
    const entry = entries[key % MAX_KEYED];
    if (entry === undefined) throw new TypeError('a key names no entry');
    isSorted &&= (rows.at(-1)?.oid ?? '') <= entry.oid;
    rows.push(entry);
  }
  return isSorted ? rows : rows.toSorted(compareNames);
}

function compareNames(one: PackEntry, other: PackEntry): number {
  return one.oid < other.oid ? -1 : Number(one.oid > other.oid);
}

/** Of so many entries the next one is searched for; then it is worth it to put all of them in order. */
const MAX_SEARCHED = 8;

/** An index of a pack: which objects are in it, and where. */
export class PackIndex {
  readonly #bytes: Buffer;
  readonly #path: string;
  readonly count: number;
  /** So many entries were asked what comes after them. */
  #asked = 0;
  /** Offsets in rising order, made when they are needed more than a few times. */
  #order: Float64Array | undefined;

  /** @throws CorruptObjectError when the bytes are no index; `path` is where they come from. */
  constructor(bytes: Buffer, path: string) {
    this.#bytes = bytes;
    this.#path = path;
    if (bytes.length < NAMES_START + TRAILER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
      throw this.#damaged('it is no index of a pack, version 2');
    const end = bytes.length - OID_BYTES;
    if (!createHash('sha1').update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end)))
      throw this.#damaged('its checksum is wrong');
    this.count = this.#fanOut(255);
    if (NAMES_START + this.count * ROW_BYTES + TRAILER_BYTES > bytes.length)
      throw this.#damaged(`it is too short for ${String(this.count)} objects`);
  }

  /** The SHA-1 at the end of the pack. */
  get packChecksum(): Buffer {
    return this.#bytes.subarray(this.#bytes.length - TRAILER_BYTES, this.#bytes.length - OID_BYTES);
  }

  /** Where the entry of the object begins; undefined when it is not in the pack. */
  find(oid: Oid): number | undefined {
    const name = Buffer.from(oid, 'hex');
    const first = name[0] ?? 0;
    let low = first === 0 ? 0 : this.#fanOut(first - 1);
    let high = this.#fanOut(first);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = NAMES_START + middle * OID_BYTES;
      const order = this.#bytes.compare(name, 0, OID_BYTES, start, start + OID_BYTES);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Where the entry after the one at `offset` begins; undefined for the last one. */
  next(offset: number): number | undefined {
    this.#asked += 1;
    return this.#asked > MAX_SEARCHED ? this.#nextInOrder(offset) : this.#searchNext(offset);
  }

  #searchNext(offset: number): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.count; index += 1) {
      const other = this.#offset(index);
      if (other > offset && other < next) next = other;
    }
    return Number.isFinite(next) ? next : undefined;
  }

  #nextInOrder(offset: number): number | undefined {
    this.#order ??= Float64Array.from({ length: this.count }, (_, index) => this.#offset(index)).sort();
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#order[low];
  }

  /** The names of all objects, in rising order. */
  *oids(): Generator<Oid> {
    for (let index = 0; index < this.count; index += 1) {
      const start = NAMES_START + index * OID_BYTES;
      yield this.#bytes.toString('hex', start, start + OID_BYTES);
    }
  }

  #fanOut(byte: number): number {
    return this.#bytes.readUInt32BE(MAGIC.length + byte * 4);
  }

  #offset(index: number): number {
    const start = NAMES_START + this.count * (OID_BYTES + 4);
    const offset = this.#bytes.readUInt32BE(start + index * 4);
    if (offset < LARGE) return offset;
    const at = start + this.count * 4 + (offset - LARGE) * 8;
    if (at + 8 > this.#bytes.length - TRAILER_BYTES) throw this.#damaged('an offset lies outside of it');
    return Number(this.#bytes.readBigUInt64BE(at));
  }

  #damaged(reason: string): CorruptObjectError {
    return new CorruptObjectError({ path: this.#path, reason });
  }
}
