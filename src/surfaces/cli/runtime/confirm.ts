import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';

type Asker = Pick<VerbContext, 'yes' | 'isInteractive' | 'stdin' | 'stderr' | 'signal'>;

/**
 * Whether a person agrees. `--yes` agrees without asking; anything but a typed yes is a no. Fails, which is no agreement
 * either, when there is nobody to ask.
 *
 * @param what what is about to be done, as a question: `Withdraw all 3 approvals?`
 */
export async function confirm(context: Asker, what: string): Promise<Result<boolean>> {
  if (context.yes) return succeed(true);
  if (!context.isInteractive)
    return fail('not_confirmed', `Nobody is here to answer: ${what}`, 'Add -y to answer with yes.');
  // Not as a terminal: then Ctrl-C stays a signal, which ends the program as it does everywhere else.
  const lines = createInterface({ input: context.stdin, output: context.stderr.stream, terminal: false });
  const leaving = once(lines, 'close').then(() => '');
  try {
    const asked = lines.question(`${printableLine(what)} [y/N] `, { signal: context.signal });
    const answer = await Promise.race([asked, leaving]);
    return succeed(/^y(es)?$/i.test(answer.trim()));
  } finally {
    lines.close();
  }
}
