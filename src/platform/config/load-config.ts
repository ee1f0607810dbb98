import type { Failure } from '../../kernel/errors/index.ts';
import { type Environment, readEnvironment } from '../environment/index.ts';
import { homePaths } from '../paths/index.ts';
import type { Config } from './config.ts';
import { type ConfigProblem, describeProblem } from './config-problem.ts';
import { defaultConfig } from './default-config.ts';
import { readConfigText } from './read-config-text.ts';

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly ok: true;
  readonly config: Config;
  readonly file: string;
  /** False: there is no file, and everything is as by default. */
  readonly exists: boolean;
  /** Problems of severity `warning`, to be shown once. */
  readonly problems: readonly ConfigProblem[];
}

/** A configuration that the program does not run on. The message is about the first error. */
export interface BadConfig extends Failure<'bad_config'> {
  readonly file: string;
  /** All of them, in the order of their lines. */
  readonly problems: readonly ConfigProblem[];
}

export type Loaded = LoadedConfig | BadConfig;

/**
 * Reads `config.yaml` in `home`. Fails closed: with one error in the file there is no configuration, never a default in
 * its place. Without a file everything is as by default, and neither the YAML reader nor the schema is loaded.
 *
 * @param home absolute.
 * @param environment what `${NAME}` in the settings of MCP servers stands for.
 */
export async function loadConfig(
  home: string,
  environment: Environment = readEnvironment(),
): Promise<Loaded> {
  const file = homePaths(home).config;
  const read = await readConfigText(file);
  if (!read.ok) return badConfig(file, [read.problem]);
  const { exists, text } = read.value;
  if (!exists) return { ok: true, config: defaultConfig, file, exists, problems: [] };
  const { validateConfig } = await import('./validate-config.ts');
  const { config, problems } = validateConfig(text, file, environment);
  return config === undefined ? badConfig(file, problems) : { ok: true, config, file, exists, problems };
}

function badConfig(file: string, problems: readonly ConfigProblem[]): BadConfig {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more: \`herma config check\`)` : '';
  return {
    ok: false,
    code: 'bad_config',
    message: (first === undefined ? `${file} cannot be used` : describeProblem(first)) + more,
    remedy: first?.remedy ?? 'correct the file',
    file,
    problems,
  };
}
