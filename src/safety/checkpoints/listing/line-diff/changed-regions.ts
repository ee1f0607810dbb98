import { diffArrays } from 'diff/lib/diff/array.js';

/** Lines of the old text that lines of the new one replace. Positions count from 0; one of the counts may be 0. */
export interface ChangedRegion {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Beyond one of these, everything between the common head and the common tail counts as changed. */
const MAX_LINES = 50_000;
const MAX_CHARS = 2 * 1024 * 1024;
/** Lines that both texts have and that must still be removed or added; the work grows with its square. */
const MAX_EDITS = 1000;

/**
 * Where two texts differ, in order, with at least one common line between two regions. As few lines as possible, unless
 * the texts are large and differ in very many places. The same for the same input, always.
 */
export function changedRegions(
  before: readonly string[],
  after: readonly string[],
): readonly ChangedRegion[] {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const whole: ChangedRegion = {
    oldStart: head,
    oldCount: before.length - head - tail,
    newStart: head,
    newCount: after.length - head - tail,
  };
  if (whole.oldCount === 0 && whole.newCount === 0) return [];
  if (whole.oldCount === 0 || whole.newCount === 0) return [whole];
  const oldLines = before.slice(head, before.length - tail);
  const newLines = after.slice(head, after.length - tail);
  if (isTooLarge(oldLines) || isTooLarge(newLines)) return [whole];
  const pairs = commonLines(oldLines, newLines);
  return pairs === undefined ? [whole] : regionsBetween(pairs, whole);
}

function commonHead(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  return head;
}

function commonTail(before: readonly string[], after: readonly string[], head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let tail = 0;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return tail;
}

function isTooLarge(lines: readonly string[]): boolean {
  return lines.length > MAX_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARS;
}

/** The position of a line that stays, in the old and the new text. */
type CommonLine = readonly [oldIndex: number, newIndex: number];

/**
 * The lines that stay. Lines that only one of the texts has cannot be among them and are left out of the search, which
 * makes it cheap for texts that have little in common. Undefined when it would take too long nevertheless.
 */
function commonLines(before: readonly string[], after: readonly string[]): readonly CommonLine[] | undefined {
  const numbers = new Map<string, number>();
  for (const line of before) if (!numbers.has(line)) numbers.set(line, numbers.size);
  const kept = new Set<number>();
  const newTokens: number[] = [];
  const newPlaces: number[] = [];
  after.forEach((line, place) => {
    const number = numbers.get(line);
    if (number === undefined) return;
    kept.add(number);
    newTokens.push(number);
    newPlaces.push(place);
  });
  const oldTokens: number[] = [];
  const oldPlaces: number[] = [];
  before.forEach((line, place) => {
    const number = numbers.get(line);
    if (number === undefined || !kept.has(number)) return;
    oldTokens.push(number);
    oldPlaces.push(place);
  });
  const changes = diffArrays(oldTokens, newTokens, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return undefined;
  const pairs: CommonLine[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed)
      for (let step = 0; step < count; step += 1)
        pairs.push([oldPlaces[oldAt + step] ?? 0, newPlaces[newAt + step] ?? 0]);
    if (!added) oldAt += count;
    if (!removed) newAt += count;
  }
  return pairs;
}

function regionsBetween(pairs: readonly CommonLine[], whole: ChangedRegion): readonly ChangedRegion[] {
  const regions: ChangedRegion[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldIndex, newIndex] of [...pairs, [whole.oldCount, whole.newCount] as const]) {
    if (oldIndex > oldAt || newIndex > newAt)
      regions.push({
        oldStart: whole.oldStart + oldAt,
        oldCount: oldIndex - oldAt,
        newStart: whole.newStart + newAt,
        newCount: newIndex - newAt,
      });
    [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
  }
  return regions;
}
