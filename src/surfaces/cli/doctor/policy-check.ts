import { loadConfig } from '../../../platform/config/index.ts';
import { type PolicyState, PolicyStore } from '../../../safety/policy/index.ts';
import { type DoctorCheck, type DoctorFinding, finding } from './doctor-check.ts';

/** Which policy is in force, and whether it is the one that was written. */
export const policyCheck: DoctorCheck = {
  name: 'policy',
  run: async ({ paths, environment }) => {
    const loaded = await loadConfig(paths.home, environment);
    if (!loaded.ok) return finding('problem', 'unknown, because the configuration cannot be used', undefined);
    return judgePolicy(await new PolicyStore(paths).current(), loaded.config.policy.floors);
  },
};

const SOURCES = {
  builtin: 'built-in rules',
  file: 'policy.json',
  last_good: 'the last policy.json that could be used',
};

export function judgePolicy(
  { mode, source, problems, warnings }: Pick<PolicyState, 'mode' | 'source' | 'problems' | 'warnings'>,
  hasFloors: boolean,
): DoctorFinding {
  const rules = mode === 'off' ? 'only the floors hold' : SOURCES[source];
  const [problem] = problems;
  if (problem !== undefined)
    return finding(
      'problem',
      `${mode}; policy.json cannot be used: ${problem.where}: ${problem.message}`,
      '`herma policy test` shows all that is wrong with it',
    );
  const [warning] = warnings;
  if (warning !== undefined) return finding('warn', `${mode}; ${warning}`, undefined);
  if (!hasFloors)
    return finding(
      'warn',
      `${mode}; policy.floors is false: a disaster is stopped only where the rules are enforced`,
      'set it to true, except in a container that is thrown away',
    );
  return finding('ok', `${mode}; ${rules}`, undefined);
}
