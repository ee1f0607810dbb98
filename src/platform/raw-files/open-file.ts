import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync } from 'node:fs';
import { fileSystemPath } from '../paths/index.ts';
import { writeWhole } from './raw-files.ts';

/** A file that is open for reading at any place of it. To be closed. */
export class RawReader {
  readonly #descriptor: number;
  /** In bytes, when it was opened. */
  readonly size: number;

  /** Throws what open(2) does. */
  constructor(path: string) {
    this.#descriptor = openSync(fileSystemPath(path), constants.O_RDONLY);
    this.size = fstatSync(this.#descriptor).size;
  }

  /** The bytes from `offset` on, fewer where the file ends. */
  read(offset: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), offset);
  }

  /** As {@link read}, as many as there is room for; the result lies in `buffer`. */
  readInto(buffer: Buffer, offset: number): Buffer {
    let filled = 0;
    while (filled < buffer.length) {
      const read = readSync(this.#descriptor, buffer, filled, buffer.length - filled, offset + filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** A new file that is written from its beginning to its end. To be closed. */
export class RawWriter {
  readonly #descriptor: number;

  /** Throws what open(2) does; `EEXIST` when something has the name. */
  constructor(path: string, mode: number) {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    this.#descriptor = openSync(fileSystemPath(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  write(bytes: Uint8Array): void {
    writeWhole(this.#descriptor, bytes);
  }

  /** Replaces what was written from `offset` on; {@link write} goes on at the end all the same. */
  writeAt(offset: number, bytes: Uint8Array): void {
    writeWhole(this.#descriptor, bytes, offset);
  }

  /** Puts the content on the disk. */
  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
