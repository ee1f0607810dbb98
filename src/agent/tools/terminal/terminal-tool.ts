import type { Tool, ToolOutcome, ToolRun } from '../../../gate/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { killProcessTree, type ProcessResult, runProcess } from '../../../platform/process/index.ts';
import { flagArgument, numberArgument, textArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { absolutePath } from '../files/locate-file.ts';
import { cancelled, failed, succeeded } from '../outcomes.ts';
import { exitStatus } from './exit-status.ts';
import { LastLineProgress } from './last-line-progress.ts';
import { type OutputPorts, presentOutput } from './present-output.ts';
import type { ProcessTable } from './process-table.ts';
import { shellInvocation } from './shell-invocation.ts';

/** What `terminal` is given. */
export interface TerminalPorts extends OutputPorts {
  readonly clock: Clock;
  /** What `~` stands for; absolute. */
  readonly home: string;
  /** The variables commands see, without credentials. */
  readonly environment: (sessionId: string) => Readonly<Record<string, string | undefined>>;
  /** Where commands in the background are kept. */
  readonly processes: ProcessTable;
  /**
   * Where the exit code of a call is to be left by the shell, also when this process is gone by then: an absolute path
   * in a folder that exists. The file holds the number and a newline, and appears whole.
   */
  readonly exitFile?: (call: ToolCall) => string | undefined;
  /** Milliseconds a command in the foreground may take when its call names no time; 180,000 when absent. */
  readonly defaultTimeoutMs?: number;
}

const DEFAULT_TIMEOUT_S = 180;
const MAX_TIMEOUT_S = 600;
/** Bytes kept of an output until it is cut for the model: enough for a hook to see more than the model does. */
const CAPTURED_BYTES = 400_000;
/** What timeout(1) exits with. */
const TIMED_OUT = 124;
/** What a shell reports of a command that was interrupted. */
const INTERRUPTED = 130;

/**
 * `terminal`: a command for bash, without start-up files, aliases or exported functions, its input empty, in a process
 * group of its own. Each call begins in the working directory of the session (or `workdir`): a `cd` ends with its call.
 *
 * In the foreground it runs until it ends, its time is over (`timeout` seconds, 600 at most; see `defaultTimeoutMs`) or the call is
 * cancelled; then everything it started is ended too. What it left running by itself with `&` stays. With `background` it
 * returns at once; see {@link createProcessTool}.
 *
 * The result is JSON: `{output, exit_code, error, exit_code_meaning?, note?}`, the outputs of stdout and stderr as they came,
 * without control sequences, 50 KB at most of head and tail; the exit code is 128 + n for signal n. A code other than 0
 * makes the call an error of type `nonzero_exit`, an exceeded time one of type `timeout` with code 124.
 */
export function createTerminalTool(ports: TerminalPorts): Tool {
  return defineTool(
    {
      name: 'terminal',
      description: [
        'Run a command in bash and get its output and exit code. Every call starts in the working directory: cd does not last. There is no input, nobody can answer prompts.',
        `Use background for servers and anything that takes longer than ${String(MAX_TIMEOUT_S)} s, then process to watch it.`,
      ].join('\n'),
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'string', minLength: 1, description: 'The command.' },
          background: {
            type: 'boolean',
            description: 'Return at once with a session_id for the tool process.',
          },
          timeout: {
            type: 'number',
            exclusiveMinimum: 0,
            maximum: MAX_TIMEOUT_S,
            description: `Seconds, in the foreground; ${String(defaultTimeoutS(ports))} when absent.`,
          },
          workdir: { type: 'string', description: 'Folder to run it in.' },
        },
        required: ['command'],
      },
      effect: 'execute',
      idempotent: false,
      pathArguments: ['workdir'],
    },
    async ({ call }, run) => {
      const command = textArgument(call.args, 'command');
      if (command.trim() === '')
        return failed(fail('bad_arguments', 'The command is empty.', 'Give a command.'));
      const cwd = absolutePath(textArgument(call.args, 'workdir', '.'), { cwd: call.cwd, home: ports.home });
      return flagArgument(call.args, 'background')
        ? startInBackground({ command, cwd, sessionId: call.sessionId }, ports)
        : runInForeground({ call, command, cwd, run }, ports);
    },
  );
}

