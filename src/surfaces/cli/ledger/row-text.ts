import { describeRow } from '../../../app/index.ts';
import type { StoredRow } from '../../../safety/ledger/index.ts';
import type { Colours } from '../output/colours.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { relativeTime } from '../output/relative-time.ts';
import type { VerbContext } from '../verb.ts';

/** Rows as a table: number, age, status, and what was called. */
export function rowTable(
  rows: readonly StoredRow[],
  { clock, colours, stdout, verbose }: VerbContext,
): readonly string[] {
  const now = clock.now();
  const columns: readonly Column<StoredRow>[] = [
    { title: 'ID', text: ({ row }) => String(row.id), align: 'right' },
    { title: 'WHEN', text: ({ row }) => relativeTime(Date.parse(row.ts), now) },
    {
      title: 'STATUS',
      text: ({ row }) => statusText(row),
      paint: (text, { row }) => paintStatus(colours, row.status)(text),
    },
    { title: 'CALL', text: ({ row }) => describeRow(row), shrinks: true },
    ...(verbose ? [{ title: 'SESSION', text: ({ row }: StoredRow) => row.sessionId }] : []),
  ];
  return formatTable(rows, columns, { columns: stdout.columns, paintTitle: colours.strong });
}

/** The status, and whether a ghost is off the list. */
export function statusText({ status, ackedAt }: Pick<StoredRow['row'], 'status' | 'ackedAt'>): string {
  return status === 'GHOST_REPORTED' && ackedAt !== null ? 'GHOST_REPORTED (acknowledged)' : status;
}

/** The colour of a status. */
export function paintStatus(colours: Colours, status: string): (text: string) => string {
  const [kind = ''] = status.split(':');
  switch (kind) {
    case 'CONFIRMED':
      return colours.good;
    case 'ERROR':
    case 'GHOST_REPORTED':
      return colours.bad;
    case 'BLOCKED':
      return colours.warning;
    case 'PENDING':
      return colours.accent;
    default:
      return colours.faint;
  }
}
