import { displayWidth, truncateToWidth } from './display-width.ts';
import { printableLine } from './printable.ts';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** Gives up its width first where the terminal is too narrow. */
  readonly shrinks?: boolean;
  /** Colours the finished cell. */
  readonly paint?: (text: string, row: Row) => string;
}

export interface TableOptions {
  /** Width of the terminal; undefined for a pipe, where nothing is cut. */
  readonly columns: number | undefined;
  readonly paintTitle?: (text: string) => string;
}

const GAP = '  ';
const NARROWEST = 8;

/** Rows in aligned columns under their titles, as lines. Cells stay on one line; what does not fit is cut with `…`. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columns: available, paintTitle = (text) => text }: TableOptions,
): readonly string[] {
  const cells = rows.map((row) => columns.map(({ text }) => printableLine(text(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...cells.map((line) => displayWidth(line[index] ?? ''))),
  );
  const widths = available === undefined ? natural : fit(natural, columns, available);
  const line = (texts: readonly string[], paint: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => paint(pad(text, widths[index] ?? 0, columns[index]?.align), index))
      .join(GAP)
      .trimEnd();
  const title = line(
    columns.map((column) => column.title),
    (text) => paintTitle(text),
  );
  return [
    title,
    ...rows.map((row, rowIndex) =>
      line(cells[rowIndex] ?? [], (text, index) => columns[index]?.paint?.(text, row) ?? text),
    ),
  ];
}

/** Takes what is missing from the columns that shrink, the widest first; then from the last ones. */
function fit<Row>(
  natural: readonly number[],
  columns: readonly Column<Row>[],
  available: number,
): readonly number[] {
  const widths = [...natural];
  const gaps = GAP.length * Math.max(0, columns.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - available;
  const order = columns
    .map((column, index) => ({ index, shrinks: column.shrinks === true }))
    .toSorted(
      (a, b) => Number(b.shrinks) - Number(a.shrinks) || (natural[b.index] ?? 0) - (natural[a.index] ?? 0),
    );
  for (const { index } of order) {
    const width = widths[index] ?? 0;
    const taken = Math.max(0, Math.min(excess, width - NARROWEST));
    widths[index] = width - taken;
    excess -= taken;
  }
  return widths;
}

function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = truncateToWidth(text, width);
  const space = ' '.repeat(Math.max(0, width - displayWidth(cut)));
  return align === 'right' ? space + cut : cut + space;
}
