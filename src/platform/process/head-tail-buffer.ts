import { type OutputPart, renderOutput } from './render-output.ts';
import { unfinishedBytesAtEnd } from './utf8-edges.ts';

/** Which bytes survive when there are more than the limit: the first ones, or the first and the last halves. */
export type KeptOutput = 'head' | 'head-and-tail';

export interface HeadTailBufferOptions {
  /** The most bytes ever held; 0 only counts. */
  readonly maxBytes: number;
  readonly keep: KeptOutput;
}

export interface OutputSince extends OutputPart {
  /** Where the next read begins to see only what is new. */
  readonly nextPosition: number;
}

export interface TextSince {
  readonly text: string;
  readonly nextPosition: number;
}

const SMALLEST_ALLOCATION = 4096;

function withCapacity(buffer: Buffer, used: number, needed: number, limit: number): Buffer {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(
    Math.min(limit, Math.max(needed, buffer.length * 2, SMALLEST_ALLOCATION)),
  );
  buffer.copy(larger, 0, 0, used);
  return larger;
}

/**
 * Collects a byte stream of any length in bounded memory. Positions count bytes from the start of the stream. Appended
 * chunks are copied, so that no large chunk is kept alive by a small piece of it.
 *
 * Throws RangeError when `maxBytes` is not a whole number of at least 0.
 */
export class HeadTailBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Buffer = Buffer.alloc(0);
  #headLength = 0;
  #tail: Buffer = Buffer.alloc(0);
  #tailStart = 0;
  #tailLength = 0;
  #totalBytes = 0;

  constructor({ maxBytes, keep }: HeadTailBufferOptions) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
      throw new RangeError(`maxBytes is ${maxBytes}; it must be a whole number of at least 0`);
    }
    this.#headLimit = keep === 'head' ? maxBytes : Math.ceil(maxBytes / 2);
    this.#tailLimit = maxBytes - this.#headLimit;
  }

  /** Everything that was ever appended, kept or not. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  get omittedBytes(): number {
    return this.#totalBytes - this.#headLength - this.#tailLength;
  }

  get isTruncated(): boolean {
    return this.omittedBytes > 0;
  }

  append(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#headLimit - this.#headLength);
    if (forHead > 0) {
      this.#head = withCapacity(this.#head, this.#headLength, this.#headLength + forHead, this.#headLimit);
      this.#head.set(chunk.subarray(0, forHead), this.#headLength);
      this.#headLength += forHead;
    }
    this.#appendToTail(chunk.subarray(Math.max(forHead, chunk.length - this.#tailLimit)));
  }

  /** The kept bytes: head and tail joined, without any mark where bytes were left out. */
  toBytes(): Uint8Array {
    const { head, tail } = this.readFrom(0);
    return Buffer.concat([head, tail]);
  }

  /** The kept bytes as text; see `renderOutput` for the mark where bytes were left out. */
  toText(): string {
    return renderOutput(this.readFrom(0));
  }

  /**
   * What is kept from a position on, and how much in between is not. A position beyond the end reads nothing. The bytes are a
   * copy.
   */
  readFrom(position: number): OutputSince {
    const from = Math.max(0, position);
    const tailPosition = this.#totalBytes - this.#tailLength;
    return {
      head: Buffer.from(this.#head.subarray(Math.min(from, this.#headLength), this.#headLength)),
      omittedBytes: tailPosition - Math.max(this.#headLength, Math.min(from, tailPosition)),
      tail: this.#copyTail(Math.min(Math.max(0, from - tailPosition), this.#tailLength)),
      nextPosition: this.#totalBytes,
    };
  }

  /**
   * Text from a position on. A character that has not arrived completely stays for the next read, unless `isFinal` says that
   * there will be none.
   */
  readTextFrom(position: number, isFinal: boolean): TextSince {
    const { head, omittedBytes, tail, nextPosition } = this.readFrom(position);
    const beforeHole = omittedBytes === 0 ? Buffer.alloc(0) : head;
    const last = omittedBytes === 0 ? Buffer.concat([head, tail]) : tail;
    const held = isFinal ? 0 : unfinishedBytesAtEnd(last);
    const text = renderOutput({ head: beforeHole, omittedBytes, tail: last.subarray(0, last.length - held) });
    return { text, nextPosition: nextPosition - held };
  }

  #appendToTail(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const wanted = Math.min(this.#tailLimit, this.#tailLength + chunk.length);
    this.#tail = withCapacity(this.#tail, this.#tailLength, wanted, this.#tailLimit);
    const capacity = this.#tail.length;
    const writeAt = (this.#tailStart + this.#tailLength) % capacity;
    const untilWrap = Math.min(chunk.length, capacity - writeAt);
    this.#tail.set(chunk.subarray(0, untilWrap), writeAt);
    this.#tail.set(chunk.subarray(untilWrap), 0);
    const overwritten = Math.max(0, this.#tailLength + chunk.length - capacity);
    this.#tailStart = (this.#tailStart + overwritten) % capacity;
    this.#tailLength = this.#tailLength + chunk.length - overwritten;
  }

  #copyTail(skip: number): Buffer {
    const length = this.#tailLength - skip;
    if (length === 0) return Buffer.alloc(0);
    const start = (this.#tailStart + skip) % this.#tail.length;
    const untilWrap = Math.min(length, this.#tail.length - start);
    return Buffer.concat([
      this.#tail.subarray(start, start + untilWrap),
      this.#tail.subarray(0, length - untilWrap),
    ]);
  }
}
