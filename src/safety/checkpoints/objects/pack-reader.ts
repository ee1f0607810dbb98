import { RawReader } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { applyDelta, deltaSizes } from './apply-delta.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { canHold, inflate, inflateBeginning } from './deflate.ts';
import { hashObject, MAX_OBJECT_BYTES, type ObjectKind } from './object-name.ts';
import type { PackIndex } from './pack-index.ts';
import type { StoredObject } from './stored-object.ts';

/** The types of entries; see gitformat-pack(5). */
const KINDS: ReadonlyMap<number, ObjectKind> = new Map([
  [1, 'commit'],
  [2, 'tree'],
  [3, 'blob'],
]);
const OFFSET_DELTA = 6;
const NAME_DELTA = 7;

const OID_BYTES = 20;
const PACK_HEADER_BYTES = 12;
/** The longest that comes before the content of an entry: a type with a size, and what a delta is made from. */
const MAX_ENTRY_HEADER_BYTES = 32;
/** Enough of a compressed delta to see the sizes it begins with. */
const DELTA_BEGINNING_BYTES = 128;

interface EntryHeader {
  readonly type: number;
  /** Of the content, once it is inflated. */
  readonly size: number;
  /** Where the compressed content begins, counted from the entry. */
  readonly length: number;
  /** Of the entry a delta is made from. */
  readonly base: number | undefined;
}

/** A pack that is open. To be closed. */
export class PackReader {
  readonly #file: RawReader;
  readonly #path: string;
  readonly #index: PackIndex;

  /** Throws what open(2) does. @throws CorruptObjectError when it is not the pack of the index. */
  constructor(path: string, index: PackIndex) {
    this.#path = path;
    this.#index = index;
    this.#file = new RawReader(path);
    try {
      this.#check();
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** The object whose entry begins at `offset`. @throws CorruptObjectError */
  read(oid: Oid, offset: number): StoredObject {
    const damaged = this.#damage(oid);
    const deltas: Buffer[] = [];
    let place = offset;
    for (;;) {
      const entry = this.#entryBytes(place, damaged);
      const header = this.#header(entry, place, damaged);
      const content = this.#content(entry, header, damaged);
      if (header.base === undefined) {
        const kind = KINDS.get(header.type);
        if (kind === undefined) throw damaged(`an entry is of type ${String(header.type)}`);
        return this.#finish({ oid, kind, base: content, deltas }, damaged);
      }
      deltas.push(content);
      // No chain is longer than the pack has entries, unless it is a circle.
      if (deltas.length >= this.#index.count) throw damaged('its deltas are made from each other');
      place = header.base;
    }
  }

  /** The bytes in the object whose entry begins at `offset`, from the beginning of the entry. @throws CorruptObjectError */
  sizeOf(oid: Oid, offset: number): number {
    const damaged = this.#damage(oid);
    const entry = this.#file.read(offset, MAX_ENTRY_HEADER_BYTES);
    const header = this.#header(entry, offset, damaged);
    if (header.base === undefined) return header.size;
    const beginning = this.#file.read(offset + header.length, DELTA_BEGINNING_BYTES);
    try {
      return deltaSizes(inflateBeginning(beginning)).result;
    } catch (error) {
      throw damaged(error instanceof Error ? error.message : String(error));
    }
  }

  close(): void {
    this.#file.close();
  }

  #check(): void {
    const header = this.#file.read(0, PACK_HEADER_BYTES);
    const isPack =
      header.length === PACK_HEADER_BYTES &&
      header.toString('latin1', 0, 4) === 'PACK' &&
      header.readUInt32BE(4) === 2;
    if (!isPack) throw new CorruptObjectError({ path: this.#path, reason: 'it is no pack of version 2' });
    const trailer = this.#file.read(Math.max(0, this.#file.size - OID_BYTES), OID_BYTES);
    if (header.readUInt32BE(8) !== this.#index.count || !trailer.equals(this.#index.packChecksum))
      throw new CorruptObjectError({
        path: this.#path,
        reason: 'it is not the pack that its index describes',
      });
  }

  #entryBytes(offset: number, damaged: (reason: string) => CorruptObjectError): Buffer {
    const end = this.#index.next(offset) ?? this.#file.size - OID_BYTES;
    if (offset < PACK_HEADER_BYTES || end > this.#file.size - OID_BYTES || end <= offset)
      throw damaged('an entry lies outside of the pack');
    return this.#file.read(offset, end - offset);
  }

  #header(entry: Buffer, offset: number, damaged: (reason: string) => CorruptObjectError): EntryHeader {
    const first = entry[0] ?? 0;
    const type = (first >> 4) & 7;
    let size = first & 0x0f;
    let length = 1;
    let scale = 0x10;
    for (let byte = first; byte >= 0x80; length += 1) {
      byte = entry[length] ?? 0;
      size += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (scale > Number.MAX_SAFE_INTEGER) throw damaged('the size of an entry is too large');
    }
    if (size > MAX_OBJECT_BYTES) throw damaged(`an entry claims to hold ${String(size)} bytes`);
    if (type === OFFSET_DELTA) {
      const { distance, end } = readDistance(entry, length);
      if (distance <= 0 || distance > offset) throw damaged('a delta is made from outside of the pack');
      return { type, size, length: end, base: offset - distance };
    }
    if (type === NAME_DELTA) {
      const name = entry.toString('hex', length, length + OID_BYTES);
      const base = this.#index.find(name);
      if (base === undefined) throw damaged(`a delta is made from ${name}, which is not in the pack`);
      return { type, size, length: length + OID_BYTES, base };
    }
    return { type, size, length, base: undefined };
  }

  #content(
    entry: Buffer,
    { size, length }: EntryHeader,
    damaged: (reason: string) => CorruptObjectError,
  ): Buffer {
    const compressed = entry.subarray(length);
    if (!canHold(compressed.length, size)) throw damaged(`an entry claims to hold ${String(size)} bytes`);
    let content: Buffer;
    try {
      content = inflate(compressed, size);
    } catch (error) {
      throw damaged(error instanceof Error ? error.message : String(error));
    }
    if (content.length !== size)
      throw damaged(`an entry holds ${String(content.length)} bytes, not ${String(size)}`);
    return content;
  }

  #finish(
    { oid, kind, base, deltas }: { oid: Oid; kind: ObjectKind; base: Buffer; deltas: readonly Buffer[] },
    damaged: (reason: string) => CorruptObjectError,
  ): StoredObject {
    let bytes = base;
    try {
      for (const delta of deltas.toReversed()) bytes = applyDelta(bytes, delta, MAX_OBJECT_BYTES);
    } catch (error) {
      throw damaged(error instanceof Error ? error.message : String(error));
    }
    if (hashObject(kind, bytes) !== oid) throw damaged('the content has another name');
    return { kind, bytes };
  }

  #damage(oid: Oid): (reason: string) => CorruptObjectError {
    return (reason) => new CorruptObjectError({ oid, path: this.#path, reason });
  }
}

/** How far before a delta its base begins: seven bits each byte, the highest first, one added at each step. */
function readDistance(entry: Buffer, start: number): { readonly distance: number; readonly end: number } {
  let at = start;
  let byte = entry[at] ?? 0;
  let distance = byte & 0x7f;
  while (byte >= 0x80 && at - start < 8) {
    at += 1;
    byte = entry[at] ?? 0;
    distance = (distance + 1) * 0x80 + (byte & 0x7f);
  }
  return { distance, end: at + 1 };
}
