import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

export const launcher = fileURLToPath(new URL('../../bin/herma.js', import.meta.url));

export interface HermaOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Everything there is to read; without it the input is empty. */
  readonly stdin?: string | Buffer;
  /** Leaves the input open, for the test to write to. */
  readonly staysOpen?: boolean;
  /** The Node.js that starts the launcher, with the arguments before the launcher's own file. */
  readonly node?: { readonly command: string; readonly prefix: readonly string[] };
  /** Another user, by its number. */
  readonly uid?: number;
}

export interface HermaExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program, started with the Node.js that runs the tests, in its own session. */
export class Herma {
  readonly child: ChildProcess;
  readonly exited: Promise<HermaExit>;
  #stdout = '';
  #stderr = '';

  constructor(
    args: readonly string[],
    { cwd, env = {}, stdin = '', staysOpen = false, node, uid }: HermaOptions,
  ) {
    const { command, prefix } = node ?? { command: process.execPath, prefix: [] };
    this.child = spawn(command, [...prefix, launcher, ...args], {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.child.stdin?.on('error', () => undefined);
    if (!staysOpen) this.child.stdin?.end(stdin);
    this.exited = this.#exit();
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the program did not start');
    return this.child.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Ends it with its group, whatever state it is in. */
  async end(): Promise<void> {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
    await this.exited;
  }

  async #exit(): Promise<HermaExit> {
    const [code, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout: this.#stdout, stderr: this.#stderr };
  }
}

/** Waits until `check` no longer throws, and gives back what it returns. Looks every `intervalMs`. */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  intervalMs = 15,
): Promise<Value> {
  return vi.waitFor(check, { timeout: 30_000, interval: intervalMs });
}
