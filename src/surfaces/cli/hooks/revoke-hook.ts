import { fail } from '../../../kernel/errors/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import type { OpenedHooks } from './open-hooks.ts';

/** `hooks revoke`: takes back the consent to a command, for all its events. */
export async function revokeHook(
  context: VerbContext,
  { shell }: OpenedHooks,
  command: string,
): Promise<ExitCode> {
  const revoked = await shell.consent.revoke(command, context.signal);
  if (!revoked.ok) return context.fail(revoked);
  const count = revoked.value;
  if (count === 0)
    return context.fail(
      fail(
        'not_found',
        `No approval of ${JSON.stringify(printableLine(command))} was found.`,
        'Give the command exactly as `herma hooks list` shows it, in quotes.',
      ),
    );
  if (context.json) context.printJson({ command: command.trim(), revoked: count });
  else
    context.print(
      `revoked: ${count === 1 ? '1 approval' : `${String(count)} approvals`} of ${printableLine(command.trim())}; it does not run any more, in running agents too`,
    );
  return EXIT.done;
}
