import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { killProcessTree } from './kill-process-tree.ts';
import { processTable } from './process-table.ts';

const PATIENCE = { timeout: 20_000 };

const started: ChildProcess[] = [];
const pids = new Set<number>();

afterEach(() => {
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  for (const child of started.splice(0)) child.kill('SIGKILL');
  pids.clear();
});

function isRunning(pid: number): boolean {
  return processTable.read([pid]).some((entry) => !entry.isZombie);
}

/** Starts a script as a group of its own and waits for the pids it prints in its first line. */
async function start(script: string): Promise<{ readonly pid: number; readonly printed: number[] }> {
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const printed = line.toString().trim().split(/\s+/).map(Number);
  for (const pid of printed) pids.add(pid);
  return { pid: child.pid ?? 0, printed };
}

describe('killProcessTree', () => {
  it('resolves when the group is gone', async () => {
    const { pid, printed } = await start('sleep 60 & a=$!; sleep 60 & echo $a $!; wait');
    expect(await killProcessTree(pid, { graceMs: 20_000 })).toBe('gone');
    expect([pid, ...printed].filter(isRunning)).toEqual([]);
  });

  it('kills what ignores SIGTERM', async () => {
    const { pid, printed } = await start('trap "" TERM; sleep 60 & echo $!; wait; sleep 60');
    expect(await killProcessTree(pid, { graceMs: 100 })).toBe('gone');
    expect([pid, ...printed].filter(isRunning)).toEqual([]);
  });

  it('ends a group whose leader has ended', async () => {
    const { pid, printed } = await start('sleep 60 & echo $!');
    await expect.poll(() => isRunning(pid), PATIENCE).toBe(false);
    expect(printed.filter(isRunning)).toEqual(printed);
    expect(await killProcessTree(pid, { graceMs: 20_000 })).toBe('gone');
    expect(printed.filter(isRunning)).toEqual([]);
  });

  it('ends jobs that have groups of their own', async () => {
    const { pid, printed } = await start('set -m; sleep 60 & a=$!; sleep 60 & echo $a $!; wait');
    expect(await killProcessTree(pid, { graceMs: 20_000 })).toBe('gone');
    expect(printed.length).toBe(2);
    expect(printed.filter(isRunning)).toEqual([]);
  });

  it('ends a process that leads no group, and its children, but not the rest of its group', async () => {
    const { pid, printed } = await start("bash -c 'sleep 60 & echo $$ $!; wait' & wait; sleep 60");
    const [inner = 0, innerChild = 0] = printed;
    expect(await killProcessTree(inner, { graceMs: 20_000 })).toBe('gone');
    expect([inner, innerChild].filter(isRunning)).toEqual([]);
    expect(isRunning(pid)).toBe(true);
    await killProcessTree(pid, { graceMs: 0 });
  });

  it('does not wait for zombies, which only their parent can collect', async () => {
    const { pid, printed } = await start('set -m; cat <(sleep 60) & echo $!; exec sleep 60');
    const [job = 0] = printed;
    // From here on nobody collects the job any more.
    await expect.poll(() => processTable.read([pid])[0]?.name, PATIENCE).toBe('sleep');
    expect(await killProcessTree(job, { graceMs: 20_000 })).toBe('gone');
    expect(processTable.read([job])).toMatchObject([{ isZombie: true }]);
    expect(await killProcessTree(job, { graceMs: 20_000 })).toBe('gone');
    await killProcessTree(pid, { graceMs: 0 });
  });

  it('signals nothing when the pid belongs to a process with another start time', async () => {
    const { pid, printed } = await start('sleep 60 & echo $!; wait');
    expect(await killProcessTree(pid, { graceMs: 0, startTime: '1' })).toBe('gone');
    expect([pid, ...printed].every(isRunning)).toBe(true);
    const startTime = processTable.read([pid])[0]?.startTime;
    expect(await killProcessTree(pid, { graceMs: 0, startTime })).toBe('gone');
    expect([pid, ...printed].filter(isRunning)).toEqual([]);
  });

  it('is content with a group that does not exist', async () => {
    expect(await killProcessTree(2 ** 30, { graceMs: 20_000 })).toBe('gone');
  });

  it.each([1, 0, -1, -0, 1.5, Number.NaN])('refuses %d', async (pid) => {
    await expect(killProcessTree(pid, { graceMs: 0 })).rejects.toThrow(RangeError);
  });

  it('never signals this process, even when it is below the one to end', async () => {
    const source = new URL('./kill-process-tree.ts', import.meta.url).href;
    const script = `import { killProcessTree } from ${JSON.stringify(source)};
      console.log(await killProcessTree(process.ppid, { graceMs: 0 }));`;
    const child = spawn('bash', ['-c', 'node --input-type=module -e "$1" & wait; :', 'bash', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).toBe('gone\n');
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
  });
});
