import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  createRawFile,
  ensureRawFolder,
  RawReader,
  RawWriter,
  renameRaw,
  syncRawFolder,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import {
  type ByteSink,
  compress,
  MAX_PLACED_BYTES,
  PLACED_OVERHEAD,
  placeStored,
  writeStored,
} from './deflate.ts';
import type { ObjectKind } from './object-name.ts';
import { encodePackIndex, type PackEntry } from './pack-index.ts';

const TYPES = { commit: 1, tree: 2, blob: 3 } as const satisfies Record<ObjectKind, number>;
const COUNT_OFFSET = 8;
/** Bytes that are written with one call. */
const BUFFER_BYTES = 512 * 1024;
/** The longest header of an entry: sizes have 31 bits. */
const MAX_HEADER_BYTES = 5;

export interface PackWriterOptions {
  /** `objects/pack` of the store. */
  readonly folder: string;
  /** 40 hex digits that no other pack has: what it is named by. */
  readonly token: string;
  /** Whether the objects are compressed. */
  readonly compress: boolean;
  /** Whether {@link PackWriter.finish} waits for the disk. */
  readonly sync: boolean;
}

/** A new pack, which nobody sees before it is finished. To be finished or abandoned. */
export class PackWriter implements ByteSink {
  readonly #options: PackWriterOptions;
  readonly #temporary: string;
  readonly #file: RawWriter;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #entries: PackEntry[] = [];
  #buffered = 0;
  /** Bytes of the pack so far. */
  #length = 0;
  #crc = 0;
  #isOpen = true;

  /** Throws what open(2) does. */
  constructor(options: PackWriterOptions) {
    this.#options = options;
    this.#temporary = join(options.folder, `tmp_pack_${options.token}`);
    ensureRawFolder(options.folder);
    this.#file = new RawWriter(this.#temporary, 0o600);
    // The number of objects is put in its place at the end.
    this.write(Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1'));
  }

  /** Adds an object; each only once. */
  add(oid: Oid, kind: ObjectKind, bytes: Uint8Array): void {
    const offset = this.#length;
    if (!this.#options.compress && bytes.length <= MAX_PLACED_BYTES) {
      this.#crc = this.#place(kind, bytes);
    } else {
      this.#crc = 0;
      const header = Buffer.allocUnsafe(MAX_HEADER_BYTES);
      this.write(header.subarray(0, placeHeader(header, 0, { kind, size: bytes.length })));
      if (this.#options.compress) this.write(compress(bytes));
      else writeStored(this, [bytes]);
    }
    this.#entries.push({ oid, offset, crc: this.#crc });
  }

  /** Adds a small entry in one piece, for which there is no call for each of its parts. Returns its CRC-32. */
  #place(kind: ObjectKind, bytes: Uint8Array): number {
    const most = MAX_HEADER_BYTES + PLACED_OVERHEAD + bytes.length;
    if (this.#buffered + most > BUFFER_BYTES) this.#flush();
    const start = this.#buffered;
    const content = placeHeader(this.#buffer, start, { kind, size: bytes.length });
    const end = placeStored(this.#buffer, content, bytes);
    this.#buffered = end;
    this.#length += end - start;
    return crc32(this.#buffer.subarray(start, end));
  }

  /** Part of {@link add}: the next bytes of the pack. */
  write(bytes: Uint8Array): void {
    this.#length += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) {
      this.#file.write(bytes);
      return;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
  }

  /** Completes the pack and shows it, its index last. Returns the bytes of both. Leaves nothing when it throws. */
  finish(): number {
    const { folder, token, sync } = this.#options;
    const pack = join(folder, `pack-${token}.pack`);
    const temporaryIndex = join(folder, `tmp_idx_${token}`);
    try {
      const checksum = this.#complete();
      this.#close();
      const index = encodePackIndex(this.#entries, checksum);
      createRawFile(temporaryIndex, index, { mode: 0o600, sync });
      renameRaw(this.#temporary, pack);
      renameRaw(temporaryIndex, join(folder, `pack-${token}.idx`));
      if (sync) syncRawFolder(folder);
      return this.#length + checksum.length + index.length;
    } catch (error) {
      this.abandon();
      for (const path of [temporaryIndex, pack]) unlinkRaw(path);
      throw error;
    }
  }

  /** Removes what was written. Nothing when it is finished. */
  abandon(): void {
    this.#close();
    unlinkRaw(this.#temporary);
  }

  #close(): void {
    if (this.#isOpen) this.#file.close();
    this.#isOpen = false;
  }

  #flush(): void {
    this.#file.write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  /** The checksum is of the whole, and its beginning has only now become known: it is read once more. */
  #complete(): Buffer {
    this.#flush();
    const count = Buffer.allocUnsafe(4);
    count.writeUInt32BE(this.#entries.length);
    this.#file.writeAt(COUNT_OFFSET, count);
    const hash = createHash('sha1');
    const reader = new RawReader(this.#temporary);
    try {
      for (let offset = 0; offset < this.#length; offset += BUFFER_BYTES)
        hash.update(reader.readInto(this.#buffer, offset));
    } finally {
      reader.close();
    }
    const checksum = hash.digest();
    this.#file.write(checksum);
    if (this.#options.sync) this.#file.sync();
    return checksum;
  }
}

/** Puts type and size to a place in a buffer: four bits of the size, then seven each byte, the lowest first. Returns the end. */
function placeHeader(
  buffer: Buffer,
  start: number,
  { kind, size }: { readonly kind: ObjectKind; readonly size: number },
): number {
  let at = start;
  let rest = size >>> 4;
  let byte = (TYPES[kind] << 4) | (size & 0x0f);
  while (rest > 0) {
    buffer[at] = byte | 0x80;
    at += 1;
    byte = rest & 0x7f;
    rest >>>= 7;
  }
  buffer[at] = byte;
  return at + 1;
}
