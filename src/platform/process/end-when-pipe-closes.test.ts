import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { endWhenPipeCloses } from './end-when-pipe-closes.ts';
import { processTable } from './process-table.ts';

const PATIENCE = { timeout: 20_000 };

const SOURCE = JSON.stringify(new URL('./end-when-pipe-closes.ts', import.meta.url).href);
const started: ChildProcess[] = [];
const pids = new Set<number>();

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

function isRunning(pid: number): boolean {
  return processTable.read([pid]).some((entry) => !entry.isZombie);
}

/** A node program that holds the reading end of a pipe from us as descriptor 3. */
function startProgram(body: string): ChildProcess {
  const script = `import { endWhenPipeCloses } from ${SOURCE}; ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  started.push(child);
  return child;
}

const RUNS_FOR_EVER = 'setInterval(() => {}, 1000);';

describe('a program that watches its pipe', () => {
  it('is called back once when the other end is closed, whatever was written before', async () => {
    const child = startProgram(`
      endWhenPipeCloses(3, () => { console.log('closed'); process.exitCode = 7; clearInterval(timer); });
      const timer = ${RUNS_FOR_EVER} console.log('ready');`);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await expect.poll(() => output, PATIENCE).toBe('ready\n');
    const pipe = child.stdio[3];
    if (!(pipe instanceof Object) || !('write' in pipe)) throw new Error('no pipe');
    pipe.write('ignored '.repeat(10_000));
    pipe.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(7);
    expect(output).toBe('ready\nclosed\n');
  });

  it('is not kept running by it', async () => {
    const child = startProgram("endWhenPipeCloses(3, () => console.log('closed'));");
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });

  it('ends when its launcher is killed by SIGKILL', async () => {
    const program = `import { endWhenPipeCloses } from ${SOURCE};
      endWhenPipeCloses(3, () => process.exit(1)); ${RUNS_FOR_EVER} console.log(process.pid);`;
    const launcher = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(program)}], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });`;
    const child = spawn(process.execPath, ['-e', launcher], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    pids.add(pid);
    expect(isRunning(pid)).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => isRunning(pid), PATIENCE).toBe(false);
  });

  it('is not called back after it closed the watch itself', async () => {
    const child = startProgram(`
      const watch = endWhenPipeCloses(3, () => console.log('closed'));
      watch.close(); watch.close();`);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    expect(output).toBe('');
  });
});

describe('a descriptor that is no pipe', () => {
  function expectRefusal(fd: number): void {
    let calls = 0;
    const watch = endWhenPipeCloses(fd, () => {
      calls += 1;
    });
    expect(watch).toMatchObject({
      ok: false,
      code: 'not-a-pipe',
      message: expect.stringContaining(String(fd)),
    });
    expect(calls).toBe(0);
  }

  it.each([-1, 1.5, 100_000])('is refused: %d', (fd) => {
    expectRefusal(fd);
  });

  it('is refused: a file', () => {
    const fd = openSync('/dev/null', 'r');
    try {
      expectRefusal(fd);
    } finally {
      closeSync(fd);
    }
  });
});
