import type { Oid } from '../model/path-state.ts';
import type { LooseObject } from '../objects/object-store.ts';
import type { Inventory, ListedPack } from './inventory.ts';

/** A pack that is to go once what is alive in it has been written anew. */
export interface PackToRewrite {
  readonly pack: ListedPack;
  /** Alive and in no pack that stays, in the order of the pack. */
  readonly objects: readonly Oid[];
  /** What they take in it. */
  readonly liveBytes: number;
}

export interface ReclaimPlan {
  /** Files of objects that nothing needs, or that a pack which stays has too. */
  readonly garbage: readonly LooseObject[];
  readonly packs: readonly PackToRewrite[];
  /** Files of objects that go into the new packs. */
  readonly loose: readonly LooseObject[];
}

/** A pack of which less is alive is rewritten. */
const LEAST_LIVE_RATIO = 0.7;
/** More files of single objects than this are put into a pack. */
const MOST_LOOSE = 1000;
/** Packs below this size are small, and so many of them become one. */
const SMALL_BYTES = 4 * 1024 * 1024;
const MOST_SMALL_PACKS = 10;

/**
 * What is to be removed and rewritten. `targetBytes`: how much the objects may take; where the usual rules leave more,
 * packs with garbage in them are rewritten too, the most wasteful first, and then what is not compressed.
 */
export function planReclaim(
  inventory: Inventory,
  live: ReadonlySet<Oid>,
  targetBytes = Number.POSITIVE_INFINITY,
): ReclaimPlan {
  const usable = inventory.packs.filter(({ listed, isKept }) => listed !== undefined && !isKept);
  const kept = inventory.packs.filter(({ isKept }) => isKept);
  const judged = judgePacks(usable, { live, elsewhere: oidsOf(kept) });
  const small = judged.filter(({ pack, liveBytes }) => liveBytes > 0 && pack.bytes < SMALL_BYTES);
  const chosen = new Set(
    judged.filter(
      (one) =>
        ratioOf(one) < LEAST_LIVE_RATIO ||
        one.pack.isStored ||
        (small.length > MOST_SMALL_PACKS && small.includes(one)),
    ),
  );
  const liveLoose = inventory.loose.filter(({ oid }) => live.has(oid));
  const expected = (): number =>
    sumOf([
      ...[...liveLoose, ...kept].map(({ bytes }) => bytes),
      ...judged.map((one) => (chosen.has(one) ? one.liveBytes : one.pack.bytes)),
    ]);
  for (const one of judged.toSorted((a, b) => wasteOf(b) - wasteOf(a)))
    if (expected() > targetBytes && wasteOf(one) > 0) chosen.add(one);
  const isTight = expected() > targetBytes;
  const staying = oidsOf([...kept, ...judged.filter((one) => !chosen.has(one)).map(({ pack }) => pack)]);
  const packs = judged
    .filter((one) => chosen.has(one))
    .toSorted((one, other) => wasteOf(other) - wasteOf(one));
  const inChosen = new Set(packs.flatMap(({ objects }) => objects));
  const single = liveLoose.filter(({ oid }) => !staying.has(oid) && !inChosen.has(oid));
  return {
    garbage: inventory.loose.filter(({ oid }) => !live.has(oid) || staying.has(oid)),
    packs,
    // Those that come from a pack as well are written once, from either.
    loose:
      single.length > MOST_LOOSE || (isTight && single.length > 0)
        ? liveLoose.filter(({ oid }) => !staying.has(oid))
        : liveLoose.filter(({ oid }) => inChosen.has(oid)),
  };
}

/** Each live object counts for the first pack that has it; the largest packs come first. */
function judgePacks(
  packs: readonly ListedPack[],
  { live, elsewhere }: { readonly live: ReadonlySet<Oid>; readonly elsewhere: ReadonlySet<Oid> },
): readonly PackToRewrite[] {
  const placed = new Set(elsewhere);
  return packs
    .toSorted((one, other) => other.bytes - one.bytes)
    .map((pack) => {
      const objects = (pack.listed ?? []).filter(({ oid }) => live.has(oid) && !placed.has(oid));
      for (const { oid } of objects) placed.add(oid);
      return {
        pack,
        objects: objects.map(({ oid }) => oid),
        liveBytes: sumOf(objects.map(({ size }) => size)),
      };
    });
}

function oidsOf(packs: readonly ListedPack[]): ReadonlySet<Oid> {
  return new Set(packs.flatMap(({ listed }) => (listed ?? []).map(({ oid }) => oid)));
}

/** What the objects of a pack take, without its index. */
function payloadOf({ listed }: ListedPack): number {
  return sumOf((listed ?? []).map(({ size }) => size));
}

function ratioOf({ pack, liveBytes }: PackToRewrite): number {
  const payload = payloadOf(pack);
  return payload === 0 ? 0 : liveBytes / payload;
}

function wasteOf({ pack, liveBytes }: PackToRewrite): number {
  return payloadOf(pack) - liveBytes;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
