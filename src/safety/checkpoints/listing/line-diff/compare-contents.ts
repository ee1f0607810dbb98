import { type ChangedRegion, changedRegions } from './changed-regions.ts';
import { isBinary, textLines } from './text-lines.ts';

/** How two contents of a file differ. */
export type ContentComparison =
  | { readonly type: 'binary' }
  | {
      readonly type: 'text';
      readonly oldLines: readonly string[];
      readonly newLines: readonly string[];
      readonly regions: readonly ChangedRegion[];
    };

const NOTHING = new Uint8Array();

/** Compares by lines; undefined stands for a file that is not there. Binary when one of them is. */
export function compareContents(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): ContentComparison {
  const [old, current] = [before ?? NOTHING, after ?? NOTHING];
  if (isBinary(old) || isBinary(current)) return { type: 'binary' };
  const [oldLines, newLines] = [textLines(old), textLines(current)];
  return { type: 'text', oldLines, newLines, regions: changedRegions(oldLines, newLines) };
}
