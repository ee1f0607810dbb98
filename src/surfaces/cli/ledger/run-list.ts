import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type RowFilter, readRows } from '../../../safety/ledger/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { nothingYet } from './nothing-yet.ts';
import type { Journal } from './open-journal.ts';
import { rowTable } from './row-text.ts';
import { readMoment } from './time-span.ts';

/** What a list is of, as it was typed. */
export interface ListRequest {
  readonly limit: number;
  readonly session: string | undefined;
  readonly tool: string | undefined;
  readonly status: string | undefined;
  readonly since: string | undefined;
}

const STATUSES = ['PENDING', 'CONFIRMED', 'ERROR', 'BLOCKED', 'CANCELLED', 'GHOST_REPORTED'];

/** `herma ledger list`: what was called, the newest first. */
export async function runList(
  context: VerbContext,
  { ledger }: Journal,
  request: ListRequest,
): Promise<ExitCode> {
  const filter = filterOf(request, context.clock.now());
  if (!filter.ok) return context.fail(filter);
  if (!ledger.file.exists) return nothingYet(context, []);
  const rows = await readRows(ledger, filter.value);
  if (!rows.ok) return context.fail(rows);
  if (context.json) context.printJson(rows.value.map(({ columns }) => columns));
  else if (rows.value.length === 0) context.note('the journal holds no such call');
  else for (const line of rowTable(rows.value, context)) context.print(line);
  return EXIT.done;
}

function filterOf(
  { limit, session, tool, status, since }: ListRequest,
  nowMs: number,
): Result<RowFilter, 'usage'> {
  const wanted = status === undefined ? undefined : statusOf(status);
  if (wanted?.ok === false) return wanted;
  const moment = since === undefined ? undefined : readMoment(since, nowMs);
  if (moment?.ok === false) return moment;
  return succeed({ limit, session, tool, status: wanted?.value, sinceMs: moment?.value });
}

/** What stands before a colon is a word of the journal, in capitals; what stands behind it is somebody else's. */
function statusOf(text: string): Result<string, 'usage'> {
  const colon = text.indexOf(':');
  const kind = (colon === -1 ? text : text.slice(0, colon)).toUpperCase();
  if (STATUSES.includes(kind)) return succeed(colon === -1 ? kind : kind + text.slice(colon));
  return fail(
    'usage',
    `there is no status ${JSON.stringify(printableLine(text.slice(0, 40).toWellFormed()))}`,
    `one of ${STATUSES.join(', ')}`,
  );
}
