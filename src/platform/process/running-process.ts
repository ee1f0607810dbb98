import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextLoop } from 'node:timers/promises';
import { endWithThisProcess } from './end-with-this-process.ts';
import type { HeadTailBuffer } from './head-tail-buffer.ts';
import {
  DEFAULT_KILL_GRACE_MS,
  type KillOptions,
  type KillOutcome,
  killProcessTree,
} from './kill-process-tree.ts';
import { identityEvenIfEnded, type ProcessIdentity } from './process-identity.ts';
import { sendSignal } from './send-signal.ts';

export type OutputStream = 'stdout' | 'stderr';

export type OnOutput = (chunk: Uint8Array, stream: OutputStream) => void;

export interface ProcessExit {
  /** Null when a signal ended it, and when it never ended (`survived`). Null is never a success. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the start to the end of the process itself, in milliseconds. */
  readonly durationMs: number;
  /** A descendant was left that still held stdout or stderr. It was left alone, but nothing of it is read any more. */
  readonly outputHeldOpen: boolean;
  /** SIGKILL did not end it, for example because it belongs to another user. It is not watched any more. */
  readonly survived: boolean;
}

/** What `startProcess` hands over. */
export interface ProcessParts {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly output: Readonly<
    Record<OutputStream, { readonly stream: Readable; readonly buffer: HeadTailBuffer }>
  >;
  readonly onOutput: OnOutput | undefined;
  readonly endWithParent: boolean;
  /** Ends a process tree; `killProcessTree` except in tests. */
  readonly killTree?: (pid: number, options: KillOptions) => Promise<KillOutcome>;
}

/** How long output may stay silent after the end before we stop waiting for whoever still holds the pipe. */
const DRAIN_QUIET_MS = 50;
/** How long we listen to a descendant that goes on writing. */
const DRAIN_LIMIT_MS = 500;

type ChildEnd = Pick<ProcessExit, 'exitCode' | 'signal'> | 'survived';

/** A child in its own process group, with its output collected in bounded memory. Made by `startProcess`. */
export class RunningProcess {
  readonly pid: number;
  readonly stdout: HeadTailBuffer;
  readonly stderr: HeadTailBuffer;
  /**
   * Resolves when the process has ended and its output is collected; never rejects. It does not wait for descendants that
   * hold the pipes: 50 ms of silence (500 ms altogether) after the end are enough. The pipes are then closed.
   */
  readonly exited: Promise<ProcessExit>;

  readonly #child: ChildProcess;
  readonly #stdin: Writable | undefined;
  readonly #streams: readonly Readable[];
  readonly #killTree: (pid: number, options: KillOptions) => Promise<KillOutcome>;
  readonly #startedAt = performance.now();
  readonly #childEnd = Promise.withResolvers<ChildEnd>();
  readonly #kills: Promise<KillOutcome>[] = [];
  #identity: ProcessIdentity | undefined;
  #isRunning = true;
  #leftGroupBehind = true;

