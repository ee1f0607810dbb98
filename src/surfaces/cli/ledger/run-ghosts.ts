import { describeRow } from '../../../app/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { age, type Ghost, type ProbeVerdict, rowsById } from '../../../safety/ledger/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Colours } from '../output/colours.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { working } from '../rollback/working.ts';
import type { VerbContext } from '../verb.ts';
import type { Journal } from './open-journal.ts';

/** `herma ledger ghosts`: calls that never ended as far as is known. 1 when there are some. */
export async function runGhosts(
  context: VerbContext,
  { ledger, watch }: Journal,
  { probe }: { readonly probe: boolean },
): Promise<ExitCode> {
  if (!ledger.file.exists) return tell(context, [], new Map());
  const ghosts = await working(context, probe ? 'looking at the world' : 'looking', () =>
    watch.ghosts({ probe }),
  );
  if (!ghosts.ok) return context.fail(ghosts);
  const rows = await rowsById(
    ledger,
    ghosts.value.map(({ row }) => row.id),
  );
  if (!rows.ok) return context.fail(rows);
  return tell(context, ghosts.value, new Map([...rows.value].map(([id, { columns }]) => [id, columns])));
}

function tell(
  context: VerbContext,
  ghosts: readonly Ghost[],
  columns: ReadonlyMap<number, JsonObject>,
): ExitCode {
  if (context.json)
    context.printJson(
      ghosts.map(({ row, probe }) => ({
        ...columns.get(row.id),
        probe: probe === undefined ? null : { verdict: probe.verdict, evidence: probe.evidence },
      })),
    );
  else if (ghosts.length === 0) context.print('No ghosts: of every call it is known how it ended.');
  else for (const line of ghostTable(ghosts, context)) context.print(line);
  if (ghosts.length === 0) return EXIT.done;
  context.note('`herma ledger show ID` tells all of one, `herma ledger ack ID` takes it off this list.');
  return EXIT.no;
}

function ghostTable(ghosts: readonly Ghost[], { colours, stdout }: VerbContext): readonly string[] {
  const columns: readonly Column<Ghost>[] = [
    { title: 'ID', text: ({ row }) => String(row.id), align: 'right' },
    { title: 'AGE', text: ({ ageMs }) => age(ageMs) },
    { title: 'STATUS', text: ({ row }) => row.status },
    {
      title: 'PROBE',
      text: ({ probe }) => probe?.verdict ?? 'not probed',
      paint: (text, { probe }) => paintVerdict(colours, probe?.verdict)(text),
    },
    { title: 'CALL', text: ({ row }) => describeRow(row), shrinks: true },
    { title: 'EVIDENCE', text: ({ probe }) => probe?.evidence ?? '', shrinks: true },
  ];
  return formatTable(ghosts, columns, { columns: stdout.columns, paintTitle: colours.strong });
}

/** The colour of what a look at the world said. */
export function paintVerdict(colours: Colours, verdict: ProbeVerdict | undefined): (text: string) => string {
  switch (verdict) {
    case 'LANDED':
      return colours.good;
    case 'NOT_LANDED':
      return colours.bad;
    case 'PARTIAL':
      return colours.warning;
    case 'UNKNOWN':
    case undefined:
      return colours.faint;
  }
}
