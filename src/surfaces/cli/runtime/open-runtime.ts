import { createRuntime, type Runtime, type RuntimeOptions } from '../../../app/index.ts';
import { type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Config, describeProblem, loadConfig } from '../../../platform/config/index.ts';
import { ensureHome } from '../../../platform/paths/index.ts';
import type { VerbContext } from '../verb.ts';

/** What a verb adds to what its context and the configuration say. */
export interface RuntimeChoices
  extends Pick<RuntimeOptions, 'surface'>,
    Partial<Pick<RuntimeOptions, 'model' | 'approve' | 'ask' | 'yolo' | 'onWarning' | 'cwd'>> {
  /** Changes the configuration, such as by options of the verb. */
  readonly adjust?: (config: Config) => Config;
}

/**
 * Builds a runtime for a verb from its home and its configuration. Fails, and nothing runs, when either cannot be used;
 * what a person should know besides goes to standard error. To be closed.
 */
export async function openRuntime(context: VerbContext, choices: RuntimeChoices): Promise<Result<Runtime>> {
  const { adjust = (config) => config, ...chosen } = choices;
  const home = ensureHome(context.paths.home);
  if (!home.ok) return home;
  const loaded = await loadConfig(context.paths.home, context.environment);
  if (!loaded.ok) return loaded;
  for (const line of [...home.value.warnings, ...loaded.problems.map(describeProblem)]) context.note(line);
  return succeed(
    createRuntime({
      paths: context.paths,
      config: adjust(loaded.config),
      environment: context.environment,
      cwd: chosen.cwd ?? context.workingDirectory(),
      clock: context.clock,
      onWarning: (line) => context.note(line),
      ...chosen,
    }),
  );
}