function defaultTimeoutS({ defaultTimeoutMs }: TerminalPorts): number {
  return defaultTimeoutMs === undefined ? DEFAULT_TIMEOUT_S : defaultTimeoutMs / 1000;
}

async function startInBackground(
  { command, cwd, sessionId }: { readonly command: string; readonly cwd: string; readonly sessionId: string },
  ports: TerminalPorts,
): Promise<ToolOutcome> {
  const started = await ports.processes.start({ command, cwd, env: ports.environment(sessionId) });
  if (!started.ok) return failed(started);
  const { id, pid } = started.value;
  return succeeded(
    JSON.stringify({ output: 'started in the background', session_id: id, pid, exit_code: 0, error: null }),
  );
}

interface ForegroundCommand {
  readonly call: ToolCall;
  readonly command: string;
  readonly cwd: string;
  readonly run: ToolRun;
}

async function runInForeground(
  { call, command, cwd, run }: ForegroundCommand,
  ports: TerminalPorts,
): Promise<ToolOutcome> {
  const timeoutS = numberArgument(call.args, 'timeout', defaultTimeoutS(ports));
  const progress = new LastLineProgress({
    clock: ports.clock,
    redact: ports.redact,
    onProgress: run.onProgress,
  });
  const result = await runProcess({
    ...shellInvocation(command, ports.environment(call.sessionId), ports.exitFile?.(call)),
    cwd,
    timeoutMs: timeoutS * 1000,
    signal: run.signal,
    maxStdoutBytes: CAPTURED_BYTES,
    maxStderrBytes: 0,
    keep: 'head-and-tail',
    onOutput: (chunk) => progress.add(chunk),
  }).finally(() => progress.close());
  if (result.spawnError !== undefined) return failed(result.spawnError);
  if (result.pid === undefined) return cancelled('The command was cancelled before it was started.');
  // A command that kills its shell ($$) leaves the subshell that runs it; with plain bash it would be gone too.
  if (result.signal !== null) await killProcessTree(result.pid, { graceMs: 0 });
  const ending = endingOf(result, timeoutS);
  const output = await presentOutput({ command, output: result.stdoutText, returncode: ending.code }, ports);
  return toOutcome(ending, output);
}

interface Ending {
  readonly type: 'success' | 'nonzero_exit' | 'timeout' | 'cancelled';
  readonly code: number;
  readonly meaning?: string;
  /** Why the exit code is not the command's own. */
  readonly error?: string;
  readonly note?: string;
}

function endingOf(result: ProcessResult, timeoutS: number): Ending {
  const ended = result.survived
    ? 'not all of what it started could be ended'
    : 'it was ended with everything it started';
  if (result.aborted) {
    const error = `The command was interrupted, and ${ended}; its effect is unknown, inspect before repeating.`;
    return { type: 'cancelled', code: INTERRUPTED, error };
  }
  if (result.timedOut) {
    const error = `The command took longer than ${String(timeoutS)} s, and ${ended}.`;
    return { type: 'timeout', code: TIMED_OUT, error };
  }
  const status = exitStatus(result.exitCode, result.signal);
  const note =
    result.outputHeldOpen && result.signal === null
      ? { note: 'something it started still runs; its further output is lost (use background to keep it)' }
      : {};
  return { type: status.code === 0 ? 'success' : 'nonzero_exit', ...status, ...note };
}

function toOutcome({ type, code, meaning, error, note }: Ending, output: string): ToolOutcome {
  const result = JSON.stringify({
    output,
    exit_code: code,
    error: error ?? null,
    ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
    ...(note === undefined ? {} : { note }),
  });
  if (type === 'success') return succeeded(result);
  if (type === 'cancelled') return cancelled(error ?? '', result);
  return { status: 'error', errorType: type, message: error ?? describeExit(code, meaning), result };
}

function describeExit(code: number, meaning: string | undefined): string {
  return `exit code ${String(code)}${meaning === undefined ? '' : ` (${meaning})`}`;
}
