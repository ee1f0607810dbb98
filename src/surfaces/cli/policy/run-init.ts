import { displayPath, ensureHome } from '../../../platform/paths/index.ts';
import { PolicyStore } from '../../../safety/policy/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';

/** `herma policy init`: writes the example, and a policy where there is none. */
export async function runInit(context: VerbContext): Promise<ExitCode> {
  const home = ensureHome(context.paths.home);
  if (!home.ok) return context.fail(home);
  const store = new PolicyStore(context.paths);
  const made = await store.init();
  if (!made.ok) return context.fail(made);
  const { policy, example } = made;
  const { mode } = await store.current();
  if (context.json) {
    context.printJson({ policy: { path: policy.path, new: policy.isNew }, example: example.path, mode });
    return EXIT.done;
  }
  context.print(
    policy.isNew ? `wrote ${displayPath(policy.path)}` : `${displayPath(policy.path)} is kept as it is`,
  );
  context.print(`wrote ${displayPath(example.path)}`);
  if (mode === 'off')
    context.print('The mode is off: `herma policy mode dry_run` records what the rules would stop.');
  return EXIT.done;
}
