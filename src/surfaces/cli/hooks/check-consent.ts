import type { ConsentCheck, ShellHook } from '../../../safety/hooks/index.ts';
import type { OpenedHooks } from './open-hooks.ts';

/** Whether a hook may run now; never for a command that cannot be split into words. */
export async function checkConsent(
  shell: OpenedHooks['shell'],
  hook: ShellHook,
  signal: AbortSignal,
): Promise<ConsentCheck> {
  const subject = shell.subjectOf(hook);
  if (subject !== undefined) return shell.consent.check(subject, signal);
  const reason = 'its command cannot be split into words';
  return { state: 'script_missing', mayRun: false, reason, notes: [] };
}
