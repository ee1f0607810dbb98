import { describeRow } from '../../../app/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { eraseRow } from '../../../safety/ledger/index.ts';
import { abort } from '../checkpoints/run-prune.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { readCallId } from './call-id.ts';
import type { Journal } from './open-journal.ts';
import { insideAgent } from './refuse-agent.ts';

/** `herma ledger erase`: takes arguments and result of one call away, after asking; that the call was there stays. */
export async function runErase(context: VerbContext, { ledger }: Journal, typed: string): Promise<ExitCode> {
  const refusal = insideAgent(context, 'erase');
  if (refusal !== undefined) return context.fail(refusal);
  const id = readCallId(typed);
  if (!id.ok) return context.fail(id);
  const row = ledger.file.exists ? await ledger.row(id.value) : undefined;
  if (row?.ok === false) return context.fail(row);
  if (row?.value === undefined)
    return context.fail(
      fail('unknown_row', `There is no call #${String(id.value)} in the journal.`, '`herma ledger list`'),
    );
  const what = `call #${String(id.value)} (${printableLine(describeRow(row.value))})`;
  const agreed = await confirm(context, `Erase what is recorded of ${what}, for good?`);
  if (!agreed.ok) return context.fail(agreed);
  if (!agreed.value) return abort(context);
  const erased = await eraseRow(ledger, id.value, context.clock);
  if (!erased.ok) return context.fail(erased);
  if (context.json) context.printJson({ id: id.value });
  else context.print(`erased: #${String(id.value)}`);
  return EXIT.done;
}
