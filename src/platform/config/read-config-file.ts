import { type Failure, fail } from '../../kernel/errors/index.ts';
import type { Environment } from '../environment/index.ts';
import type { ConfigProblem } from './config-problem.ts';
import { describeProblem } from './config-problem.ts';
import { type CanonicalValue, toCanonical } from './hermes-names.ts';
import { type ConfigText, readConfigText } from './read-config-text.ts';
import { validateConfig } from './validate-config.ts';
import type { YamlDocument } from './yaml-document.ts';

/** A `config.yaml` that is YAML; what it says may still be wrong. */
export interface ConfigFile {
  readonly ok: true;
  readonly text: ConfigText;
  readonly yaml: YamlDocument;
  readonly canonical: CanonicalValue;
  readonly problems: readonly ConfigProblem[];
}

/** Reads the file for looking at it or changing it. Fails when it cannot be read or is no YAML. */
export async function readConfigFile(
  file: string,
  environment: Environment,
): Promise<ConfigFile | Failure<'bad_config'>> {
  const read = await readConfigText(file);
  if (!read.ok) return failure(read.problem);
  const { yaml, problems } = validateConfig(read.value.text, file, environment);
  if (yaml === undefined) return failure(problems[0]);
  const value = typeof yaml.value === 'object' && yaml.value !== null ? { ...yaml.value } : {};
  return { ok: true, text: read.value, yaml, canonical: toCanonical(value), problems };
}

function failure(problem: ConfigProblem | undefined): Failure<'bad_config'> {
  return problem === undefined
    ? fail('bad_config', 'the configuration cannot be read')
    : fail('bad_config', describeProblem(problem), problem.remedy);
}
