import type { ReadCall } from '../reading/read-call.ts';

/**
 * Parts of `calls`, which are in the order of their time, of at least `least` calls that began within `withinMs` of the first of
 * them. No call is in two.
 */
export function bursts(
  calls: readonly ReadCall[],
  { least, withinMs }: { readonly least: number; readonly withinMs: number },
): readonly (readonly ReadCall[])[] {
  const found: (readonly ReadCall[])[] = [];
  for (let start = 0; start < calls.length; ) {
    const endMs = (calls[start]?.atMs ?? 0) + withinMs;
    let end = start;
    while (end < calls.length && (calls[end]?.atMs ?? 0) <= endMs) end += 1;
    const isBurst = end - start >= least;
    if (isBurst) found.push(calls.slice(start, end));
    start = isBurst ? end : start + 1;
  }
  return found;
}
