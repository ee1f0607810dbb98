import { spawn } from 'node:child_process';

export interface DetachedOptions {
  /** Absolute. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a program that outlives this process, in a session of its own, without input and output. Resolves to whether it
 * runs; this process does not wait for it, and is not kept alive by it.
 */
export async function startDetached({ command, args, cwd, env }: DetachedOptions): Promise<boolean> {
  try {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: 'ignore' });
    return await new Promise((resolve) => {
      child.once('error', () => {
        resolve(false);
      });
      child.once('spawn', () => {
        child.unref();
        resolve(true);
      });
    });
  } catch {
    // What spawn throws (too many processes, a folder that is gone) is no more than a program that does not run.
    return false;
  }
}
