import { spawnSync } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { processTable } from './process-table.ts';

const PATIENCE = { timeout: 20_000 };

const SOURCE = JSON.stringify(new URL('./index.ts', import.meta.url).href);
const pids = new Set<number>();

afterEach(() => {
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

function isRunning(pid: number): boolean {
  return processTable.read([pid]).some((entry) => !entry.isZombie);
}

/** Runs a node program that starts a child, prints its pid and ends in the given way. */
function pidStartedBy(options: string, ending: string): number {
  const script = `import { startProcess } from ${SOURCE};
    const result = await startProcess({ command: 'sleep', args: ['60'], cwd: '/', env: process.env,
      maxStdoutBytes: 1, maxStderrBytes: 1, keep: 'head', ${options} });
    console.log(result.process.pid);
    ${ending}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  pids.add(pid);
  return pid;
}

it.each([
  'process.exit(3);',
  "throw new Error('uncaught');",
  "setImmediate(() => { throw new Error('uncaught'); });",
])('a child ends with the program: %s', async (ending) => {
  const pid = pidStartedBy('', ending);
  await expect.poll(() => isRunning(pid), PATIENCE).toBe(false);
});

it('a child that is told to outlive the program does', () => {
  expect(isRunning(pidStartedBy('endWithParent: false', 'process.exit(0);'))).toBe(true);
});

it('a child outlives a program that is killed, which is the limit', () => {
  expect(isRunning(pidStartedBy('', "process.kill(process.pid, 'SIGKILL');"))).toBe(true);
});
