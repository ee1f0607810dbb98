import { createRuntime } from '../../../app/index.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import type { StoreStatus } from '../../../safety/checkpoints/index.ts';
import { byteSize } from '../output/byte-size.ts';
import { type DoctorCheck, type DoctorFinding, finding } from './doctor-check.ts';

/** Whether checkpoints are taken, and what is wrong with those that were. Reads no contents: `verify` does. */
export const checkpointsCheck: DoctorCheck = {
  name: 'checkpoints',
  run: async ({ paths, environment, clock }) => {
    const loaded = await loadConfig(paths.home, environment);
    if (!loaded.ok) return finding('problem', 'unknown, because the configuration cannot be used', undefined);
    const { config } = loaded;
    const onOff = config.checkpoints.enabled ? 'on' : 'off';
    const stored = await statPath(paths.checkpointStore);
    if (!stored.ok) return finding('problem', stored.message, stored.remedy);
    if (stored.value === undefined) return finding('ok', `${onOff}; none yet`, undefined);
    const onWarning = (): void => undefined;
    const runtime = createRuntime({
      surface: 'doctor',
      paths,
      config,
      environment,
      cwd: paths.home,
      clock,
      onWarning,
    });
    try {
      const store = await runtime.checkpoints();
      if (!store.ok) return finding('problem', store.message, store.remedy);
      return judge(await store.value.status(), onOff);
    } finally {
      await runtime.close();
    }
  },
};

/** What the numbers of a store say; `onOff` is what the configuration says. */
export function judge(status: StoreStatus, onOff: 'on' | 'off'): DoctorFinding {
  const { bytes, projects, problems, isOverCap } = status;
  const [problem] = problems;
  if (problem !== undefined)
    return finding('problem', problem, '`herma checkpoints repair` mends what can be mended');
  const count = projects.length === 1 ? '1 project' : `${String(projects.length)} projects`;
  const summary = `${onOff}; ${byteSize(bytes)} for ${count}`;
  if (isOverCap)
    return finding('warn', `${summary}, over the cap`, '`herma checkpoints prune` drops the oldest');
  const partial = projects.find(({ notice }) => notice !== undefined);
  if (partial?.notice !== undefined)
    return finding('warn', `${summary}; ${partial.workdir}: ${partial.notice}`, undefined);
  return finding('ok', summary, undefined);
}
