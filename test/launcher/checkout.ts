import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

export const repository = fileURLToPath(new URL('../../', import.meta.url));
const fixtures = join(repository, 'test/launcher/fixtures');

/** A Node.js to start the launcher with: the command and the arguments before the launcher's own file. */
export interface Starter {
  readonly title: string;
  readonly command: string;
  readonly prefix: readonly string[];
}

export const thisNode: Starter = { title: 'the pinned Node.js', command: process.execPath, prefix: [] };

export const onWindows: Starter = {
  title: 'Windows',
  command: process.execPath,
  prefix: ['--require', join(fixtures, 'windows.cjs')],
};

/** An older Node.js: a pretended one, which every machine has, and a real one where the machine has one. */
export function olderNodes(): Starter[] {
  const pretended = {
    title: 'a pretended older Node.js',
    command: process.execPath,
    prefix: ['--require', join(fixtures, 'older-node.cjs')],
  };
  const real = (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/local/bin', '/usr/bin')
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && majorOf(file) >= 18 && majorOf(file) < 24);
  return real === undefined
    ? [pretended]
    : [pretended, { title: `Node.js ${majorOf(real)}`, command: real, prefix: [] }];
}

function majorOf(node: string): number {
  const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10);
}

/** The same Node.js with no file descriptor left when it starts another program. */
export function withoutDescriptors({ title, command, prefix }: Starter): Starter {
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'bash', command];
  return {
    title: `${title} without descriptors`,
    command: 'bash',
    prefix: [...limited, '--require', join(fixtures, 'no-descriptors.cjs'), ...prefix],
  };
}

/** A checkout with the real launcher and the fixture program as its sources. */
export function makeCheckout(
  parts: { program?: string; pinned?: boolean; installed?: boolean } = {},
): string {
  const { program = 'program.ts', pinned = true, installed = false } = parts;
  const root = mkdtempSync(join(tmpdir(), 'checkout-'));
  cpSync(join(repository, 'bin'), join(root, 'bin'), { recursive: true });
  copyFileSync(join(repository, 'package.json'), join(root, 'package.json'));
  if (pinned) symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  if (installed) return root;
  mkdirSync(join(root, 'tools/node'), { recursive: true });
  copyFileSync(join(repository, 'tools/node/package.json'), join(root, 'tools/node/package.json'));
  mkdirSync(join(root, 'src/surfaces/cli'), { recursive: true });
  copyFileSync(join(fixtures, program), join(root, 'src/surfaces/cli/main.ts'));
  return root;
}

export function launch(
  root: string,
  args: readonly string[],
  options: { starter?: Starter; input?: string; env?: NodeJS.ProcessEnv } = {},
): SpawnSyncReturns<string> {
  const { starter = thisNode, input = '', env = {} } = options;
  return spawnSync(starter.command, [...starter.prefix, join(root, 'bin/herma.js'), ...args], {
    cwd: dirname(root),
    encoding: 'utf8',
    input,
    env: { ...process.env, ...env },
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
}

export interface Waiting {
  readonly launcher: ChildProcess;
  readonly program: number;
  /** The next line that the program prints. */
  readonly nextLine: () => Promise<string>;
  readonly exited: Promise<unknown[]>;
}

/** Starts a program that waits, in its own session so that no terminal belongs to it. */
export async function launchWaiting(root: string, starter: Starter): Promise<Waiting> {
  const launcher = spawn(starter.command, [...starter.prefix, join(root, 'bin/herma.js'), 'wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(launcher, 'exit');
  const lines = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  const { program }: { program: number } = JSON.parse(await nextLine());
  return { launcher, program, nextLine, exited };
}

/** Waits until a process is gone, or is only waiting for its parent to collect it. */
export async function processEnds(pid: number): Promise<void> {
  await vi.waitFor(
    () => {
      if (isRunning(pid)) throw new Error(`process ${pid} is still running`);
    },
    { timeout: 20_000, interval: 10 },
  );
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch (error) {
    return (
      error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync('/proc/self/stat')
    );
  }
}
