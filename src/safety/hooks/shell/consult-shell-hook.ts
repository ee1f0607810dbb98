import { messageOf } from '../../../kernel/errors/index.ts';
import { type Environment, freezeVariables } from '../../../platform/environment/index.ts';
import { commandWords } from './command-words.ts';
import { hookLabel } from './hook-label.ts';
import type { HookDocument } from './hook-payload.ts';
import { type HookAnswer, type HookProblem, readAnswer } from './read-answer.ts';
import { notStarted, runShellHook, type ShellRun } from './run-shell-hook.ts';
import { MAX_HOOK_TIMEOUT_MS, type ShellHook } from './shell-hook.ts';
import type { HookPermission, ShellHookPorts } from './shell-hook-ports.ts';

/** What came of asking a hook. */
export type HookRun =
  | {
      readonly type: 'ran';
      /** Exactly what the script got to read. */
      readonly stdin: string;
      readonly run: ShellRun;
      readonly answer: HookAnswer;
      /** What a person is told about it, one line each. */
      readonly warnings: readonly string[];
    }
  | Refusal;

/** It was not started. */
interface Refusal {
  readonly type: 'not_permitted';
  readonly reason: string;
}

type RunPorts = Pick<ShellHookPorts, 'permit' | 'environment' | 'home' | 'userHome'>;

/**
 * Asks one shell hook, whatever its matcher: its permission, then the script, then what the script answered. It runs in the
 * directory of the document, or in Herma's home when that one is gone. Rejects only when `signal` is aborted.
 */
export async function consultShellHook(
  hook: ShellHook,
  document: HookDocument,
  ports: RunPorts,
  signal: AbortSignal,
): Promise<HookRun> {
  const label = hookLabel(hook.command);
  const stdin = JSON.stringify(document);
  const timeoutMs = Math.min(hook.timeoutMs, MAX_HOOK_TIMEOUT_MS);
  const conclude = (run: ShellRun, warnings: readonly string[] = []): HookRun => {
    const answer = readAnswer({ ...hook, timeoutMs }, label, run);
    return { type: 'ran', stdin, run, answer, warnings: [...warnings, ...warningsOf(label, answer)] };
  };
  const words = commandWords(hook.command, ports.userHome);
  if (!words.ok) {
    const message =
      words.code === 'empty_command' ? 'it has no command' : 'its command cannot be split into words';
    return conclude(notStarted({ message, detail: words.message }));
  }
  const env = environmentOf(hook, ports);
  const attempt = async (cwd: string): Promise<ShellRun | Refusal> => {
    const invocation = { ...words.value, cwd, searchPath: env['PATH'] };
    const permission = await askPermission(() => ports.permit(hook, invocation, signal));
    signal.throwIfAborted();
    if (!permission.ok) return { type: 'not_permitted', reason: permission.reason };
    return runShellHook({ ...words.value, stdin, cwd, env, timeoutMs, signal });
  };
  const wanted = document.cwd === '' ? ports.home : document.cwd;
  const first = await attempt(wanted);
  if ('type' in first) return first;
  if (first.error?.isPlaceMissing !== true) return conclude(first);
  const second = await attempt(ports.home);
  const warning = `hook ${label}: ${wanted} is no directory that can be entered, so it ran in ${ports.home}`;
  return 'type' in second ? second : conclude(second, [warning]);
}

async function askPermission(ask: () => Promise<HookPermission>): Promise<HookPermission> {
  try {
    return await ask();
  } catch (error) {
    return { ok: false, reason: `could not be checked for approval: ${messageOf(error)}` };
  }
}

function environmentOf(hook: ShellHook, { environment, home }: RunPorts): Environment {
  return freezeVariables([
    ...Object.entries(environment(hook.env)),
    ['HERMA_HOME', home],
    ['HERMES_HOME', home],
    // A folder that a person approved holds the same files after a run as before.
    ['PYTHONDONTWRITEBYTECODE', '1'],
  ]);
}

function warningsOf(label: string, { problems, isFailedClosed }: HookAnswer): readonly string[] {
  return problems
    .filter(({ isQuiet }) => isFailedClosed || isQuiet !== true)
    .map((problem) => `hook ${label} ${inFull(problem)}`);
}

function inFull({ text, detail }: HookProblem): string {
  return detail === undefined ? text : `${text}: ${detail.replaceAll(/\s+/g, ' ')}`;
}
