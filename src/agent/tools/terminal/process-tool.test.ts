import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { effectOfCall } from '../../../kernel/tool-call/index.ts';
import { systemClock } from '../../../platform/clock/index.ts';
import { callTool } from '../tool-bench.ts';
import type { OutputPorts } from './present-output.ts';
import { type BackgroundProcess, MAX_RUNNING, ProcessTable } from './process-table.ts';
import { createProcessTool } from './process-tool.ts';

let folder: string;
let processes: ProcessTable;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-'));
  let count = 0;
  processes = new ProcessTable({ clock: systemClock, newId: () => `proc_${String((count += 1))}` });
});

afterEach(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(command: string): Promise<BackgroundProcess> {
  const started = await processes.start({ command, cwd: folder, env: { PATH: process.env['PATH'] } });
  if (!started.ok) throw new Error(started.message);
  return started.value;
}

function call(
  args: JsonObject,
  options: Partial<OutputPorts> & { readonly signal?: AbortSignal } = {},
): Promise<CallReport> {
  const { signal, ...ports } = options;
  const tool = createProcessTool({ clock: systemClock, processes, redact: (text) => text, ...ports });
  return callTool(tool, args, { cwd: folder, ...(signal === undefined ? {} : { signal }) });
}

async function resultOf(args: JsonObject, options?: Partial<OutputPorts>): Promise<unknown> {
  const report = await call(args, options);
  expect(report).toMatchObject({ status: 'ok' });
  return JSON.parse(report.text);
}

async function whenTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await systemClock.sleep(5);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
}

