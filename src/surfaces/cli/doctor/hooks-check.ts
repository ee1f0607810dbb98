import { createRuntime } from '../../../app/index.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { consentStatus } from '../../../safety/hooks/index.ts';
import { checkConsent } from '../hooks/check-consent.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';

const REMEDY = '`herma hooks doctor` says more';

/** Whether the configured hooks may run. Runs none of them: `herma hooks doctor` does. */
export const hooksCheck: DoctorCheck = {
  name: 'hooks',
  run: async ({ paths, environment, clock, workingDirectory }, signal) => {
    const loaded = await loadConfig(paths.home, environment);
    if (!loaded.ok) return finding('problem', 'unknown, because the configuration cannot be used', undefined);
    const { config } = loaded;
    if (config.hooks.shell.length === 0) return finding('ok', 'none are configured', undefined);
    const runtime = createRuntime({
      surface: 'doctor',
      paths,
      config,
      environment,
      cwd: workingDirectory,
      clock,
      onWarning: () => undefined,
    });
    try {
      const { shellHooks } = runtime;
      const checks = await Promise.all(
        shellHooks.hooks.map(async (hook) => ({ hook, check: await checkConsent(shellHooks, hook, signal) })),
      );
      const count = checks.length === 1 ? '1 is' : `${String(checks.length)} are`;
      const refused = checks.filter(({ check }) => !check.mayRun);
      const [first] = refused;
      if (first !== undefined) {
        const { hook, check } = first;
        const others = refused.length === 1 ? '' : `, and ${String(refused.length - 1)} more`;
        const status = consentStatus(check);
        const message = `${count} configured; ${hook.command} does not run (${status})${others}`;
        return finding('problem', message, REMEDY);
      }
      return shellHooks.mode === 'path'
        ? finding('warn', `${count} configured; hooks_consent is path: changed scripts run`, REMEDY)
        : finding('ok', `${count} configured and may run`, undefined);
    } finally {
      await runtime.close();
    }
  },
};
