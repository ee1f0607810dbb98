import type { JsonObject } from '../../../kernel/json/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { type LedgerSummary, summariseLedger } from '../../../safety/ledger/index.ts';
import { archiveSize } from '../checkpoints/archive-size.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import { counted } from '../rollback/text-style.ts';
import type { VerbContext } from '../verb.ts';
import type { Journal } from './open-journal.ts';

interface Status {
  readonly path: string;
  readonly exists: boolean;
  readonly summary: LedgerSummary;
  readonly bytes: number;
  readonly damaged: readonly string[];
  readonly settings: Journal['settings'];
}

const EMPTY: LedgerSummary = {
  rows: 0,
  byStatus: [],
  oldest: undefined,
  newest: undefined,
  entries: 0,
  head: undefined,
};

/** `herma ledger status` */
export async function runStatus(context: VerbContext, { ledger, settings }: Journal): Promise<ExitCode> {
  const path = context.paths.ledgerDatabase;
  const { exists } = ledger.file;
  const summary = exists ? await summariseLedger(ledger) : undefined;
  if (summary?.ok === false) return context.fail(summary);
  const status: Status = {
    path,
    exists,
    summary: summary?.value ?? EMPTY,
    bytes: await bytesOf(path),
    damaged: await ledger.file.keptAside(),
    settings,
  };
  if (context.json) context.printJson(documentOf(status));
  else for (const line of textOf(status, context)) context.print(line);
  return EXIT.done;
}

/** With what SQLite keeps beside the file. */
async function bytesOf(path: string): Promise<number> {
  const stats = await Promise.all(['', '-wal', '-shm'].map(async (end) => statPath(path + end)));
  return stats.reduce((sum, stat) => sum + (stat.ok ? (stat.value?.size ?? 0) : 0), 0);
}

function documentOf({ path, exists, summary, bytes, damaged, settings }: Status): JsonObject {
  const { rows, byStatus, oldest, newest, entries, head } = summary;
  return {
    path,
    exists,
    enabled: settings.enabled,
    rows,
    by_status: Object.fromEntries(byStatus.map((each) => [each.status, each.rows])),
    oldest: oldest ?? null,
    newest: newest ?? null,
    bytes,
    entries,
    head: head === undefined ? null : { seq: head.seq, sha256: head.hash },
    retention_days: settings.retentionDays,
    max_rows: settings.maxRows,
    damaged: [...damaged],
  };
}

function textOf(status: Status, { clock, colours }: VerbContext): readonly string[] {
  const { path, exists, summary, bytes, damaged, settings } = status;
  const { rows, byStatus, oldest, newest, entries, head } = summary;
  const when = (ts: string | undefined): string =>
    ts === undefined ? '—' : `${printableLine(ts)} (${relativeTime(Date.parse(ts), clock.now())})`;
  const width = Math.max(0, ...byStatus.map((each) => each.status.length));
  return [
    `Journal:     ${displayPath(path)}${exists ? '' : ' (not there yet)'}`,
    `Journalling: ${settings.enabled ? colours.good('on') : colours.warning('off (ledger.enabled)')}`,
    `Calls:       ${String(rows)}`,
    ...byStatus.map((each) => `  ${printableLine(each.status).padEnd(width)}  ${String(each.rows)}`),
    `Oldest:      ${when(oldest)}`,
    `Newest:      ${when(newest)}`,
    `Size:        ${archiveSize(bytes)}`,
    `Chain:       ${entries === 1 ? '1 entry' : `${String(entries)} entries`}${head === undefined ? '' : `, head ${String(head.seq)} ${head.hash.slice(0, 12)}…`}`,
    `Retention:   ${retentionText(settings)}`,
    ...damaged.map((kept) => colours.bad(`damaged, kept aside: ${displayPath(kept)}`)),
  ];
}

/** How long rows are kept, in words. */
function retentionText({ retentionDays, maxRows }: Journal['settings']): string {
  const limits = [
    ...(retentionDays === 0 ? [] : [counted(retentionDays, 'day')]),
    ...(maxRows === 0 ? [] : [counted(maxRows, 'call')]),
  ];
  return limits.length === 0 ? 'everything is kept' : `${limits.join(' or ')}; open ghosts stay`;
}
