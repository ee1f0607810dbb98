import { fail, type Result } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import {
  type HeadTailBuffer,
  type ProcessExit,
  type RunningProcess,
  startProcess,
} from '../../../platform/process/index.ts';
import { shellInvocation } from './shell-invocation.ts';

/** Commands that may run in the background at once. */
export const MAX_RUNNING = 20;
/** Ended commands whose output is kept; the ones that ended first are forgotten first. */
const MAX_ENDED = 50;
/** Bytes of output kept of each command: head and tail. */
const KEPT_BYTES = 400_000;

/** A command that was started in the background. */
export interface BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAt: number;
  /** stdout and stderr as they came. */
  readonly output: HeadTailBuffer;
  /** Resolves when it has ended. */
  readonly exited: Promise<ProcessExit>;
  /** How it ended; undefined while it runs. */
  readonly exit: ProcessExit | undefined;
  /** Ends it with everything it started; does nothing when it has ended. */
  kill(): Promise<'gone' | 'survived'>;
  /** The output that came since this was called last. */
  readNew(): string;
}

/** What a table of background commands is given. */
export interface ProcessTableOptions {
  readonly clock: Clock;
  /** Makes the id of a new entry. */
  readonly newId: () => string;
}

/** A command to start in the background. */
export interface BackgroundCommand {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The commands of one agent that run in the background, each in a process group of its own. */
export class ProcessTable {
  readonly #options: ProcessTableOptions;
  readonly #entries = new Map<string, BackgroundEntry>();
  #starting = 0;
  #isClosed = false;

  constructor(options: ProcessTableOptions) {
    this.#options = options;
  }

  /** Fails when {@link MAX_RUNNING} run already, the command cannot be started, or the table is closed. */
  async start({ command, cwd, env }: BackgroundCommand): Promise<Result<BackgroundProcess>> {
    if (this.#isClosed) return closed();
    const running = this.#running();
    if (running.length + this.#starting >= MAX_RUNNING) {
      return fail(
        'too_many_processes',
        `${String(MAX_RUNNING)} commands run in the background already.`,
        'End one with process (action "kill"); action "list" shows them.',
      );
    }
    this.#starting += 1;
    try {
      const started = await startProcess({
        ...shellInvocation(command, env),
        cwd,
        maxStdoutBytes: KEPT_BYTES,
        maxStderrBytes: 0,
        keep: 'head-and-tail',
      });
      if (!started.ok) return { ...started.error, ok: false };
      return await this.#add(started.process, { command, cwd, env });
    } finally {
      this.#starting -= 1;
    }
  }

  /** All that are known, in the order in which they were started. */
  list(): readonly BackgroundProcess[] {
    return [...this.#entries.values()];
  }

  find(id: string): BackgroundProcess | undefined {
    return this.#entries.get(id);
  }

  /** Ends every command that runs, with everything it started. Nothing can be started any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running().map((entry) => entry.kill()));
  }

  async #add(
    process: RunningProcess,
    { command, cwd }: BackgroundCommand,
  ): Promise<Result<BackgroundProcess>> {
    if (this.#isClosed) {
      await process.kill();
      return closed();
    }
    const { newId, clock } = this.#options;
    const entry = new BackgroundEntry(process, { id: newId(), command, cwd, startedAt: clock.now() });
    this.#entries.set(entry.id, entry);
    this.#forgetOld();
    return { ok: true, value: entry };
  }

  #running(): readonly BackgroundEntry[] {
    return [...this.#entries.values()].filter(({ exit }) => exit === undefined);
  }

  #forgetOld(): void {
    const ended = [...this.#entries.values()].filter(({ exit }) => exit !== undefined);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#entries.delete(id);
  }
}

function closed(): Result<never> {
  return fail('shutting_down', 'Nothing can be started any more: the agent is shutting down.');
}

class BackgroundEntry implements BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly #process: RunningProcess;
  readonly exited: Promise<ProcessExit>;
  #exit: ProcessExit | undefined;
  #position = 0;

  constructor(
    process: RunningProcess,
    { id, command, cwd, startedAt }: Pick<BackgroundProcess, 'id' | 'command' | 'cwd' | 'startedAt'>,
  ) {
    this.id = id;
    this.command = command;
    this.cwd = cwd;
    this.startedAt = startedAt;
    this.#process = process;
    this.exited = process.exited.then((exit) => {
      this.#exit = exit;
      return exit;
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  get output(): HeadTailBuffer {
    return this.#process.stdout;
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  async kill(): Promise<'gone' | 'survived'> {
    const outcome = await this.#process.kill();
    await this.exited;
    return outcome;
  }

  readNew(): string {
    const { text, nextPosition } = this.output.readTextFrom(this.#position, this.#exit !== undefined);
    this.#position = nextPosition;
    return text;
  }
}
