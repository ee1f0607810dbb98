import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { HeadTailBuffer, type KeptOutput } from './head-tail-buffer.ts';
import { openPayload } from './payload-file.ts';
import { closeEnds, type PipeEnds, PipePool } from './pipe-pool.ts';
import { type OnOutput, RunningProcess } from './running-process.ts';
import {
  explainSpawnFailure,
  findInvalidInvocation,
  type Invocation,
  type SpawnError,
} from './spawn-error.ts';

export interface StartOptions extends Invocation {
  /** Found in the PATH of `env`, or, when it holds a slash, relative to `cwd`. No shell is involved. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `none` (the default): end of input at once. `pipe`: written with `writeStdin`. Bytes: these, then end of input. */
  readonly stdin?: 'none' | 'pipe' | Uint8Array | undefined;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** Which part of the output is kept when there is more. */
  readonly keep: KeptOutput;
  /** Gets every chunk, also those beyond the limits, and must not throw. */
  readonly onOutput?: OnOutput | undefined;
  /**
   * `pipe` (the default) lets the child open `/dev/stdin`, `/dev/stdout` and `/dev/stderr` on Linux, and keeps bash from
   * reading `~/.bashrc`, which it does when its input is a socket. `socket` saves about a millisecond and fits programs we
   * know. Sockets are also used where no pipe can be made.
   */
  readonly channel?: 'pipe' | 'socket' | undefined;
  /** Whether the child is killed when this process exits; true by default. Limits: see `endWithThisProcess`. */
  readonly endWithParent?: boolean | undefined;
}

export type StartResult =
  | { readonly ok: true; readonly process: RunningProcess }
  | { readonly ok: false; readonly error: SpawnError };

/** What is undefined becomes a socket made by Node.js, or nothing where nothing is wanted. */
interface Channels {
  readonly stdin: PipeEnds | undefined;
  readonly stdout: PipeEnds | undefined;
  readonly stderr: PipeEnds | undefined;
  /** The descriptor of the whole standard input. */
  readonly payloadFd: number | undefined;
}

const pool = new PipePool();

async function openChannels({ channel, stdin }: StartOptions): Promise<Channels> {
  // Elsewhere than on Linux a socket can be opened again under these names.
  const wantsPipes = channel !== 'socket' && process.platform === 'linux';
  const [stdoutEnds, stderrEnds, stdinEnds] =
    (wantsPipes ? await pool.take(stdin === 'pipe' ? 3 : 2) : undefined) ?? [];
  const payloadFd = stdin instanceof Uint8Array ? openPayload(stdin) : undefined;
  return { stdin: stdinEnds, stdout: stdoutEnds, stderr: stderrEnds, payloadFd };
}

/** The child has its own copies of these. */
function closeChildEnds({ stdin, stdout, stderr, payloadFd }: Channels): void {
  for (const fd of [stdin?.readFd, stdout?.writeFd, stderr?.writeFd, payloadFd]) {
    if (fd !== undefined) closeSync(fd);
  }
}

function closeChannels({ stdin, stdout, stderr, payloadFd }: Channels): void {
  for (const ends of [stdin, stdout, stderr]) if (ends !== undefined) closeEnds(ends);
  if (payloadFd !== undefined) closeSync(payloadFd);
}

function spawnChild(
  { command, args, cwd, env, stdin = 'none' }: StartOptions,
  channels: Channels,
): ChildProcess {
  return spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: [
      channels.stdin?.readFd ?? channels.payloadFd ?? (stdin === 'none' ? 'ignore' : 'pipe'),
      channels.stdout?.writeFd ?? 'pipe',
      channels.stderr?.writeFd ?? 'pipe',
    ],
  });
}

function readable(ends: PipeEnds | undefined, stream: Readable | null): Readable {
  if (ends !== undefined) return new Socket({ fd: ends.readFd, readable: true, writable: false });
  if (stream === null) throw new Error('a child started with pipes has none');
  return stream;
}

function writable(ends: PipeEnds | undefined, stream: Writable | null): Writable | undefined {
  if (ends !== undefined) return new Socket({ fd: ends.writeFd, readable: false, writable: true });
  return stream ?? undefined;
}

function spawnFailureOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('error', resolve);
  });
}

/**
 * Starts a program as the leader of a new session and process group, so that it has no terminal and can be ended with all
 * its descendants. Resolves as soon as it runs, or with the reason why it could not be started; never rejects for a reason
 * that lies outside the program.
 *
 * Limits: a child that calls `setsid` leaves the group (see `killProcessTree`), and when this process is ended by SIGKILL
 * its children survive it.
 */
export async function startProcess(options: StartOptions): Promise<StartResult> {
  const invalid = findInvalidInvocation(options);
  if (invalid !== undefined) return { ok: false, error: invalid };
  const stdout = new HeadTailBuffer({ maxBytes: options.maxStdoutBytes, keep: options.keep });
  const stderr = new HeadTailBuffer({ maxBytes: options.maxStderrBytes, keep: options.keep });
  const channels = await openChannels(options);
  let child: ChildProcess;
  try {
    child = spawnChild(options, channels);
  } catch (error) {
    closeChannels(channels);
    return { ok: false, error: explainSpawnFailure(options, error) };
  }
  const { pid } = child;
  if (pid === undefined) {
    closeChannels(channels);
    return { ok: false, error: explainSpawnFailure(options, await spawnFailureOf(child)) };
  }
  closeChildEnds(channels);
  const stdin = writable(channels.stdin, child.stdin);
  const running = new RunningProcess({
    child,
    pid,
    stdin,
    output: {
      stdout: { stream: readable(channels.stdout, child.stdout), buffer: stdout },
      stderr: { stream: readable(channels.stderr, child.stderr), buffer: stderr },
    },
    onOutput: options.onOutput,
    endWithParent: options.endWithParent ?? true,
  });
  if (options.stdin instanceof Uint8Array && stdin !== undefined) running.endStdin(options.stdin);
  return { ok: true, process: running };
}
