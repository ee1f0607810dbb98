import { EXIT, type ExitCode } from '../exit-code.ts';
import { nothingYet } from '../ledger/nothing-yet.ts';
import type { Journal } from '../ledger/open-journal.ts';
import { readMoment } from '../ledger/time-span.ts';
import type { VerbContext } from '../verb.ts';
import { reportDocument, reportLines, reportOf } from './decision-report.ts';

/** `herma policy report`: what was refused or asked about, and what would have been. */
export async function runReport(
  context: VerbContext,
  { ledger, settings }: Journal,
  since: string | undefined,
): Promise<ExitCode> {
  const moment = since === undefined ? undefined : readMoment(since, context.clock.now());
  if (moment?.ok === false) return context.fail(moment);
  const report = await reportOf(ledger, moment?.value);
  if (!report.ok) return context.fail(report);
  if (!settings.enabled) context.note('ledger.enabled is false: decisions are not recorded');
  if (!ledger.file.exists) return nothingYet(context, reportDocument(report.value));
  if (context.json)
    context.printJson({
      since: moment === undefined ? null : new Date(moment.value).toISOString(),
      ...reportDocument(report.value),
    });
  else for (const line of reportLines(report.value, context)) context.print(line);
  return EXIT.done;
}
