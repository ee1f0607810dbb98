/** Consecutive numbers as from, to. */
export function ranges(sorted: readonly number[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const value of sorted) {
    const current = found.at(-1);
    if (current !== undefined && current[1] === value - 1) current[1] = value;
    else found.push([value, value]);
  }
  return found;
}
