import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { rawContent, rawStat, unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';
import { namesIn } from './loose-objects.ts';
import { PackIndex } from './pack-index.ts';
import { PackReader } from './pack-reader.ts';

/** A pack with its index. */
export interface StoredPack {
  /** `pack-<40 hex digits>`. The store never gives a name twice. */
  readonly name: string;
  readonly path: string;
  readonly indexPath: string;
  /** Of the pack and its index. */
  readonly bytes: number;
  /** How many objects are in it; undefined when its index is damaged. */
  readonly objects: number | undefined;
  readonly mtimeMs: number;
}

/** Where an object was found. */
export interface PackPlace {
  readonly name: string;
  readonly offset: number;
}

/** Packs that are held open at a time; each takes a file descriptor. */
const MAX_OPEN = 32;
const INDEX_NAME = /^(pack-[0-9a-f]{40})\.idx$/;
/** Files that git may put beside a pack, the index first: without it nobody looks at the others. */
const PARTS = ['idx', 'rev', 'bitmap', 'mtimes', 'keep', 'promisor', 'pack'];

/** The packs of a store as they were when last listed. */
export class PackList {
  readonly #folder: string;
  #indexes: Map<string, PackIndex> | undefined;
  #damaged = new Map<string, CorruptObjectError>();
  /** The one used last is the last one. */
  readonly #open = new Map<string, PackReader>();
  /** The pack in which the last object was. */
  #last: string | undefined;

  /** `folder` is `objects/pack` of the store. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Lists the packs anew. Indexes that are known already are not read again. Whether others have added or removed any
   * since the list before, or were about to.
   */
  refresh(): boolean {
    const known = this.#indexes;
    const indexes = new Map<string, PackIndex>();
    this.#damaged = new Map();
    const files = new Set(namesIn(this.#folder));
    const names = [...files]
      .map((file) => INDEX_NAME.exec(file)?.[1])
      .filter((name) => name !== undefined)
      .filter((name) => files.has(`${name}.pack`));
    for (const name of names) {
      const index = known?.get(name) ?? this.#load(name);
      if (index !== undefined) indexes.set(name, index);
    }
    this.#indexes = indexes;
    for (const name of this.#open.keys()) if (!indexes.has(name)) this.#close(name);
    const isSame = known?.size === indexes.size && [...indexes.keys()].every((name) => known.has(name));
    return !isSame || indexes.size + this.#damaged.size < names.length;
  }

  /** Every place at which the object is, in the packs that were there when last listed. */
  *places(oid: Oid): Generator<PackPlace> {
    if (this.#indexes === undefined) this.refresh();
    const indexes = this.#indexes ?? new Map<string, PackIndex>();
    const first = this.#last;
    const index = first === undefined ? undefined : indexes.get(first);
    const offset = index?.find(oid);
    if (first !== undefined && offset !== undefined) yield { name: first, offset };
    for (const [name, other] of indexes) {
      if (name === first) continue;
      const place = other.find(oid);
      if (place === undefined) continue;
      this.#last = name;
      yield { name, offset: place };
    }
  }

  /** Whether the file of the pack is still there. */
  isThere(name: string): boolean {
    return rawStat(this.#path(name, 'pack')) !== undefined;
  }

  /** The open pack; undefined when it is gone. @throws CorruptObjectError */
  reader(name: string): PackReader | undefined {
    let reader = this.#open.get(name);
    if (reader === undefined) {
      const index = this.#indexes?.get(name);
      if (index === undefined) return undefined;
      try {
        reader = new PackReader(this.#path(name, 'pack'), index);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined;
        throw error;
      }
      const [oldest] = this.#open.keys();
      if (oldest !== undefined && this.#open.size >= MAX_OPEN) this.#close(oldest);
    }
    this.#open.delete(name);
    this.#open.set(name, reader);
    return reader;
  }

  /** Why indexes could not be read, of the packs that were there when last listed. */
  get damage(): Iterable<CorruptObjectError> {
    return this.#damaged.values();
  }

  /** Listed anew. Packs that vanish meanwhile are left out. */
  list(): readonly StoredPack[] {
    this.refresh();
    const names = [...(this.#indexes?.keys() ?? []), ...this.#damaged.keys()].toSorted();
    return names.flatMap((name) => {
      const [path, indexPath] = [this.#path(name, 'pack'), this.#path(name, 'idx')];
      const [pack, index] = [rawStat(path), rawStat(indexPath)];
      if (pack === undefined || index === undefined) return [];
      const bytes = pack.size + index.size;
      return [
        { name, path, indexPath, bytes, objects: this.#indexes?.get(name)?.count, mtimeMs: pack.mtimeMs },
      ];
    });
  }

  /** The names of the objects of a pack; none when it is not there. @throws CorruptObjectError for a damaged index. */
  oids(name: string): Iterable<Oid> {
    this.refresh();
    const damage = this.#damaged.get(name);
    if (damage !== undefined) throw damage;
    return this.#indexes?.get(name)?.oids() ?? [];
  }

  /** Removes a pack, its index first. Whether it was there. */
  remove(name: string): boolean {
    this.#close(name);
    this.#indexes?.delete(name);
    // An index of many packs, if git made one, names this one.
    unlinkRaw(join(this.#folder, 'multi-pack-index'));
    return PARTS.map((part) => unlinkRaw(this.#path(name, part))).some(Boolean);
  }

  /** Paths of files that are no part of a pack that can be used. */
  *leftovers(): Generator<string> {
    const files = new Set(namesIn(this.#folder));
    for (const file of files) {
      const [, name, part] = /^(pack-[0-9a-f]{40})\.([a-z]+)$/.exec(file) ?? [];
      const isPart = name !== undefined && part !== undefined && PARTS.includes(part);
      const isWhole = isPart && files.has(`${name}.idx`) && files.has(`${name}.pack`);
      if (!isWhole && file !== 'multi-pack-index') yield join(this.#folder, file);
    }
  }

  close(): void {
    for (const name of this.#open.keys()) this.#close(name);
  }

  /** Undefined when it is damaged, or gone again. */
  #load(name: string): PackIndex | undefined {
    const path = this.#path(name, 'idx');
    try {
      const content = rawContent(path);
      if (content === undefined) throw new CorruptObjectError({ path, reason: 'it is no file' });
      return new PackIndex(content.bytes, path);
    } catch (error) {
      if (error instanceof CorruptObjectError) this.#damaged.set(name, error);
      else if (errnoOf(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }

  #path(name: string, part: string): string {
    return join(this.#folder, `${name}.${part}`);
  }

  #close(name: string): void {
    this.#open.get(name)?.close();
    this.#open.delete(name);
  }
}
