import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { historyOf, type RowEvent, rowsById, type StoredRow } from '../../../safety/ledger/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import type { VerbContext } from '../verb.ts';
import { readCallId } from './call-id.ts';
import type { Journal } from './open-journal.ts';
import { paintStatus, statusText } from './row-text.ts';
import { paintVerdict } from './run-ghosts.ts';

/** `herma ledger show`: everything that is known of one call. */
export async function runShow(context: VerbContext, { ledger }: Journal, typed: string): Promise<ExitCode> {
  const id = readCallId(typed);
  if (!id.ok) return context.fail(id);
  const found = ledger.file.exists ? await findRow(ledger, id.value) : succeed(undefined);
  if (!found.ok) return context.fail(found);
  if (found.value === undefined)
    return context.fail(
      fail('unknown_row', `There is no call #${String(id.value)} in the journal.`, '`herma ledger list`'),
    );
  const { stored, history } = found.value;
  if (context.json) context.printJson({ ...stored.columns, history });
  else for (const line of textOf(stored, history, context)) context.print(line);
  return EXIT.done;
}

interface Found {
  readonly stored: StoredRow;
  readonly history: readonly RowEvent[];
}

async function findRow(ledger: Journal['ledger'], id: number): Promise<Result<Found | undefined>> {
  const [rows, history] = [await rowsById(ledger, [id]), await historyOf(ledger, id)];
  if (!rows.ok) return rows;
  if (!history.ok) return history;
  const stored = rows.value.get(id);
  return succeed(stored === undefined ? undefined : { stored, history: history.value });
}

function textOf(
  { row, columns }: StoredRow,
  history: readonly RowEvent[],
  { clock, colours }: VerbContext,
): readonly string[] {
  const { probe, checkpoint } = row;
  const optional = (title: string, value: unknown): readonly string[] =>
    typeof value === 'string' && value !== '' ? [field(title, value)] : [];
  return [
    field('Call', `#${String(row.id)} ${row.toolName}`),
    field('Status', statusText(row), paintStatus(colours, row.status)),
    field('Effect', `${row.effect} (${row.effectClass}${classText(row.commandClass)})`),
    field('Issued', `${row.ts} (${relativeTime(Date.parse(row.ts), clock.now())})`),
    ...optional('Ended', endText(row)),
    field('Session', sessionText(row)),
    field('Turn', `${row.turnId}, call ${row.callId}, position ${String(row.ordinal)}`),
    field('Agent', `${row.agent}${ownerText(row)}`),
    field('Folder', displayPath(row.cwd)),
    ...optional('Paired', row.pairing === null ? '' : `by the name of the tool (${row.pairing})`),
    ...argumentLines(row.argsJson),
    ...optional('Result', row.resultDigest),
    ...verdictLines(getOwn(columns, 'verdicts_json')),
    ...optional('Policy', getOwn(columns, 'policy_rule')),
    ...(checkpoint === null
      ? []
      : [
          field('Checkpoint', checkpoint),
          field('Undo', `herma rollback --call ${String(row.id)}`, colours.accent),
        ]),
    ...(probe === undefined
      ? []
      : [field('Probe', `${probe.verdict}: ${probe.evidence}`, paintVerdict(colours, probe.verdict))]),
    ...optional('Reported', reportText(row)),
    ...optional('Revived', row.revivedAt),
    ...optional('Acknowledged', row.ackedAt),
    'History:',
    ...history.map(({ seq, kind, at }) => `  ${String(seq).padStart(6)}  ${at}  ${printableLine(kind)}`),
  ];
}

const TITLE = 14;

function field(title: string, value: string, paint: (text: string) => string = (text) => text): string {
  return `${`${title}:`.padEnd(TITLE)}${paint(printableLine(value))}`;
}

function classText(commandClass: string | null): string {
  return commandClass === null ? '' : `, ${commandClass}`;
}

function endText({ settledAt, durationMs }: StoredRow['row']): string {
  if (settledAt === null) return '';
  return durationMs === null ? settledAt : `${settledAt}, after ${String(durationMs)} ms`;
}

function sessionText({ sessionId, rootSessionId, parentSessionId }: StoredRow['row']): string {
  const root = rootSessionId === sessionId ? '' : `, of the lineage of ${rootSessionId}`;
  return `${sessionId}${root}${parentSessionId === null ? '' : `, child of ${parentSessionId}`}`;
}

function ownerText({ owner }: StoredRow['row']): string {
  return owner === undefined ? '' : `, process ${String(owner.pid)}`;
}

function reportText({ reportedAt, reportCount }: StoredRow['row']): string {
  if (reportedAt === null) return '';
  const times = reportCount === 1 ? 'once' : `${String(reportCount)} times`;
  return `${reportedAt}, told to the model ${reportCount === 0 ? 'not yet' : times}`;
}

/** JSON, indented; a text that is none as it is. */
function argumentLines(argsJson: string | null): readonly string[] {
  if (argsJson === null) return [field('Arguments', 'erased')];
  const parsed = parseJson(argsJson);
  const text = parsed.ok ? JSON.stringify(parsed.value, null, 2) : argsJson;
  return ['Arguments:', ...text.split('\n').map((line) => `  ${printableLine(line)}`)];
}

function verdictLines(value: unknown): readonly string[] {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  if (parsed?.ok !== true || !Array.isArray(parsed.value)) return [];
  const lines = parsed.value.flatMap((each) => {
    if (!isJsonObject(each)) return [];
    return [`  ${printableLine(`${getString(each, 'by') ?? '?'}: ${getString(each, 'verdict') ?? '?'}`)}`];
  });
  return lines.length === 0 ? [] : ['Verdicts:', ...lines];
}
