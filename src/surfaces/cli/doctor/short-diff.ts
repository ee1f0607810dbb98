const CONTEXT = 3;
const MAX_LINES = 24;

/**
 * How two texts differ, as one hunk of a unified diff: everything between their common beginning and their common end, with
 * three lines around it, at most 24 lines. Empty when they are the same.
 */
export function shortDiff(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = commonHead(old, now);
  const tail = commonHead(old.slice(head).reverse(), now.slice(head).reverse());
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const start = Math.max(0, head - CONTEXT);
  const trailing = Math.min(CONTEXT, tail);
  const header = `@@ -${range(start, oldEnd + trailing)} +${range(start, nowEnd + trailing)} @@`;
  const rows = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...now.slice(head, nowEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + trailing).map((line) => ` ${line}`),
  ];
  if (rows.length <= MAX_LINES) return [header, ...rows];
  return [header, ...rows.slice(0, MAX_LINES), `… ${String(rows.length - MAX_LINES)} more lines`];
}

/** A last line without a line break at its end counts as another one than the same with it. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\\ no newline at the end`];
}

function commonHead(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count += 1;
  return count;
}

function range(start: number, end: number): string {
  const length = end - start;
  return `${String(length === 0 ? start : start + 1)},${String(length)}`;
}
