import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { systemClock } from '../../../platform/clock/index.ts';
import { callTool } from '../tool-bench.ts';
import { ProcessTable } from './process-table.ts';
import { createTerminalTool, type TerminalPorts } from './terminal-tool.ts';

let folder: string;
let processes: ProcessTable;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  let count = 0;
  processes = new ProcessTable({ clock: systemClock, newId: () => `proc_${String((count += 1))}` });
});

afterEach(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

interface RunOptions extends Partial<TerminalPorts> {
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  readonly onProgress?: (text: string) => void;
}

function terminal(
  args: JsonObject,
  { signal, cwd = folder, onProgress, ...ports }: RunOptions = {},
): Promise<CallReport> {
  const tool = createTerminalTool({
    clock: systemClock,
    home: folder,
    environment: () => ({ PATH: process.env['PATH'], HOME: folder }),
    redact: (text) => text,
    processes,
    ...ports,
  });
  const options = {
    cwd,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  return callTool(tool, args, options);
}

interface TerminalResult {
  readonly output: string;
  readonly exit_code: number;
  readonly error: string | null;
  readonly exit_code_meaning?: string;
  readonly note?: string;
  readonly session_id?: string;
  readonly pid?: number;
}

function resultOf(report: CallReport): TerminalResult {
  return JSON.parse(report.text) as TerminalResult;
}

async function run(command: string, options?: RunOptions): Promise<TerminalResult> {
  return resultOf(await terminal({ command }, options));
}

/** Waits until the file is there. */
async function whenExists(path: string): Promise<void> {
  while (!existsSync(path)) await systemClock.sleep(5);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
}

describe('terminal', () => {
  it('runs a command and reports output and exit code', async () => {
    const report = await terminal({ command: 'echo hello; pwd' });
    expect(report).toMatchObject({ status: 'ok' });
    expect(resultOf(report)).toEqual({ output: `hello\n${folder}\n`, exit_code: 0, error: null });
  });

  it('keeps stdout and stderr in the order of writing', async () => {
    const { output } = await run('for i in 1 2 3; do echo out $i; echo err $i >&2; done');
    expect(output).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
  });

  it.each([
    ['exit 3', 3, undefined, 'exit code 3'],
    ['false', 1, undefined, 'exit code 1'],
    ['set -e; false; echo not reached', 1, undefined, 'exit code 1'],
    ['exec bash -c "exit 5"', 5, undefined, 'exit code 5'],
    ['trap "exit 6" EXIT; true', 6, undefined, 'exit code 6'],
    ['no-such-command-here', 127, 'the command was not found', 'exit code 127 (the command was not found)'],
    ['/etc/passwd', 126, 'the command is not executable', 'exit code 126'],
    ['kill -KILL $BASHPID', 137, 'ended by SIGKILL', 'exit code 137 (ended by SIGKILL)'],
    ['kill -TERM $BASHPID', 143, 'ended by SIGTERM', 'ended by SIGTERM'],
    ['kill -KILL $$; sleep 300', 137, 'ended by SIGKILL', 'ended by SIGKILL'],
    ['bash -c "kill -SEGV \\$\\$"', 139, 'ended by SIGSEGV', 'ended by SIGSEGV'],
    ['if', 2, undefined, 'exit code 2'],
  ])('tells truly how %j ended', async (command, code, meaning, message) => {
    const report = await terminal({ command });
    expect(report).toMatchObject({
      status: 'error',
      errorType: 'nonzero_exit',
      message: expect.stringContaining(message),
    });
    expect(resultOf(report)).toMatchObject({
      exit_code: code,
      error: null,
      ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
    });
  });

  it('leaves nothing running of a command that killed its own shell', async () => {
    const { note } = await run('echo $BASHPID >pid; kill -KILL $$; sleep 300');
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
    expect(note).toBeUndefined();
  });

  it('does not let the environment steer bash', async () => {
    writeFileSync(join(folder, 'env.sh'), 'echo from BASH_ENV');
    writeFileSync(join(folder, '.bashrc'), 'echo from bashrc; alias ll=echo');
    writeFileSync(join(folder, '.bash_profile'), 'echo from profile');
    const environment = (): Record<string, string> => ({
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      BASH_ENV: join(folder, 'env.sh'),
      ENV: join(folder, 'env.sh'),
      SHELLOPTS: 'xtrace',
      IFS: 'x',
      'BASH_FUNC_ls%%': '() { echo from function; }',
      KEPT: 'yes',
    });
    const { output } = await run('echo "$KEPT:$#:$-"; type -t ll ls', { environment });
    expect(output).toBe('yes:0:hBc\nfile\n');
  });

  it('gives the command no input, no arguments and no terminal', async () => {
    expect(await run('cat; echo "[$*]"; tty; read x; echo $?')).toMatchObject({
      output: '[]\nnot a tty\n1\n',
    });
  });

  it('starts every call in the working directory', async () => {
    mkdirSync(join(folder, 'sub'));
    await run('cd sub');
    expect(await run('pwd')).toMatchObject({ output: `${folder}\n` });
    expect(resultOf(await terminal({ command: 'pwd', workdir: 'sub' })).output).toBe(`${folder}/sub\n`);
    expect(resultOf(await terminal({ command: 'pwd', workdir: '~/sub' })).output).toBe(`${folder}/sub\n`);
  });

  it('names a working directory that is gone', async () => {
    const gone = join(folder, 'gone');
    expect(await terminal({ command: 'true' }, { cwd: gone })).toMatchObject({
      status: 'error',
      errorType: 'cwd-missing',
      text: expect.stringContaining(`working directory "${gone}" does not exist`),
    });
    const report = await terminal({ command: 'true', workdir: 'gone', background: true });
    expect(report).toMatchObject({ status: 'error', errorType: 'cwd-missing' });
  });

  it.each([
    [{ command: '' }, 'bad_arguments'],
    [{ command: '  \n' }, 'bad_arguments'],
    [{ command: 'true', timeout: 601 }, 'bad_arguments'],
    [{ command: 'true', timeout: 0 }, 'bad_arguments'],
    [{ command: 'echo a\0b' }, 'invalid-argument'],
    [{ command: `echo ${'x'.repeat(5_000_000)}` }, 'arguments-too-long'],
  ])('refuses what cannot be run', async (args, errorType) => {
    const report = await terminal(args);
    expect(report).toMatchObject({ status: 'error', errorType });
    expect(report.text.length).toBeLessThan(1000);
  });

  it('ends a command, and everything it started, when its time is over', async () => {
    const report = await terminal({
      command: 'echo started; (trap "" TERM; sleep 300) & echo $! >pid; sleep 300',
      timeout: 0.5,
    });
    expect(report).toMatchObject({ status: 'error', errorType: 'timeout' });
    expect(resultOf(report)).toEqual({
      output: 'started\n',
      exit_code: 124,
      error: 'The command took longer than 0.5 s, and it was ended with everything it started.',
    });
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  it('ends a command that is cancelled, and says that its effect is unknown', async () => {
    const controller = new AbortController();
    const running = terminal(
      { command: 'echo so far; echo $$ >pid; touch ready; sleep 300' },
      { signal: controller.signal },
    );
    await whenExists(join(folder, 'ready'));
    controller.abort();
    const report = await running;
    expect(report).toMatchObject({
      status: 'cancelled',
      message: expect.stringContaining('its effect is unknown'),
    });
    expect(resultOf(report)).toMatchObject({ output: 'so far\n', exit_code: 130 });
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  it('returns when the command ends although something it started goes on, and says so', async () => {
    const { output, note } = await run('sleep 300 & echo $! >pid; echo done');
    expect(output).toBe('done\n');
    expect(note).toContain('something it started still runs');
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    process.kill(pid);
  });

  it('keeps head and tail of a long output, in bounded memory', async () => {
    const before = process.memoryUsage().rss;
    const { output } = await run('echo first; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo last');
    expect(output.startsWith('first\nxxx')).toBe(true);
    expect(output.endsWith('xxx\nlast\n')).toBe(true);
    expect(output).toMatch(/\[\.\.\. \d+ bytes left out \.\.\.\]/);
    expect(Buffer.byteLength(output)).toBeLessThan(51_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('shows what a person would have read', async () => {
    const { output } = await run(String.raw`printf '\033[31mred\033[0m\r\n10%%\r100%%\n\377bad\n'`);
    expect(output).toBe('red\n100%\n\uFFFDbad\n');
  });

  it('lets a hook see the output first, and redacts what comes of it', async () => {
    const seen: unknown[] = [];
    const { output } = await run(String.raw`printf 'se\033[1mcret'; exit 3`, {
      transformOutput: (command, text, returncode) => {
        seen.push([command, text, returncode]);
        return Promise.resolve(`${text} added`);
      },
      redact: (text) => text.replaceAll('secret', '***'),
    });
    expect(seen).toEqual([[String.raw`printf 'se\033[1mcret'; exit 3`, 'se\x1b[1mcret', 3]]);
    expect(output).toBe('*** added');
  });

  it('shows its last line while it runs', async () => {
    const lines: string[] = [];
    await terminal(
      { command: 'printf "one\\ntwo secret\\n"; while [ ! -e go ]; do sleep 0.01; done; echo three' },
      {
        redact: (text) => text.replaceAll('secret', '***'),
        onProgress: (text) => {
          lines.push(text);
          writeFileSync(join(folder, 'go'), '');
        },
      },
    );
    expect(lines[0]).toBe('two ***');
  });

  it('leaves the exit code in a file', async () => {
    const exitFile = (): string => join(folder, 'run', 'call.rc');
    mkdirSync(join(folder, 'run'));
    await run('exit 7', { exitFile });
    expect(readFileSync(exitFile(), 'utf8')).toBe('7\n');
    expect(statSync(exitFile()).mode & 0o777).toBe(0o600);
    await run('kill -KILL $BASHPID', { exitFile });
    expect(readFileSync(exitFile(), 'utf8')).toBe('137\n');
    await run('PATH=/nowhere; exec true', { exitFile });
    expect(readFileSync(exitFile(), 'utf8')).toBe('127\n');
    expect(readdirSync(join(folder, 'run'))).toEqual(['call.rc']);
  });

  it('leaves the exit code in a file also when the agent was killed meanwhile', async () => {
    const exitFile = join(folder, 'call.rc');
    const agent = join(folder, 'agent.mjs');
    const source = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    writeFileSync(
      agent,
      `import { callTool } from ${source('../tool-bench.ts')};
       import { createTerminalTool } from ${source('terminal-tool.ts')};
       import { ProcessTable } from ${source('process-table.ts')};
       import { systemClock } from ${source('../../../platform/clock/index.ts')};
       const tool = createTerminalTool({
         clock: systemClock,
         home: '/',
         environment: () => process.env,
         redact: (text) => text,
         processes: new ProcessTable({ clock: systemClock, newId: () => '' }),
         exitFile: () => ${JSON.stringify(exitFile)},
       });
       await callTool(tool, { command: 'kill -KILL $PPID; while kill -0 $PPID 2>/dev/null; do sleep 0.01; done; exit 7' }, { cwd: '/' });`,
    );
    expect(spawnSync(process.execPath, [agent]).signal).toBe('SIGKILL');
    await whenExists(exitFile);
    expect(readFileSync(exitFile, 'utf8')).toBe('7\n');
  });

  it('runs the command all the same where the file cannot be left', async () => {
    expect(await run('echo x', { exitFile: () => '/nowhere/at/all' })).toEqual({
      output: 'x\n',
      exit_code: 0,
      error: null,
    });
  });

  it('returns at once with background', async () => {
    const report = await terminal({ command: 'touch ready; sleep 300', background: true });
    const { session_id: id, pid } = resultOf(report);
    expect(report).toMatchObject({ status: 'ok' });
    expect(id).toBe('proc_1');
    await whenExists(join(folder, 'ready'));
    expect(isRunning(pid ?? 0)).toBe(true);
    await processes.close();
    expect(isRunning(pid ?? 0)).toBe(false);
  });
});
