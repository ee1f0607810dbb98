import { join } from 'node:path';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { createStoreFolder } from './create-store-folder.ts';
import { LooseNames } from './loose-names.ts';
import {
  hasLoose,
  type LooseObject,
  listLoose,
  listLooseLeftovers,
  namesIn,
  readLoose,
  sizeOfLoose,
} from './loose-objects.ts';
import { ObjectWriter } from './object-writer.ts';
import { PackList, type StoredPack } from './pack-list.ts';
import { listLocks } from './ref-store.ts';
import type { StoredObject } from './stored-object.ts';

export type { LooseObject } from './loose-objects.ts';
export type { StoredPack } from './pack-list.ts';
export type { StoredObject } from './stored-object.ts';

/** A file that an unfinished write has left: a temporary file, a lock of git, or a part of a pack without the others. */
export interface Leftover {
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** How a writer writes. */
export interface WriterOptions {
  /**
   * Whether an object that the store has already is not written again. Only while a lease keeps maintenance from
   * removing it. Empty and damaged files are not taken for objects as far as their size tells.
   */
  readonly mayReuse: boolean;
  /** Whether a pack is compressed; false when left out. Objects in files of their own never are. */
  readonly compress?: boolean;
  /** Whether a pack is made however few the objects are; false when left out. */
  readonly alwaysPack?: boolean;
  /** Whether {@link ObjectWriter.finish} waits for the disk; false when left out. */
  readonly sync?: boolean;
}

/** How often packs are listed while others put what is in them into new ones. */
const MAX_ROUNDS = 20;

/**
 * The objects of a bare git repository: read from files of their own and from packs, also those that git has packed
 * anew. Other processes may write, pack and remove objects all the while.
 */
export class ObjectStore {
  /** The git repository. */
  readonly folder: string;
  readonly #objects: string;
  readonly #packs: PackList;

  protected constructor(folder: string) {
    this.folder = folder;
    this.#objects = join(folder, 'objects');
    this.#packs = new PackList(join(this.#objects, 'pack'));
  }

  /** Makes nothing: in a folder that is not there, there are no objects. */
  static open(folder: string): ObjectStore {
    return new ObjectStore(folder);
  }

  /** Makes the repository where it is missing, and the parts without which git does not take it for one. */
  static create(folder: string): ObjectStore {
    createStoreFolder(folder);
    return new ObjectStore(folder);
  }

  /**
   * An object, its content checked against its name; undefined when the store does not have it. Where one copy is
   * damaged and another is not, the other one.
   *
   * @throws CorruptObjectError when it is there and damaged, or may be in a pack whose index is.
   */
  read(oid: Oid): StoredObject | undefined {
    return this.#find(
      oid,
      (name, offset) => this.#packs.reader(name)?.read(oid, offset),
      () => readLoose(this.#objects, oid),
    );
  }

  /** Bytes of the content of an object, without reading all of it; undefined and throws as {@link read}. */
  sizeOf(oid: Oid): number | undefined {
    return this.#find(
      oid,
      (name, offset) => this.#packs.reader(name)?.sizeOf(oid, offset),
      () => sizeOfLoose(this.#objects, oid),
    );
  }

  /** Whether the store has the object. Its content is not looked at: see {@link read}. */
  has(oid: Oid): boolean {
    const { found } = this.#look(
      oid,
      (name) => (this.#packs.isThere(name) ? true : undefined),
      () => (hasLoose(this.#objects, oid) ? true : undefined),
    );
    return found !== undefined;
  }

  /** A writer of new objects, to be finished or abandoned. */
  writer({ mayReuse, compress = false, alwaysPack = false, sync = false }: WriterOptions): ObjectWriter {
    // What was packed when last listed may be gone; from now on the lease keeps it.
    if (mayReuse) this.#packs.refresh();
    const loose = new LooseNames(this.#objects);
    return new ObjectWriter({
      objects: this.#objects,
      isStored: mayReuse ? (oid) => this.#hasNow(oid, loose) : undefined,
      compress,
      alwaysPack,
      sync,
    });
  }

  /** Every object in a file of its own. */
  looseObjects(): Iterable<LooseObject> {
    return listLoose(this.#objects);
  }

  /** The packs that are there now, by name. */
  packs(): readonly StoredPack[] {
    return this.#packs.list();
  }

  /** The objects of a pack; none when it is not there. @throws CorruptObjectError when its index is damaged. */
  oidsOfPack(name: string): Iterable<Oid> {
    return this.#packs.oids(name);
  }

  /** Removes a pack, its index first. Whether it was there. */
  removePack(name: string): boolean {
    return this.#packs.remove(name);
  }

  /**
   * What unfinished writes have left: of objects, packs and refs, and locks of git. Those that are being written now
   * are among them: the caller judges by their age and by who may be writing.
   */
  *leftovers(): Generator<Leftover> {
    const temporary = namesIn(this.folder)
      .filter((name) => name.startsWith('tmp_'))
      .map((name) => join(this.folder, name));
    const groups = [
      temporary,
      listLooseLeftovers(this.#objects),
      this.#packs.leftovers(),
      listLocks(this.folder),
    ];
    for (const paths of groups) {
      for (const path of paths) {
        const stat = rawStat(path);
        if (stat !== undefined) yield { path, bytes: stat.size, mtimeMs: stat.mtimeMs };
      }
    }
  }

  /** Closes the packs that are held open. The store can be used on. */
  close(): void {
    this.#packs.close();
  }

  #hasNow(oid: Oid, loose: LooseNames): boolean {
    for (const { name } of this.#packs.places(oid)) if (this.#packs.isThere(name)) return true;
    return loose.has(oid);
  }

  /** What {@link ObjectStore.read} promises, for anything that is asked of an object. */
  #find<Found>(oid: Oid, inPack: PackQuestion<Found>, inFile: () => Found | undefined): Found | undefined {
    const { found, damage } = this.#look(oid, inPack, inFile);
    if (found !== undefined) return found;
    const [damagedIndex] = this.#packs.damage;
    if (damage !== undefined) throw damage;
    if (damagedIndex !== undefined) throw damagedIndex;
    return undefined;
  }

  /** Looks into the packs that are known, then for a file, and all over again while there are other packs than before. */
  #look<Found>(oid: Oid, inPack: PackQuestion<Found>, inFile: () => Found | undefined): Looked<Found> {
    let damage: CorruptObjectError | undefined;
    const attempt = (ask: () => Found | undefined): Found | undefined => {
      try {
        return ask();
      } catch (error) {
        if (!(error instanceof CorruptObjectError)) throw error;
        damage ??= error;
        return undefined;
      }
    };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let isMoving = false;
      for (const { name, offset } of this.#packs.places(oid)) {
        const found = attempt(() => inPack(name, offset));
        if (found !== undefined) return { found, damage };
        // The pack was there when it was listed: what it held is in another one by now.
        isMoving ||= !this.#packs.isThere(name);
      }
      const found = attempt(inFile);
      if (found !== undefined) return { found, damage };
      const isChanged = this.#packs.refresh();
      if (!isChanged && !isMoving) break;
    }
    return { found: undefined, damage };
  }
}

type PackQuestion<Found> = (name: string, offset: number) => Found | undefined;

interface Looked<Found> {
  readonly found: Found | undefined;
  /** Of the first copy that was damaged. */
  readonly damage: CorruptObjectError | undefined;
}
