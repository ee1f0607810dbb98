import { type Failure, fail } from '../../../kernel/errors/index.ts';
import type { VerbContext } from '../verb.ts';

/** Why a command that changes what is known of an agent's calls does not run in that agent's shell; undefined outside of one. */
export function insideAgent(
  { environment }: Pick<VerbContext, 'environment'>,
  act: string,
): Failure | undefined {
  if ((environment['HERMA_SESSION'] ?? '') === '') return undefined;
  return fail(
    'inside_agent',
    `the journal is not for an agent to ${act}: HERMA_SESSION is set here`,
    'do it in a terminal of your own',
  );
}
