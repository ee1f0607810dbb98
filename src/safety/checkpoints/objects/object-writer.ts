import { join } from 'node:path';
import { randomBytes } from '../../../platform/random/index.ts';
import type { Oid } from '../model/path-state.ts';
import { type CommitContent, encodeCommit } from './commit-object.ts';
import { type LooseContent, writeLoose } from './loose-objects.ts';
import { hashObject, MAX_OBJECT_BYTES, type ObjectKind } from './object-name.ts';
import { PackWriter } from './pack-writer.ts';
import { encodeTree, type TreeItem } from './tree-object.ts';

/** What {@link ObjectWriter} needs. */
export interface ObjectWriterOptions {
  /** The folder `objects` of the store. */
  readonly objects: string;
  /** Whether an object need not be written; undefined: each is. */
  readonly isStored: ((oid: Oid) => boolean) | undefined;
  readonly compress: boolean;
  readonly alwaysPack: boolean;
  readonly sync: boolean;
}

/** More objects than this go into a pack. */
const MAX_LOOSE = 50;
/** How much is held back until it is known whether a pack is made. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;

/**
 * Writes objects of one piece of work: few of them into files of their own, many into one pack. What an object refers
 * to must be written before it, so that at no moment the store has an object without what it refers to. An object that
 * comes twice is written once.
 *
 * Each method throws what the system does when nothing more can be written (`ENOSPC`); then only
 * {@link ObjectWriter.abandon} is of use.
 */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;
  /** Written, to be written, or there already. */
  readonly #seen = new Set<Oid>();
  readonly #token = Buffer.from(randomBytes(20)).toString('hex');
  #pending: LooseContent[] = [];
  #pendingBytes = 0;
  /** Objects that are not in the pack. */
  #loose = 0;
  #pack: PackWriter | undefined;
  #written = 0;
  #isOver = false;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  blob(bytes: Uint8Array): Oid {
    return this.object('blob', bytes);
  }

  /** @throws TypeError for names that {@link encodeTree} refuses. */
  tree(items: readonly TreeItem[]): Oid {
    return this.object('tree', encodeTree(items));
  }

  commit(commit: CommitContent): Oid {
    return this.object('commit', encodeCommit(commit));
  }

  /** Adds an object of any kind. @throws RangeError when it is larger than {@link MAX_OBJECT_BYTES}. */
  object(kind: ObjectKind, bytes: Uint8Array): Oid {
    if (this.#isOver) throw new TypeError('the writer is finished');
    if (bytes.length > MAX_OBJECT_BYTES)
      throw new RangeError(
        `an object has ${String(MAX_OBJECT_BYTES)} bytes at most, not ${String(bytes.length)}`,
      );
    const oid = hashObject(kind, bytes);
    if (this.#seen.has(oid)) return oid;
    this.#seen.add(oid);
    if (this.#options.isStored?.(oid) !== true) this.#add({ oid, kind, bytes });
    return oid;
  }

  /** Puts everything on disk; only then is it in the store. Returns the bytes this added. */
  finish(): number {
    if (this.#isOver) throw new TypeError('the writer is finished');
    this.#flush();
    if (this.#pack !== undefined) this.#written += this.#pack.finish();
    this.#isOver = true;
    return this.#written;
  }

  /** Removes what nobody can see yet. Nothing after it is finished. */
  abandon(): void {
    this.#isOver = true;
    this.#pending = [];
    this.#pack?.abandon();
  }

  #add(content: LooseContent): void {
    if (this.#pack !== undefined) {
      this.#pack.add(content.oid, content.kind, content.bytes);
      return;
    }
    this.#loose += 1;
    if (this.#options.alwaysPack || this.#loose > MAX_LOOSE) {
      this.#pack = this.#startPack();
      this.#flush();
      this.#pack.add(content.oid, content.kind, content.bytes);
      return;
    }
    this.#pendingBytes += content.bytes.length;
    if (this.#pendingBytes > MAX_PENDING_BYTES) {
      this.#flush();
      this.#writeLoose(content);
    } else {
      // The caller may use its buffer for something else before this is written.
      this.#pending.push({ ...content, bytes: Buffer.from(content.bytes) });
    }
  }

  #startPack(): PackWriter {
    const { objects, compress, sync } = this.#options;
    return new PackWriter({ folder: join(objects, 'pack'), token: this.#token, compress, sync });
  }

  /** Writes what was held back: into the pack if there is one now. */
  #flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const content of pending) {
      if (this.#pack === undefined) this.#writeLoose(content);
      else this.#pack.add(content.oid, content.kind, content.bytes);
    }
  }

  #writeLoose(content: LooseContent): void {
    const { objects, sync } = this.#options;
    this.#written += writeLoose(objects, content, { token: this.#token, sync });
  }
}
