import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { HeadTailBuffer } from './head-tail-buffer.ts';
import { RunningProcess } from './running-process.ts';

it('is given up when it survives being killed, and says so', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = (): HeadTailBuffer => new HeadTailBuffer({ maxBytes: 10, keep: 'head' });
  const running = new RunningProcess({
    child,
    pid: child.pid ?? 0,
    stdin: child.stdin,
    output: {
      stdout: { stream: child.stdout, buffer: output() },
      stderr: { stream: child.stderr, buffer: output() },
    },
    onOutput: undefined,
    endWithParent: false,
    killTree: async () => 'survived',
  });
  expect(await running.kill()).toBe('survived');
  expect(await running.exited).toMatchObject({
    exitCode: null,
    signal: null,
    survived: true,
    outputHeldOpen: true,
  });
  expect(child.stdout.destroyed).toBe(true);
});
