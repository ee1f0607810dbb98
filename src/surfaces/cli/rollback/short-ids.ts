const SHORTEST = 7;

/** The beginnings of ids that tell them apart, of at least 7 digits, by id. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].toSorted();
  return new Map(
    sorted.map((id, index) => {
      const neighbours = [sorted[index - 1], sorted[index + 1]];
      const common = Math.max(...neighbours.map((other) => commonLength(id, other ?? '')));
      return [id, id.slice(0, Math.max(SHORTEST, common + 1))];
    }),
  );
}

/** The beginning of an id that stands alone. */
export function shortId(id: string): string {
  return id.slice(0, SHORTEST);
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
