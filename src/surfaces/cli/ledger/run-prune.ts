import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type PrunedLedger, pruneLedger, type Retention } from '../../../safety/ledger/index.ts';
import { abort } from '../checkpoints/run-prune.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import type { Journal } from './open-journal.ts';
import { insideAgent } from './refuse-agent.ts';
import { readSpan } from './time-span.ts';

/** What is to go, as it was typed; the configuration says what is left out. */
export interface PruneRequest {
  readonly olderThan: string | undefined;
  readonly keep: number | undefined;
  readonly isDryRun: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `herma ledger prune`: removes old rows, after asking. Open ghosts stay. */
export async function runPrune(
  context: VerbContext,
  { ledger, settings }: Journal,
  request: PruneRequest,
): Promise<ExitCode> {
  const { isDryRun } = request;
  const refusal = isDryRun ? undefined : insideAgent(context, 'prune');
  if (refusal !== undefined) return context.fail(refusal);
  const retention = retentionOf(request, settings);
  if (!retention.ok) return context.fail(retention);
  if (!ledger.file.exists) return tell(context, { rows: 0, entries: 0, kept: 0 }, isDryRun);
  const wanted = { ...retention.value, nowMs: context.clock.now() };
  const counts = await pruneLedger(ledger, { ...wanted, dryRun: true });
  if (!counts.ok) return context.fail(counts);
  if (isDryRun || counts.value.rows === 0) return tell(context, counts.value, isDryRun);
  const agreed = await confirm(context, `Remove ${counted(counts.value.rows, 'call')} from the journal?`);
  if (!agreed.ok) return context.fail(agreed);
  if (!agreed.value) return abort(context);
  const pruned = await working(context, 'pruning', () => pruneLedger(ledger, wanted));
  return pruned.ok ? tell(context, pruned.value, false) : context.fail(pruned);
}

function retentionOf(
  { olderThan, keep }: PruneRequest,
  settings: Journal['settings'],
): Result<Retention, 'usage'> {
  const maxRows = keep ?? settings.maxRows;
  if (olderThan === undefined) return succeed({ maxAgeMs: settings.retentionDays * DAY_MS, maxRows });
  const span = readSpan(olderThan);
  if (!span.ok) return span;
  if (span.value === 0)
    return fail('usage', '--older-than needs a time that is not 0', 'herma ledger prune --older-than 30d');
  return succeed({ maxAgeMs: span.value, maxRows });
}

function tell(context: VerbContext, { rows, entries, kept }: PrunedLedger, isDryRun: boolean): ExitCode {
  if (context.json) context.printJson({ dry_run: isDryRun, rows, entries, kept });
  else {
    if (rows === 0) context.print('Nothing to prune.');
    else if (isDryRun) context.print(`Would remove ${counted(rows, 'call')}.`);
    else context.print(`Removed ${counted(rows, 'call')}.`);
    if (kept > 0)
      context.print(
        `${counted(kept, 'old call')} ${kept === 1 ? 'stays' : 'stay'}: nobody knows how they ended.`,
      );
  }
  return EXIT.done;
}
