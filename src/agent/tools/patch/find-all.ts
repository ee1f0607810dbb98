/** A sequence that is compared unit by unit: the characters of a text, or the lines of a file. */
export interface Sequence<Unit> {
  readonly length: number;
  readonly at: (index: number) => Unit;
}

export interface Occurrences {
  /** How many there are that do not overlap, counted from the start. */
  readonly count: number;
  /** Where they begin. */
  readonly positions: readonly number[];
  /** Whether more can be found when they may overlap (`aa` in `aaa`). */
  readonly overlap: boolean;
}

/**
 * Finds a sequence in another by Knuth, Morris and Pratt, in time proportional to both lengths. (The search built into
 * strings takes minutes for some needles of a few hundred kilobytes.)
 *
 * @param from where to begin.
 */
export function findAll<Unit>(haystack: Sequence<Unit>, needle: Sequence<Unit>, from = 0): Occurrences {
  if (needle.length === 0) throw new RangeError('an empty sequence is found everywhere');
  const borders = bordersOf(needle);
  const positions: number[] = [];
  let overlap = false;
  let matched = 0;
  for (let index = from; index < haystack.length; index += 1) {
    const unit = haystack.at(index);
    while (matched > 0 && (matched === needle.length || needle.at(matched) !== unit))
      matched = borders[matched - 1] ?? 0;
    if (needle.at(matched) === unit) matched += 1;
    if (matched < needle.length) continue;
    const start = index - needle.length + 1;
    const last = positions.at(-1);
    if (last === undefined || start >= last + needle.length) positions.push(start);
    else overlap = true;
  }
  return { count: positions.length, positions, overlap };
}

/** The characters (UTF-16 code units) of a text. */
export function charactersOf(text: string): Sequence<number> {
  return { length: text.length, at: (index) => text.charCodeAt(index) };
}

/** The items of a list. An index beyond it reads as undefined. */
export function itemsOf<Item>(items: readonly Item[]): Sequence<Item | undefined> {
  return { length: items.length, at: (index) => items[index] };
}

/** For every prefix of the needle, the length of the longest proper prefix that is its suffix too. */
function bordersOf<Unit>(needle: Sequence<Unit>): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let index = 1; index < needle.length; index += 1) {
    const unit = needle.at(index);
    while (length > 0 && needle.at(length) !== unit) length = borders[length - 1] ?? 0;
    if (needle.at(length) === unit) length += 1;
    borders[index] = length;
  }
  return borders;
}
