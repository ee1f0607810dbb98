import { PolicyStore } from '../../../safety/policy/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Journal } from '../ledger/open-journal.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { reportDocument, reportLines, reportOf } from './decision-report.ts';
import { setMode } from './run-mode.ts';

/** `herma policy mode enforce`: shows what the rules would have stopped, and asks. */
export async function runEnforce(context: VerbContext, { ledger, settings }: Journal): Promise<ExitCode> {
  const report = await reportOf(ledger, undefined);
  if (!report.ok) return context.fail(report);
  for (const line of reportLines(report.value, context)) context.note(line);
  if (report.value.total === 0)
    context.note(
      settings.enabled
        ? 'In the mode dry_run it is recorded what the rules would stop.'
        : 'ledger.enabled is false: decisions are not recorded',
    );
  const agreed = await confirm(context, 'Enforce the policy from the next call on?');
  if (!agreed.ok) return context.fail(agreed);
  if (agreed.value) return setMode(context, 'enforce', { report: reportDocument(report.value) });
  const { mode } = await new PolicyStore(context.paths).current();
  if (context.json) context.printJson({ mode, set: false, report: reportDocument(report.value) });
  else context.print(`the mode is still ${mode}`);
  return EXIT.no;
}
