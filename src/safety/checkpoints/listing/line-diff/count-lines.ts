import { compareContents } from './compare-contents.ts';
import { isBinary, lineCount } from './text-lines.ts';

/** How many lines a change added and removed. Binary files have none. */
export interface LineCount {
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

export const NO_LINES: LineCount = { insertions: 0, deletions: 0, binary: false };
const BINARY: LineCount = { insertions: 0, deletions: 0, binary: true };

/** Counts what {@link compareContents} finds; undefined stands for a file that is not there. */
export function countLines(before: Uint8Array | undefined, after: Uint8Array | undefined): LineCount {
  if (before === undefined || after === undefined) {
    const only = before ?? after ?? new Uint8Array();
    if (isBinary(only)) return BINARY;
    const count = lineCount(only);
    return before === undefined
      ? { insertions: count, deletions: 0, binary: false }
      : { insertions: 0, deletions: count, binary: false };
  }
  const comparison = compareContents(before, after);
  if (comparison.type === 'binary') return BINARY;
  let [insertions, deletions] = [0, 0];
  for (const region of comparison.regions) {
    insertions += region.newCount;
    deletions += region.oldCount;
  }
  return { insertions, deletions, binary: false };
}
