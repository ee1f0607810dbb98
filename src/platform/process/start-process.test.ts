import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { processIdentity } from './process-identity.ts';
import { processTable } from './process-table.ts';
import type { RunningProcess } from './running-process.ts';
import { type StartOptions, startProcess } from './start-process.ts';

const PATIENCE = { timeout: 20_000 };

const started: RunningProcess[] = [];
const pids = new Set<number>();

afterEach(async () => {
  for (const running of started.splice(0)) await running.kill({ graceMs: 0 });
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

function isRunning(pid: number): boolean {
  return processTable.read([pid]).some((entry) => !entry.isZombie);
}

async function start(script: string, options: Partial<StartOptions> = {}): Promise<RunningProcess> {
  const result = await startProcess({
    command: 'bash',
    args: ['-c', script],
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] },
    maxStdoutBytes: 10_000,
    maxStderrBytes: 10_000,
    keep: 'head-and-tail',
    ...options,
  });
  if (!result.ok) throw new Error(result.error.message);
  started.push(result.process);
  return result.process;
}

it('says why a program could not be started', async () => {
  const result = await startProcess({
    command: 'no-such-program',
    args: [],
    cwd: tmpdir(),
    env: {},
    maxStdoutBytes: 1,
    maxStderrBytes: 1,
    keep: 'head',
  });
  expect(result).toMatchObject({ ok: false, error: { code: 'command-not-found' } });
});

it('shows output while the process runs', async () => {
  const running = await start('echo one; read -r line; echo "two $line"', { stdin: 'pipe' });
  await expect.poll(() => running.stdout.toText(), PATIENCE).toBe('one\n');
  expect(running.isRunning).toBe(true);
  expect(await running.writeStdin('x\n')).toBe(true);
  expect(await running.exited).toMatchObject({
    exitCode: 0,
    signal: null,
    outputHeldOpen: false,
    survived: false,
  });
  expect(running.isRunning).toBe(false);
  expect(running.stdout.toText()).toBe('one\ntwo x\n');
});

it('shows a character whole whose bytes came in separate chunks', async () => {
  const sizes: number[] = [];
  const running = await start(
    String.raw`for byte in '\xf0' '\x9f' '\x98' '\x80'; do read -r; printf "$byte"; done`,
    {
      stdin: 'pipe',
      onOutput: (chunk) => sizes.push(chunk.length),
    },
  );
  let text = '';
  let position = 0;
  for (let count = 1; count <= 4; count += 1) {
    await running.writeStdin('\n');
    await expect.poll(() => sizes.length, PATIENCE).toBe(count);
    const since = running.stdout.readTextFrom(position, false);
    text += since.text;
    position = since.nextPosition;
  }
  expect(sizes).toEqual([1, 1, 1, 1]);
  expect(text).toBe('😀');
});

it.runIf(process.platform === 'linux')(
  'gives bash no socket, for which it would read ~/.bashrc',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'home-'));
    try {
      writeFileSync(join(home, '.bashrc'), 'echo from bashrc\n');
      for (const stdin of ['none', 'pipe', Buffer.from('x')] as const) {
        const running = await start('echo only this', {
          stdin,
          env: { PATH: process.env['PATH'], HOME: home },
        });
        await running.exited;
        expect(running.stdout.toText()).toBe('only this\n');
      }
    } finally {
      rmSync(home, { recursive: true });
    }
  },
);

it('has the identity of its process, also after its end', async () => {
  const running = await start('read -r line', { stdin: 'pipe' });
  expect(running.identity).toEqual(processIdentity(running.pid));
  running.endStdin();
  await running.exited;
  expect(running.identity).toMatchObject({ pid: running.pid, startTime: expect.stringMatching(/./) });
});

describe('standard input', () => {
  it('stays open until it is ended', async () => {
    const running = await start('cat', { stdin: 'pipe' });
    expect(await running.writeStdin('a')).toBe(true);
    await expect.poll(() => running.stdout.toText(), PATIENCE).toBe('a');
    running.endStdin('b');
    expect((await running.exited).exitCode).toBe(0);
    expect(running.stdout.toText()).toBe('ab');
  });

  it('takes nothing after its end, and says so', async () => {
    const running = await start('cat', { stdin: 'pipe' });
    running.endStdin();
    running.endStdin('more');
    expect(await running.writeStdin('more')).toBe(false);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
    expect(await running.writeStdin('more')).toBe(false);
    expect(running.stdout.totalBytes).toBe(0);
  });

  it('that is no pipe takes nothing', async () => {
    const running = await start('cat');
    expect(await running.writeStdin('x')).toBe(false);
    expect((await running.exited).exitCode).toBe(0);
  });

  it('that a process closed or never reads is no error, and a waiting write ends with the process', async () => {
    const closed = await start('exec 0<&-; echo closed; sleep 60', { stdin: 'pipe' });
    await expect.poll(() => closed.stdout.totalBytes, PATIENCE).toBeGreaterThan(0);
    expect(await closed.writeStdin(Buffer.alloc(3_000_000))).toBe(false);
    const unread = await start('sleep 60', { stdin: 'pipe' });
    const write = unread.writeStdin(Buffer.alloc(3_000_000));
    await unread.kill({ graceMs: 0 });
    expect(await write).toBe(false);
  });
});

describe('kill', () => {
  it('ends the process and its descendants', async () => {
    const running = await start('sleep 60 & echo $!; wait');
    await expect.poll(() => running.stdout.toText(), PATIENCE).toMatch(/\n/);
    const pid = Number(running.stdout.toText());
    pids.add(pid);
    expect(await running.kill()).toBe('gone');
    expect(await running.exited).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect(isRunning(pid)).toBe(false);
    expect(await running.kill()).toBe('gone');
  });

  it('can be repeated with less patience', async () => {
    const running = await start('trap "" TERM; echo ready; sleep 60; :');
    await expect.poll(() => running.stdout.totalBytes, PATIENCE).toBeGreaterThan(0);
    const patient = running.kill({ graceMs: 50_000 });
    expect(await running.kill({ graceMs: 0 })).toBe('gone');
    expect(await patient).toBe('gone');
    expect((await running.exited).signal).toBe('SIGKILL');
  });

  it('collects the last words of descendants that end within the grace', async () => {
    const running = await start(
      '(trap "sleep 0.3; echo bye; exit" TERM; echo ready; while :; do sleep 0.05; done) & sleep 60',
    );
    await expect.poll(() => running.stdout.totalBytes, PATIENCE).toBeGreaterThan(0);
    expect(await running.kill({ graceMs: 50_000 })).toBe('gone');
    await running.exited;
    expect(running.stdout.toText()).toBe('ready\nbye\n');
  });

  it('after the end ends what the process left behind in its group', async () => {
    const running = await start('sleep 60 & echo $!');
    expect(await running.exited).toMatchObject({ exitCode: 0, outputHeldOpen: true });
    const pid = Number(running.stdout.toText());
    pids.add(pid);
    expect(isRunning(pid)).toBe(true);
    expect(await running.kill()).toBe('gone');
    expect(isRunning(pid)).toBe(false);
  });
});
