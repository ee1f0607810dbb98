import type { Oid } from '../model/path-state.ts';
import { hashObject, type ObjectKind } from './object-name.ts';
import { ObjectStore } from './object-store.ts';
import { ObjectWriter } from './object-writer.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * The objects of a store, and over them what is written to this one: it stays in memory, and the store as it is. For one
 * look at a project: of its blobs only the last is kept, which describes the snapshot. Of the others, the files, there is
 * the size, so that memory does not grow with their content.
 */
export class PreviewStore extends ObjectStore {
  readonly #kept = new Map<Oid, StoredObject>();
  readonly #sizes = new Map<Oid, number>();
  #lastBlob: { readonly oid: Oid; readonly object: StoredObject } | undefined;

  /** @param folder of the store. */
  constructor(folder: string) {
    super(folder);
  }

  override read(oid: Oid): StoredObject | undefined {
    if (this.#lastBlob?.oid === oid) return this.#lastBlob.object;
    return this.#kept.get(oid) ?? super.read(oid);
  }

  override sizeOf(oid: Oid): number | undefined {
    return this.#sizes.get(oid) ?? super.sizeOf(oid);
  }

  override has(oid: Oid): boolean {
    return this.#sizes.has(oid) || super.has(oid);
  }

  override writer(): ObjectWriter {
    return new PreviewWriter((oid, kind, bytes) => {
      this.#keep(oid, kind, bytes);
    });
  }

  #keep(oid: Oid, kind: ObjectKind, bytes: Uint8Array): void {
    this.#sizes.set(oid, bytes.length);
    // The buffer of a blob is used for the next one.
    const object = { kind, bytes: Buffer.from(bytes) };
    if (kind === 'blob') this.#lastBlob = { oid, object };
    else this.#kept.set(oid, object);
  }
}

type Keep = (oid: Oid, kind: ObjectKind, bytes: Uint8Array) => void;

class PreviewWriter extends ObjectWriter {
  readonly #keep: Keep;

  constructor(keep: Keep) {
    super({ objects: '', isStored: undefined, compress: false, alwaysPack: false, sync: false });
    this.#keep = keep;
  }

  override object(kind: ObjectKind, bytes: Uint8Array): Oid {
    const oid = hashObject(kind, bytes);
    this.#keep(oid, kind, bytes);
    return oid;
  }

  /** Nothing is added. */
  override finish(): number {
    return 0;
  }
}