describe('process', () => {
  it('lists what runs and what has ended', async () => {
    const first = await start('echo one; exit 3');
    await first.exited;
    const second = await start('echo two; sleep 300');
    await whenTrue(() => second.output.totalBytes > 0);
    expect(await resultOf({ action: 'list' })).toEqual({
      processes: [
        {
          session_id: 'proc_1',
          command: 'echo one; exit 3',
          cwd: folder,
          pid: first.pid,
          status: 'exited',
          exit_code: 3,
          output_preview: 'one\n',
        },
        expect.objectContaining({ session_id: 'proc_2', status: 'running', output_preview: 'two\n' }),
      ],
    });
  });

  it('polls what is new, and cuts no character in two', async () => {
    const entry = await start(
      String.raw`printf 'one\n\303'; while [ ! -e go ]; do sleep 0.01; done; printf '\251two\n'; while [ ! -e end ]; do sleep 0.01; done`,
    );
    await whenTrue(() => entry.output.totalBytes === 5);
    expect(await resultOf({ action: 'poll', session_id: 'proc_1' })).toMatchObject({
      status: 'running',
      output: 'one\n',
    });
    expect(await resultOf({ action: 'poll', session_id: 'proc_1' })).toMatchObject({ output: '' });
    writeFileSync(join(folder, 'go'), '');
    await whenTrue(() => entry.output.totalBytes === 10);
    expect(await resultOf({ action: 'poll', session_id: 'proc_1' })).toMatchObject({ output: 'étwo\n' });
    writeFileSync(join(folder, 'end'), '');
    await entry.exited;
    expect(await resultOf({ action: 'poll', session_id: 'proc_1' })).toMatchObject({
      status: 'exited',
      exit_code: 0,
      output: '',
    });
  });

  it('shows lines of the log, the last ones unless it is told otherwise', async () => {
    const entry = await start('seq 1 1000');
    await entry.exited;
    const log = (more: JsonObject): Promise<unknown> =>
      resultOf({ action: 'log', session_id: 'proc_1', ...more });
    expect(await log({ limit: 2 })).toMatchObject({
      output: '999\n1000',
      total_lines: 1000,
      showing: '999-1000',
    });
    expect(await log({ limit: 2, offset: 0 })).toMatchObject({ output: '1\n2', showing: '1-2' });
    expect(await log({ offset: 5000 })).toMatchObject({ output: '', showing: 'none' });
  });

  it('waits for the end', async () => {
    await start('echo out; while [ ! -e go ]; do sleep 0.01; done; exit 4');
    const waiting = resultOf({ action: 'wait', session_id: 'proc_1' });
    writeFileSync(join(folder, 'go'), '');
    expect(await waiting).toMatchObject({ status: 'exited', exit_code: 4, output: 'out\n' });
  });

  it('stops waiting when the time is over or the call is cancelled, and leaves the command alone', async () => {
    const entry = await start('sleep 300');
    expect(await resultOf({ action: 'wait', session_id: 'proc_1', timeout: 0.05 })).toMatchObject({
      status: 'running',
      note: 'still running after 0.05 s',
    });
    const controller = new AbortController();
    const waiting = call({ action: 'wait', session_id: 'proc_1' }, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ status: 'cancelled' });
    expect(isRunning(entry.pid)).toBe(true);
  });

  it('kills a command with everything it started', async () => {
    const entry = await start('sleep 300 & echo $! >pid; touch ready; wait');
    await whenTrue(() => existsSync(join(folder, 'ready')));
    const child = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(await resultOf({ action: 'kill', session_id: 'proc_1' })).toMatchObject({
      status: 'exited',
      killed: true,
      exit_code: 143,
      exit_code_meaning: 'ended by SIGTERM',
    });
    expect([isRunning(entry.pid), isRunning(child)]).toEqual([false, false]);
    expect(await resultOf({ action: 'kill', session_id: 'proc_1' })).toMatchObject({
      note: 'it had ended already',
    });
  });

  it('shows output as terminal does: transformed, plain, redacted', async () => {
    const entry = await start(String.raw`printf '\033[31mmy secret'; exit 2`);
    await entry.exited;
    const seen: unknown[] = [];
    const poll = resultOf(
      { action: 'poll', session_id: 'proc_1' },
      {
        transformOutput: (_, output, returncode) => {
          seen.push(returncode);
          return Promise.resolve(`${output}!`);
        },
        redact: (text) => text.replaceAll('secret', '***'),
      },
    );
    expect(await poll).toMatchObject({ output: 'my ***!' });
    expect(seen).toEqual([2]);
  });

  it('keeps a flood of output in bounded memory', async () => {
    const before = process.memoryUsage().rss;
    const entry = await start('echo first; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo last');
    await entry.exited;
    expect(entry.output.totalBytes).toBe(300_000_012);
    const { output } = (await resultOf({ action: 'poll', session_id: 'proc_1' })) as { output: string };
    expect(output).toMatch(/^first\nx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\nlast\n$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it.each([
    [{ action: 'poll' }, 'bad_arguments', 'needs a session_id'],
    [{ action: 'poll', session_id: 'proc_9' }, 'unknown_process', 'Did you mean proc_1?'],
    [
      { action: 'kill', session_id: 'constructor' },
      'unknown_process',
      'There is no background command "constructor"',
    ],
    [{ action: 'restart' }, 'bad_arguments', 'action'],
    [{ action: 'wait', session_id: 'proc_1', timeout: 601 }, 'bad_arguments', 'timeout'],
  ])('refuses %j', async (args, errorType, message) => {
    await (await start('true')).exited;
    expect(await call(args)).toMatchObject({
      status: 'error',
      errorType,
      text: expect.stringContaining(message),
    });
  });

  it('is an effect when it kills, and none when it watches', () => {
    const tool = createProcessTool({ clock: systemClock, processes, redact: (text) => text });
    const effects = ['list', 'poll', 'log', 'wait', 'kill', 'constructor'].map((action) =>
      effectOfCall(tool, { action }),
    );
    expect(effects).toEqual(['none', 'none', 'none', 'none', 'execute', 'execute']);
    expect(effectOfCall(tool, {})).toBe('execute');
  });
});

describe('ProcessTable', () => {
  it('runs so many commands and no more, also when they are started at once', async () => {
    const started = await Promise.all(
      Array.from({ length: MAX_RUNNING + 3 }, () =>
        processes.start({ command: 'sleep 300', cwd: folder, env: { PATH: process.env['PATH'] } }),
      ),
    );
    expect(started.filter(({ ok }) => ok)).toHaveLength(MAX_RUNNING);
    expect(started.find(({ ok }) => !ok)).toMatchObject({ code: 'too_many_processes' });
    await processes.find('proc_1')?.kill();
    expect(await start('true')).toMatchObject({ command: 'true' });
  });

  it('forgets the commands that ended first', async () => {
    for (let count = 0; count < 52; count += 1) await (await start('true')).exited;
    await start('true');
    expect(processes.find('proc_1')).toBeUndefined();
    expect(processes.find('proc_2')).toBeUndefined();
    expect(processes.find('proc_53')).toBeDefined();
    expect(processes.list()).toHaveLength(51);
  });

  it('ends everything when it closes, and starts nothing afterwards', async () => {
    const entry = await start('trap "" TERM; sleep 300 & echo $! >pid; touch ready; wait');
    await whenTrue(() => existsSync(join(folder, 'ready')));
    const late = processes.start({ command: 'sleep 300', cwd: folder, env: { PATH: process.env['PATH'] } });
    await processes.close();
    await processes.close();
    expect(await late).toMatchObject({ ok: false, code: 'shutting_down' });
    const child = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect([isRunning(entry.pid), isRunning(child)]).toEqual([false, false]);
    expect(await processes.start({ command: 'true', cwd: folder, env: {} })).toMatchObject({
      code: 'shutting_down',
    });
  });
});