  constructor({
    child,
    pid,
    stdin,
    output,
    onOutput,
    endWithParent,
    killTree = killProcessTree,
  }: ProcessParts) {
    this.pid = pid;
    if (process.platform === 'linux') this.#identity = identityEvenIfEnded(pid);
    this.stdout = output.stdout.buffer;
    this.stderr = output.stderr.buffer;
    this.#child = child;
    this.#stdin = stdin;
    this.#streams = [output.stdout.stream, output.stderr.stream];
    this.#killTree = killTree;
    for (const name of ['stdout', 'stderr'] as const) {
      const { stream, buffer } = output[name];
      stream.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        onOutput?.(chunk, name);
      });
      // A read error ends the stream, and 'close' tells that.
      stream.on('error', () => stream.destroy());
    }
    // EPIPE arrives here when the child does not read its input. That is its right, and its exit code still counts.
    stdin?.on('error', () => stdin.destroy());
    const forget = endWithParent ? endWithThisProcess(pid) : undefined;
    child.once('exit', (exitCode, signal) => {
      this.#isRunning = false;
      this.#leftGroupBehind = sendSignal(-pid, 0) !== 'gone';
      forget?.();
      this.#childEnd.resolve({ exitCode, signal });
    });
    this.exited = this.#finish();
  }

  /**
   * Tells this process apart from a later one of the same pid. Undefined without a process table, and on macOS also when it is
   * first asked for after the end.
   */
  get identity(): ProcessIdentity | undefined {
    if (this.#isRunning) this.#identity ??= identityEvenIfEnded(this.pid);
    return this.#identity;
  }

  /** False as soon as the process itself has ended, even when its output is still being collected. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Writes to standard input. Resolves with true when the data is on its way to the process, which waits while the process
   * does not read; with false when the input is closed (by us, by the process or by its end) or was never a pipe.
   */
  async writeStdin(data: string | Uint8Array): Promise<boolean> {
    const stdin = this.#stdin;
    if (stdin === undefined || stdin.destroyed || stdin.writableEnded) return false;
    return new Promise((resolve) => {
      stdin.write(data, (error) => {
        resolve(error === null || error === undefined);
      });
    });
  }

  /** Writes the last data, if any, and closes standard input. Does nothing when it is closed already. */
  endStdin(data: string | Uint8Array = ''): void {
    const stdin = this.#stdin;
    if (stdin === undefined || stdin.destroyed || stdin.writableEnded) return;
    stdin.end(data);
  }

  /**
   * Ends the process and its descendants, see `killProcessTree`; `graceMs` is 2000 by default. Resolves when they are gone,
   * or were given up. Can be called again with a shorter grace. After the end of the process it ends what is left of its group.
   */
  async kill({ graceMs = DEFAULT_KILL_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<KillOutcome> {
    if (!this.#isRunning && !this.#leftGroupBehind) return 'gone';
    const kill = this.#killTree(this.pid, { graceMs, startTime: this.#identity?.startTime });
    this.#kills.push(kill);
    const outcome = await kill;
    if (outcome === 'survived' && this.#isRunning) this.#childEnd.resolve('survived');
    return outcome;
  }

  async #finish(): Promise<ProcessExit> {
    const end = await this.#childEnd.promise;
    const durationMs = performance.now() - this.#startedAt;
    // Descendants that are being ended may have last words.
    await Promise.all(this.#kills);
    const outputHeldOpen = !(await this.#drain());
    await Promise.all([this.#stdin, ...this.#streams].map(closeStream));
    if (end !== 'survived') return { ...end, durationMs, outputHeldOpen, survived: false };
    this.#child.unref();
    return { exitCode: null, signal: null, durationMs, outputHeldOpen, survived: true };
  }

  /** True when both streams came to their end, false when somebody still holds one. */
  async #drain(): Promise<boolean> {
    const deadline = performance.now() + DRAIN_LIMIT_MS;
    const timer = new AbortController();
    const closed = Promise.all(this.#streams.map(whenClosed)).then(() => true);
    try {
      for (;;) {
        const before = this.stdout.totalBytes + this.stderr.totalBytes;
        if (await Promise.race([closed, quietPeriod(timer.signal)])) return true;
        const isSilent = this.stdout.totalBytes + this.stderr.totalBytes === before;
        if (isSilent || performance.now() > deadline) return false;
      }
    } finally {
      timer.abort();
    }
  }
}

async function closeStream(stream: Readable | Writable | undefined): Promise<void> {
  if (stream !== undefined) await whenClosed(stream.destroy());
}

async function whenClosed(stream: Readable | Writable): Promise<void> {
  if (stream.closed) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
}

/** A timer of a busy process fires before it has read what already lies in the pipe, hence one more turn of the loop. */
async function quietPeriod(signal: AbortSignal): Promise<false> {
  try {
    await delay(DRAIN_QUIET_MS, undefined, { signal });
    await nextLoop();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return false;
}
