import { errnoOf } from '../../../platform/paths/index.ts';
import { RawReader, rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { LooseObject, ObjectStore, StoredPack } from '../objects/object-store.ts';
import { PackIndex } from '../objects/pack-index.ts';

/** An object of a pack: where its entry starts and how many bytes the entry takes. */
export interface PackedObject {
  readonly oid: Oid;
  readonly offset: number;
  readonly size: number;
}

export interface ListedPack extends StoredPack {
  /** By offset. Undefined when the pack and its index are no pair that can be used. */
  readonly listed: readonly PackedObject[] | undefined;
  /** Whether its objects are not compressed, judged by the first one. */
  readonly isStored: boolean;
  /** Whether somebody has forbidden to touch it, with a `.keep` file as git knows it. */
  readonly isKept: boolean;
}

/** The objects of a store at one moment. */
export interface Inventory {
  readonly loose: readonly LooseObject[];
  readonly packs: readonly ListedPack[];
}

/** What an object of a pack takes in the index: its name, a checksum and an offset. */
const INDEX_ENTRY_BYTES = 28;
const CHECKSUM_BYTES = 20;
/** More than the type and the size of an entry take. */
const ENTRY_HEADER_BYTES = 32;

export function takeInventory(objects: ObjectStore): Inventory {
  const packs = objects.packs().map((pack) => ({
    ...pack,
    ...lookInto(pack),
    isKept: rawStat(pack.path.replace(/\.pack$/, '.keep')) !== undefined,
  }));
  return { loose: [...objects.looseObjects()], packs };
}

/** What each object takes on the disk, in bytes; the dearest copy where there are several. */
export function sizesOf({ loose, packs }: Inventory): ReadonlyMap<Oid, number> {
  const sizes = new Map<Oid, number>();
  const count = (oid: Oid, bytes: number): void => {
    sizes.set(oid, Math.max(sizes.get(oid) ?? 0, bytes));
  };
  for (const { oid, bytes } of loose) count(oid, bytes);
  for (const { listed = [] } of packs)
    for (const { oid, size } of listed) count(oid, size + INDEX_ENTRY_BYTES);
  return sizes;
}

/** What the objects of an inventory take on the disk, copies and garbage included; in bytes. */
export function bytesOf({ loose, packs }: Inventory): number {
  return [...loose, ...packs].reduce((sum, { bytes }) => sum + bytes, 0);
}

const UNUSABLE = { listed: undefined, isStored: false };

function lookInto({ path, indexPath, objects }: StoredPack): Pick<ListedPack, 'listed' | 'isStored'> {
  if (objects === undefined) return UNUSABLE;
  try {
    return withReader(indexPath, (file) => {
      const index = new PackIndex(file.read(0, file.size), indexPath);
      return withReader(path, (pack) => {
        const end = pack.size - CHECKSUM_BYTES;
        if (end < 0 || !index.packChecksum.equals(pack.read(end, CHECKSUM_BYTES))) return UNUSABLE;
        const listed = listObjects(index, end);
        return { listed, isStored: isStoredEntry(pack.read(listed[0]?.offset ?? 0, ENTRY_HEADER_BYTES)) };
      });
    });
  } catch (error) {
    if (error instanceof CorruptObjectError || errnoOf(error) === 'ENOENT') return UNUSABLE;
    throw error;
  }
}

function listObjects(index: PackIndex, end: number): readonly PackedObject[] {
  return [...index.oids()]
    .map((oid) => {
      const offset = index.find(oid) ?? 0;
      return { oid, offset, size: (index.next(offset) ?? end) - offset };
    })
    .toSorted((one, other) => one.offset - other.offset);
}

/** Whether the entry is a zlib stream (RFC 1950) of the fastest kind that begins with a stored block (RFC 1951, 3.2.4). */
function isStoredEntry(entry: Buffer): boolean {
  const last = entry.findIndex((byte) => (byte & 0x80) === 0);
  const stream = entry.subarray(last + 1);
  return last >= 0 && stream[0] === 0x78 && stream[1] === 0x01 && ((stream[2] ?? 0xff) & 0b110) === 0;
}

function withReader<Value>(path: string, work: (reader: RawReader) => Value): Value {
  const reader = new RawReader(path);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
}
