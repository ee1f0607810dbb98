import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { currentProcessIdentity, isAlive, processIdentity } from './process-identity.ts';
import { processTable } from './process-table.ts';

const PATIENCE = { timeout: 20_000 };

function startSleep(): { readonly pid: number; readonly end: () => Promise<void> } {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('an identity', () => {
  it.runIf(process.platform === 'linux')('names this process with all its parts', () => {
    expect(currentProcessIdentity()).toEqual(processIdentity(process.pid));
    expect(currentProcessIdentity()).toMatchObject({
      pid: process.pid,
      startTime: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/),
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 30])('is undefined for pid %d', (pid) => {
    expect(processIdentity(pid)).toBeUndefined();
  });

  it('survives being stored as JSON', () => {
    const stored: unknown = structuredClone(currentProcessIdentity());
    expect(stored).toEqual(currentProcessIdentity());
  });
});

describe('isAlive', () => {
  it('is alive while the process runs and dead afterwards', async () => {
    const sleep = startSleep();
    const identity = processIdentity(sleep.pid);
    expect(identity).toBeDefined();
    if (identity === undefined) return;
    expect(isAlive(identity)).toBe('alive');
    await sleep.end();
    expect(isAlive(identity)).toBe('dead');
  });

  it('is dead for a zombie, which has no identity any more', async () => {
    const parent = spawn('bash', ['-c', 'cat <&0 >/dev/null & echo $!; exec sleep 60'], { stdio: 'pipe' });
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const identity = processIdentity(pid) ?? { pid: 0, startTime: '', bootId: '', pidNamespace: '' };
    expect(isAlive(identity)).toBe('alive');
    // From here on nobody collects the child any more.
    await expect.poll(() => processTable.read([parent.pid ?? 0])[0]?.name, PATIENCE).toBe('sleep');
    parent.stdin.end();
    await expect.poll(() => isAlive(identity), PATIENCE).toBe('dead');
    expect(process.kill(pid, 0)).toBe(true);
    expect(processIdentity(pid)).toBeUndefined();
  });

  it.each([
    ['the boot differs', { bootId: '00000000-0000-0000-0000-000000000000' }, 'dead'],
    ['boot and pid namespace differ', { bootId: 'other', pidNamespace: 'pid:[1]' }, 'dead'],
    ['the start time differs', { startTime: '1' }, 'dead'],
    ['nobody has the pid', { pid: 2 ** 30 }, 'dead'],
    ['the pid namespace differs', { pidNamespace: 'pid:[1]' }, 'unknown'],
    ['the pid namespace was not known', { pidNamespace: '' }, 'unknown'],
    ['the boot was not known', { bootId: '' }, 'unknown'],
    ['the start time was not known', { startTime: '' }, 'unknown'],
    ['the pid is 0', { pid: 0 }, 'unknown'],
    ['the pid is negative', { pid: -1 }, 'unknown'],
    ['the pid is no whole number', { pid: 1.5 }, 'unknown'],
  ])('when %s', (_, change, expected) => {
    expect(isAlive({ ...currentProcessIdentity(), ...change })).toBe(expected);
  });
});
