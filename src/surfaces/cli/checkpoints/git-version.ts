import { runProcess } from '../../../platform/process/index.ts';
import type { VerbContext } from '../verb.ts';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 4096;

/** The version of the git on this machine; undefined when there is none that answers. */
export async function gitVersion({ environment, signal }: VerbContext): Promise<string | undefined> {
  const { exitCode, stdoutText, spawnError } = await runProcess({
    command: 'git',
    args: ['--version'],
    cwd: '/',
    env: { ...environment, LC_ALL: 'C' },
    maxStdoutBytes: MAX_OUTPUT_BYTES,
    maxStderrBytes: MAX_OUTPUT_BYTES,
    keep: 'head',
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (spawnError !== undefined || exitCode !== 0) return undefined;
  return /^git version (\S+)/.exec(stdoutText)?.[1];
}
