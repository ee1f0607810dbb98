import { DEFAULT_KILL_GRACE_MS, type KillOutcome } from './kill-process-tree.ts';
import type { RunningProcess } from './running-process.ts';
import type { SpawnError } from './spawn-error.ts';
import { type StartOptions, startProcess } from './start-process.ts';

export interface RunOptions extends Omit<StartOptions, 'stdin'> {
  /** The whole standard input; nothing when absent. Text is sent as UTF-8, a lone surrogate as U+FFFD. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Time until the process is ended, in milliseconds, above 0; no limit when absent. */
  readonly timeoutMs?: number | undefined;
  /** Time from SIGTERM to SIGKILL; 2000 by default, 0 for SIGKILL at once. */
  readonly killGraceMs?: number | undefined;
  /** Ends the process, or keeps it from being started. */
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessResult {
  /** Undefined when nothing was started. */
  readonly pid: number | undefined;
  /** Null when a signal ended the process, when it never ended, and when it was not started. Null is never a success. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The kept bytes; after a cut with `keep: 'head-and-tail'` the two parts joined without a mark. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** The kept bytes as text, with a line that says how many bytes were left out; see `renderOutput`. */
  readonly stdoutText: string;
  readonly stderrText: string;
  /** All that was written, kept or not. */
  readonly stdoutTotalBytes: number;
  readonly stderrTotalBytes: number;
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /** The time limit ended it. At most one of `timedOut` and `aborted` is true. */
  readonly timedOut: boolean;
  /** The abort signal ended it or kept it from being started. */
  readonly aborted: boolean;
  /** From the start to the end of the process, in milliseconds; 0 when nothing was started. */
  readonly durationMs: number;
  /** A descendant was left that still held stdout or stderr; what it writes later is lost. */
  readonly outputHeldOpen: boolean;
  /** Something of the process tree was still there after SIGKILL, for example because it belongs to another user. */
  readonly survived: boolean;
  /** Why nothing was started. */
  readonly spawnError?: SpawnError;
}

type StopReason = 'timeout' | 'abort';

/** The longest delay a timer takes; a larger one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const NOTHING_STARTED: ProcessResult = {
  pid: undefined,
  exitCode: null,
  signal: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  stdoutText: '',
  stderrText: '',
  stdoutTotalBytes: 0,
  stderrTotalBytes: 0,
  stdoutTruncated: false,
  stderrTruncated: false,
  timedOut: false,
  aborted: false,
  durationMs: 0,
  outputHeldOpen: false,
  survived: false,
};

function assertTimes({ timeoutMs, killGraceMs }: RunOptions): void {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new RangeError(`timeoutMs is ${timeoutMs}; it must be above 0`);
  if (killGraceMs !== undefined && !(killGraceMs >= 0)) {
    throw new RangeError(`killGraceMs is ${killGraceMs}; it must be at least 0`);
  }
}

interface Supervision {
  readonly stopReason: StopReason | undefined;
  readonly killOutcome: KillOutcome | undefined;
}

/** Waits for the process, and ends it when the time is over or the signal says so. */
async function superviseUntilExit(running: RunningProcess, options: RunOptions): Promise<Supervision> {
  const { timeoutMs, signal, killGraceMs = DEFAULT_KILL_GRACE_MS } = options;
  let stopReason: StopReason | undefined;
  let kill: Promise<KillOutcome> | undefined;
  const stop = (reason: StopReason): void => {
    if (stopReason !== undefined || !running.isRunning) return;
    stopReason = reason;
    kill = running.kill({ graceMs: killGraceMs });
  };
  const onTimeout = (): void => {
    stop('timeout');
  };
  const onAbort = (): void => {
    stop('abort');
  };
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    await running.exited;
    return { stopReason, killOutcome: await kill };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs a program to its end and collects its output in bounded memory. The time limit really ends: the whole process tree
 * gets SIGTERM, after the grace SIGKILL, and the result comes when it is gone, whatever still holds the pipes. Without a time
 * limit the result comes within half a second of the end of the process, also when a descendant it left behind (which is not
 * touched) holds the pipes.
 *
 * Whatever lies outside the program (no such command, missing working directory, arguments too long) is `spawnError`.
 * Rejects with RangeError for a time or size that makes no sense.
 */
export async function runProcess(options: RunOptions): Promise<ProcessResult> {
  assertTimes(options);
  if (options.signal?.aborted === true) return { ...NOTHING_STARTED, aborted: true };
  const { stdin } = options;
  const started = await startProcess({
    ...options,
    stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
  });
  if (!started.ok) return { ...NOTHING_STARTED, spawnError: started.error };
  const running = started.process;
  const { stdout, stderr } = running;
  const { stopReason, killOutcome } = await superviseUntilExit(running, options);
  return {
    ...(await running.exited),
    pid: running.pid,
    stdout: stdout.toBytes(),
    stderr: stderr.toBytes(),
    get stdoutText() {
      return stdout.toText();
    },
    get stderrText() {
      return stderr.toText();
    },
    stdoutTotalBytes: stdout.totalBytes,
    stderrTotalBytes: stderr.totalBytes,
    stdoutTruncated: stdout.isTruncated,
    stderrTruncated: stderr.isTruncated,
    timedOut: stopReason === 'timeout',
    aborted: stopReason === 'abort',
    survived: killOutcome === 'survived',
  };
}
