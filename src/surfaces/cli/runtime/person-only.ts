import { fail } from '../../../kernel/errors/index.ts';
import type { ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';

type Run = (context: VerbContext) => Promise<ExitCode>;

/**
 * A verb that changes what guards the person: in the shell of an agent, where `HERMA_SESSION` is set, it refuses and does
 * nothing.
 *
 * @param what the things it changes, and `verb` what it does to them, as in "plugins are not for an agent to enable".
 */
export function personOnly({ what, verb }: { readonly what: string; readonly verb: string }, run: Run): Run {
  return async (context) => {
    if ((context.environment['HERMA_SESSION'] ?? '') === '') return run(context);
    const message = `${what} are not for an agent to ${verb}: HERMA_SESSION is set here`;
    return context.fail(fail('inside_agent', message, 'do it in a terminal of your own'));
  };
}
