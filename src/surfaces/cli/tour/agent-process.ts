import { readTextFile } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { type RunningProcess, runProcess, startProcess } from '../../../platform/process/index.ts';
import type { Stage } from './act.ts';

/** How long a step of an act may take, in milliseconds. */
const LIMIT_MS = 15_000;
const POLL_MS = 20;
const LIMITS = { maxStdoutBytes: 100_000, maxStderrBytes: 100_000, keep: 'head-and-tail' } as const;

/** Starts the program on the stage, in a process of its own. */
export function startAgent(stage: Stage, args: readonly string[]): ReturnType<typeof startProcess> {
  return startProcess({ ...herma(stage, args), ...LIMITS });
}

/** Runs the program to its end; gives back what it printed. */
export async function runAgent(stage: Stage, args: readonly string[]): Promise<string> {
  const { stdoutText } = await runProcess({
    ...herma(stage, args),
    ...LIMITS,
    timeoutMs: LIMIT_MS,
    signal: stage.context.signal,
  });
  return stdoutText.trim();
}

/** Waits for the process id that a call leaves in a file of the project; undefined when the agent ends before, or it takes too long. */
export async function whenRunning(
  stage: Stage,
  agent: RunningProcess,
  file: string,
): Promise<number | undefined> {
  const { clock, signal } = stage.context;
  const deadline = clock.monotonicMs() + LIMIT_MS;
  while (agent.isRunning && clock.monotonicMs() < deadline) {
    const pid = await pidIn(stage, file);
    if (pid !== undefined) return pid;
    await clock.sleep(POLL_MS, signal);
  }
  return undefined;
}

/** The process id in a file of the project; undefined while there is none. */
export async function pidIn({ project }: Stage, file: string): Promise<number | undefined> {
  const read = await readTextFile(resolvePath(project, file));
  const pid = read.ok && read.value.text.endsWith('\n') ? Number(read.value.text) : 0;
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function herma(
  { context, home, project, program }: Stage,
  args: readonly string[],
): Pick<Parameters<typeof startProcess>[0], 'command' | 'args' | 'cwd' | 'env'> {
  return {
    command: program.command,
    args: [...program.args, ...args],
    cwd: project,
    env: { ...context.environment, HERMA_HOME: home },
  };
}
