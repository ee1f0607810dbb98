import type { JsonObject } from '../../../kernel/json/index.ts';
import { ensureHome } from '../../../platform/paths/index.ts';
import { type PolicyMode, PolicyStore } from '../../../safety/policy/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';

/** `herma policy mode`: prints the mode that is set. */
export async function showMode(context: VerbContext): Promise<ExitCode> {
  const { mode, source, problems, warnings } = await new PolicyStore(context.paths).current();
  for (const line of warnings) context.note(printableLine(line));
  if (context.json)
    context.printJson({ mode, source, problems: problems.map(({ where, message }) => ({ where, message })) });
  else context.print(mode);
  return EXIT.done;
}

/** Sets a mode, without a question. `more` is added to the document of `--json`. */
export async function setMode(
  context: VerbContext,
  mode: PolicyMode,
  more: JsonObject = {},
): Promise<ExitCode> {
  const home = ensureHome(context.paths.home);
  if (!home.ok) return context.fail(home);
  const store = new PolicyStore(context.paths);
  const before = await store.current();
  const set = await store.setMode(mode);
  if (!set.ok) return context.fail(set);
  const { warnings } = await store.current();
  for (const line of warnings) context.note(printableLine(line));
  if (context.json) context.printJson({ mode, set: true, before: before.mode, ...more });
  else context.print(`mode ${mode} (before: ${before.mode})`);
  return EXIT.done;
}
