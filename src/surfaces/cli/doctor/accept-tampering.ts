import { protectedPaths, TamperRecords } from '../../../gate/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { confirm } from '../runtime/confirm.ts';
import type { VerbContext } from '../verb.ts';
import { tamperText } from './tamper-text.ts';

/**
 * Shows what is recorded of changes to Herma's own files, asks, and lifts the blocks. Fails closed: without a person at a
 * terminal, or inside the shell of an agent, nothing is lifted; `--yes` does not answer this question.
 */
export async function acceptTampering(context: VerbContext): Promise<ExitCode> {
  if ((context.environment['HERMA_SESSION'] ?? '') !== '') {
    const remedy = 'Run it in a shell of your own.';
    return context.fail(
      fail('inside_agent', 'This is not for an agent to accept: HERMA_SESSION is set here.', remedy),
    );
  }
  const store = new TamperRecords(protectedPaths(context.paths).records, randomId);
  const records = store.list();
  if (!records.ok) return context.fail(records);
  const { length } = records.value;
  if (length > 0) {
    if (!context.isInteractive)
      return context.fail(
        fail('not_confirmed', 'A person has to look at the changes.', 'Run it in a terminal.'),
      );
    for (const line of (await Promise.all(records.value.map(tamperText))).flat()) context.note(line);
    const question = `Lift the block of ${length === 1 ? '1 session' : `${String(length)} sessions`}? What was put back stays`;
    const { isInteractive, stdin, stderr, signal } = context;
    const agreed = await confirm({ yes: false, isInteractive, stdin, stderr, signal }, question);
    if (!agreed.ok) return context.fail(agreed);
    if (!agreed.value) return finish(context, 0, EXIT.no);
  }
  for (const record of records.value) {
    const removed = store.remove(record);
    if (!removed.ok) return context.fail(removed);
  }
  return finish(context, length, EXIT.done);
}

function finish(context: VerbContext, accepted: number, code: ExitCode): ExitCode {
  if (context.json) context.printJson({ accepted });
  else if (code === EXIT.no) context.print('nothing was accepted');
  else context.print(accepted === 0 ? 'there is nothing to accept' : 'accepted: the block is lifted');
  return code;
}
