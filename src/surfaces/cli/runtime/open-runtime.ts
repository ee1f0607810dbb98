import { createRuntime, type Runtime, type RuntimeOptions } from '../../../app/index.ts';
import { type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Config, describeProblem, loadConfig } from '../../../platform/config/index.ts';
import { ensureHome } from '../../../platform/paths/index.ts';
import type { VerbContext } from '../verb.ts';

/** What a verb adds to what its context and the configuration say. */
export interface RuntimeChoices
  extends Pick<RuntimeOptions, 'surface'>,
    Partial<
      Pick<RuntimeOptions, 'model' | 'approve' | 'approveHook' | 'ask' | 'yolo' | 'onWarning' | 'cwd'>
    > {
  /** Changes the configuration, such as by options of the verb. */
  readonly adjust?: (config: Config) => Config;
  /** Go on, with a warning, with a home that can be read and not be written. */
  readonly mayNotWrite?: boolean;
}

/** How `ensureHome` says that a home cannot be written. One that cannot be read either has no readable configuration. */
const UNWRITABLE: ReadonlySet<string> = new Set(['denied', 'read_only', 'disk_full']);

/**
 * Builds a runtime for a verb from its home and its configuration. Fails, and nothing runs, when either cannot be used;
 * what a person should know besides goes to standard error. To be closed.
 */
export async function openRuntime(context: VerbContext, choices: RuntimeChoices): Promise<Result<Runtime>> {
  const { adjust = (config) => config, mayNotWrite = false, ...chosen } = choices;
  const home = ensureHome(context.paths.home);
  if (!home.ok && !(mayNotWrite && UNWRITABLE.has(home.code))) return home;
  const loaded = await loadConfig(context.paths.home, context.environment);
  if (!loaded.ok) return loaded;
  const warnings = home.ok ? home.value.warnings : [home.message];
  for (const line of [...warnings, ...loaded.problems.map(describeProblem)]) context.note(line);
  return succeed(
    createRuntime({
      paths: context.paths,
      config: adjust(loaded.config),
      environment: context.environment,
      cwd: chosen.cwd ?? context.workingDirectory(),
      clock: context.clock,
      acceptHooks: context.acceptHooks,
      onWarning: (line) => context.note(line),
      ...chosen,
    }),
  );
}
