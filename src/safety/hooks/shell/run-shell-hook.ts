import { abortReason } from '../../../platform/clock/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';
import { runProcess, type SpawnErrorCode } from '../../../platform/process/index.ts';
import type { CommandWords } from './command-words.ts';

export const MAX_STDOUT_BYTES = 1024 * 1024;
export const MAX_STDERR_BYTES = 64 * 1024;

export interface ShellRunOptions extends CommandWords {
  /** Everything the script reads on standard input. */
  readonly stdin: string;
  readonly cwd: string;
  /** The whole environment of the script. */
  readonly env: Environment;
  /** Milliseconds, above 0. */
  readonly timeoutMs: number;
  /** Ends the script; the run then rejects with its reason. */
  readonly signal: AbortSignal;
}

/** Why a script did not run. */
export interface ShellRunError {
  /** Without names: may be shown to the model. */
  readonly message: string;
  /** With names and the remedy, for the person. */
  readonly detail: string;
  /** The directory it was to run in cannot be used. */
  readonly isPlaceMissing?: boolean;
}

/** How a script ended. Bytes that are no UTF-8 read as U+FFFD. */
export interface ShellRun {
  /** Null when a signal ended it or it did not run. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The stream of which only the beginning was kept; null when both were kept in full. */
  readonly overflow: 'stdout' | 'stderr' | null;
  readonly error: ShellRunError | null;
  readonly elapsedMs: number;
}

/** A run that could not begin. */
export function notStarted(error: ShellRunError): ShellRun {
  return {
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
    timedOut: false,
    overflow: null,
    error,
    elapsedMs: 0,
  };
}

/**
 * Runs the script of a hook to its end, in a process group of its own. When its time is up the whole tree gets SIGTERM, two
 * seconds later SIGKILL, and the run resolves when it is gone. A script that does not read its input, and a child it leaves
 * behind with its output still open, hold nobody up: the child is left alone.
 *
 * What goes wrong is in the value. Rejects only when `signal` is aborted.
 */
export async function runShellHook({
  program,
  args,
  signal,
  ...options
}: ShellRunOptions): Promise<ShellRun> {
  const result = await runProcess({
    ...options,
    command: program,
    args,
    signal,
    maxStdoutBytes: MAX_STDOUT_BYTES,
    maxStderrBytes: MAX_STDERR_BYTES,
    keep: 'head',
  });
  if (result.aborted) throw abortReason(signal);
  const { spawnError } = result;
  if (spawnError !== undefined) {
    return notStarted({
      message: REASONS[spawnError.code],
      detail: `${spawnError.message}: ${spawnError.remedy}`,
      isPlaceMissing: spawnError.code === 'cwd-missing' || spawnError.code === 'cwd-not-accessible',
    });
  }
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: textOf(result.stdout),
    stderr: textOf(result.stderr),
    timedOut: result.timedOut,
    overflow: result.stdoutTruncated ? 'stdout' : result.stderrTruncated ? 'stderr' : null,
    error: null,
    elapsedMs: result.durationMs,
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const REASONS: Readonly<Record<SpawnErrorCode, string>> = {
  'command-not-found': 'its command was not found',
  'command-not-executable': 'its command is not executable',
  'interpreter-not-found': 'the interpreter of its script was not found',
  'cwd-missing': 'its working directory does not exist',
  'cwd-not-accessible': 'its working directory may not be entered',
  'arguments-too-long': 'its arguments are too long',
  'invalid-argument': 'its command holds a character that cannot be passed on',
  'system-limit': 'the system could not start it',
  'spawn-failed': 'the system could not start it',
};
