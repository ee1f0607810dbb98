import type { ChangedRegion } from '../line-diff/changed-regions.ts';

export interface HunkSource {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly regions: readonly ChangedRegion[];
}

/** Unchanged lines before and after a change. */
const CONTEXT = 3;
const NO_NEWLINE = '\n\\ No newline at end of file\n';

/** The hunks of a unified diff, line by line, each ended by a newline. */
export function* hunkLines({ oldLines, newLines, regions }: HunkSource): Generator<string> {
  for (const group of groupsOf(regions)) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const lead = Math.min(CONTEXT, first.oldStart);
    const oldEnd = Math.min(oldLines.length, last.oldStart + last.oldCount + CONTEXT);
    const tail = oldEnd - last.oldStart - last.oldCount;
    const [oldStart, newStart] = [first.oldStart - lead, first.newStart - lead];
    const newEnd = last.newStart + last.newCount + tail;
    yield `@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@\n`;
    let at = oldStart;
    for (const region of group) {
      yield* marked(' ', oldLines.slice(at, region.oldStart));
      at = region.oldStart + region.oldCount;
      yield* marked('-', oldLines.slice(region.oldStart, at));
      yield* marked('+', newLines.slice(region.newStart, region.newStart + region.newCount));
    }
    yield* marked(' ', oldLines.slice(at, oldEnd));
  }
}

/** Regions whose context touches share a hunk. */
function groupsOf(regions: readonly ChangedRegion[]): readonly (readonly ChangedRegion[])[] {
  const groups: ChangedRegion[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const region of regions) {
    if (region.oldStart - end <= 2 * CONTEXT) groups.at(-1)?.push(region);
    else groups.push([region]);
    end = region.oldStart + region.oldCount;
  }
  return groups;
}

/** Counts from 1; a range without lines names the line before it. */
function range(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return String(start + 1);
  return `${String(count === 0 ? start : start + 1)},${String(count)}`;
}

function* marked(mark: string, lines: readonly string[]): Generator<string> {
  for (const line of lines) yield line.endsWith('\n') ? mark + line : mark + line + NO_NEWLINE;
}
