import { describeRow } from '../../../app/index.ts';
import { changedSince, readRows, type StoredRow } from '../../../safety/ledger/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { nothingYet } from './nothing-yet.ts';
import type { Journal } from './open-journal.ts';
import { paintStatus, statusText } from './row-text.ts';

const POLL_MS = 500;

export interface TailRequest {
  /** Rows that are shown at first. */
  readonly lines: number;
  readonly isFollowing: boolean;
}

/** `herma ledger tail`: the last calls, and with `-f` what happens to them and to new ones, until Ctrl-C. */
export async function runTail(
  context: VerbContext,
  { ledger }: Journal,
  { lines, isFollowing }: TailRequest,
): Promise<ExitCode> {
  if (!ledger.file.exists && !isFollowing) {
    return nothingYet({ ...context, json: false }, undefined);
  }
  let seen = 0;
  if (ledger.file.exists) {
    // The head first: what happens in between is shown twice rather than never.
    const [head, rows] = [await ledger.head(), await readRows(ledger, { limit: lines })];
    if (!head.ok) return context.fail(head);
    if (!rows.ok) return context.fail(rows);
    seen = head.value?.seq ?? 0;
    for (const row of rows.value.toReversed()) write(context, row);
  }
  while (isFollowing) {
    await context.clock.sleep(POLL_MS, context.signal);
    if (!ledger.file.exists) continue;
    const changes = await changedSince(ledger, seen);
    if (!changes.ok) return context.fail(changes);
    if (changes.value.seq < seen) context.note('the journal was replaced by another one');
    for (const row of changes.value.rows) write(context, row);
    seen = changes.value.seq;
  }
  return EXIT.done;
}

function write(context: VerbContext, { row, columns }: StoredRow): void {
  const { colours, json } = context;
  if (json) {
    context.stdout.write(`${JSON.stringify(columns)}\n`);
    return;
  }
  const status = paintStatus(colours, row.status)(printableLine(statusText(row)));
  context.print(
    `${colours.faint(printableLine(row.settledAt ?? row.ts))}  #${String(row.id)}  ${status}  ${printableLine(describeRow(row))}`,
  );
}
