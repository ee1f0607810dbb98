/**
 * Levels of arrays and objects within each other that a value may have. Whoever walks a value calls itself once per level, so
 * deeper ones are refused at the door.
 */
export const MAX_LEVELS = 500;

/**
 * Why `value` cannot be carried as JSON and come back the same: it is too deep (or contains itself), or holds a number beyond
 * the range of a double, or something that is no JSON. Undefined when it can; members that are undefined count as absent.
 */
export function jsonFlaw(value: unknown, levels = 0): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a number in it is too large';
  return typeof value === 'object'
    ? flawInside(value, levels)
    : `it holds a ${typeof value}, which is no JSON`;
}

function flawInside(container: object, levels: number): string | undefined {
  if (levels === MAX_LEVELS) return `it has more than ${String(MAX_LEVELS)} levels`;
  for (const item of Object.values(container)) {
    const flaw = item === undefined ? undefined : jsonFlaw(item, levels + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
