import { describeProblem, loadConfig } from '../../../platform/config/index.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';

export const configCheck: DoctorCheck = {
  name: 'config',
  run: async ({ paths, environment }) => {
    const loaded = await loadConfig(paths.home, environment);
    if (!loaded.ok) return finding('problem', loaded.message, loaded.remedy);
    const [first] = loaded.problems;
    if (first !== undefined) return finding('warn', describeProblem(first), first.remedy);
    return finding(
      'ok',
      loaded.exists ? `${loaded.file} is fine` : 'no config.yaml: everything is as by default',
      undefined,
    );
  },
};
