import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processTable } from './process-table.ts';
import { type ProcessResult, type RunOptions, runProcess } from './run-process.ts';

const LIMIT = 1_000_000;
const isLinux = process.platform === 'linux';
const env = { PATH: process.env['PATH'] };
const leftovers = new Set<number>();
let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'run process-')));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  for (const pid of leftovers) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  leftovers.clear();
});

function isRunning(pid: number): boolean {
  return processTable.read([pid]).some((entry) => !entry.isZombie);
}

/** The numbers a script printed, to be ended after the test. */
function pidsIn(text: string): number[] {
  const pids = text.match(/\d+/g)?.map(Number) ?? [];
  for (const pid of pids) leftovers.add(pid);
  return pids;
}

function run(script: string, options: Partial<RunOptions> = {}): Promise<ProcessResult> {
  return runProcess({
    command: 'bash',
    args: ['-c', script],
    cwd: folder,
    env,
    maxStdoutBytes: LIMIT,
    maxStderrBytes: LIMIT,
    keep: 'head-and-tail',
    ...options,
  });
}

/** What the descriptors of this process lead to: kinds, not numbers. */
function openDescriptors(): string[] {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).replace(/:.*|\/.*\/herma-pipes-.*/, '');
    } catch {
      return 'closed meanwhile';
    }
  });
  return targets.toSorted();
}

function file(name: string, content: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('a process that ends by itself', () => {
  it('gives its exit code and its output', async () => {
    const result = await run('echo out; echo err >&2; exit 7');
    expect(result).toMatchObject({
      exitCode: 7,
      signal: null,
      stdoutText: 'out\n',
      stderrText: 'err\n',
      stdoutTotalBytes: 4,
      stderrTotalBytes: 4,
      stdoutTruncated: false,
      timedOut: false,
      aborted: false,
      outputHeldOpen: false,
      survived: false,
    });
    expect(Buffer.from(result.stdout).toString()).toBe('out\n');
    expect(result.pid).toBeGreaterThan(1);
    expect(result.durationMs).toBeGreaterThan(0);
    expect(result).not.toHaveProperty('spawnError');
  });

  it('gives the signal that ended it, and then no exit code', async () => {
    expect(await run('kill -9 $$')).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
      aborted: false,
    });
  });

  it.runIf(isLinux)(
    'is the leader of its own group and session, has the environment it was given and no other',
    async () => {
      const own = await run('env; cut -d" " -f5,6 /proc/$$/stat', {
        env: { ...env, GIVEN: 'yes', ABSENT: undefined },
      });
      expect(own.stdoutText).toContain('GIVEN=yes\n');
      expect(own.stdoutText).not.toMatch(/HOME=|ABSENT=/);
      expect(own.stdoutText).toContain(`\n${own.pid} ${own.pid}\n`);
    },
  );

  it('leaves no zombie', async () => {
    const result = await run('exit 0');
    expect(processTable.read([result.pid ?? 0])).toEqual([]);
  });

  it.each(['with spaces  in it', 'with\nline break', 'ümläut $HOME "quoted"'])(
    'runs in the directory %j',
    async (name) => {
      const cwd = join(folder, name);
      mkdirSync(cwd);
      expect((await run('pwd', { cwd })).stdoutText).toBe(`${cwd}\n`);
    },
  );

  it('gets its arguments unchanged', async () => {
    const args = ['-c', 'printf "%s|" "$@"', 'bash', 'two words', '', '$HOME', 'a\nb', '*'];
    expect((await run('', { args })).stdoutText).toBe('two words||$HOME|a\nb|*|');
  });
});

describe.each(['pipe', 'socket'] as const)('output through a %s', (channel) => {
  it('is collected to the last byte when the process writes and exits at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, () => run('head -c 300000 /dev/zero', { channel })),
    );
    expect(results.map((result) => result.stdout.length)).toEqual(results.map(() => 300_000));
  });

  it('of 100 MB leaves memory bounded, keeps head and tail and counts the rest', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    let seen = 0;
    const result = await run('echo begin; head -c 100000000 /dev/zero | tr "\\0" x; echo end', {
      channel,
      maxStdoutBytes: 50_000,
      onOutput: (chunk) => {
        seen += chunk.length;
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      },
    });
    expect(result.stdoutTotalBytes).toBe(100_000_010);
    expect(seen).toBe(100_000_010);
    expect(result.stdout.length).toBe(50_000);
    expect(result.stdoutTruncated).toBe(true);
    expect(result.stdoutText).toMatch(/^begin\nx+\n\[\.\.\. 99950010 bytes left out \.\.\.\]\nx+end\n$/);
    expect(peak).toBeLessThan(60_000_000);
  });

  it('says which stream a chunk came from', async () => {
    const seen: string[] = [];
    await run('echo out; echo err >&2', {
      channel,
      onOutput: (chunk, stream) => seen.push(`${stream}:${String(Buffer.from(chunk))}`),
    });
    expect(seen.toSorted()).toEqual(['stderr:err\n', 'stdout:out\n']);
  });

  it('keeps only the head when told so, and counts with a limit of 0', async () => {
    const result = await run('echo 0123456789; echo abc >&2', {
      channel,
      keep: 'head',
      maxStdoutBytes: 4,
      maxStderrBytes: 0,
    });
    expect(result.stdoutText).toBe('0123\n[... 7 bytes left out ...]\n');
    expect(result).toMatchObject({ stderrTruncated: true, stderrTotalBytes: 4 });
    expect(result.stderr.length).toBe(0);
  });
});

it('lets the process open its standard streams by name', async () => {
  const script =
    'cat /dev/stdin; echo reason > /dev/stderr; echo more | tee /dev/stderr > /dev/stdout; cat < /proc/self/fd/0';
  expect(await run(script, { stdin: 'payload\n' })).toMatchObject({
    exitCode: 0,
    stdoutText: 'payload\nmore\npayload\n',
    stderrText: 'reason\nmore\n',
  });
});

describe('standard input', () => {
  const payload = Buffer.concat([
    Buffer.from('{"a":"'),
    Buffer.alloc(3_000_000, 'A'),
    Buffer.from('\u2028\u0000😀"}'),
  ]);

  it('is empty when none is given', async () => {
    expect((await run('cat; echo done')).stdoutText).toBe('done\n');
  });

  it('arrives whole, also in several processes at once', async () => {
    const runs = Array.from({ length: 3 }, () => run('cat', { stdin: payload, maxStdoutBytes: 4_000_000 }));
    for (const result of await Promise.all(runs)) expect(payload.equals(result.stdout)).toBe(true);
  });

  it('is UTF-8, with a lone surrogate replaced', async () => {
    expect((await run('cat', { stdin: 'é\ud800' })).stdoutText).toBe('é\ufffd');
  });

  it.each(['exit 3', 'exec 0<&-; exit 3'])(
    'of 3 MB that is never read changes nothing: %s',
    async (script) => {
      for (let count = 0; count < 10; count += 1) {
        expect((await run(script, { stdin: payload })).exitCode).toBe(3);
      }
    },
  );
});

describe('a descendant that outlives the process', () => {
  it.each(['sleep 60 & echo $!', 'setsid sleep 60 & echo $!', '(trap "" HUP TERM; sleep 60) & echo $!'])(
    'does not delay the result although it holds the pipes, and is left alone: %s',
    async (script) => {
      const result = await run(script, { timeoutMs: 50_000 });
      const [pid = 0] = pidsIn(result.stdoutText);
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, outputHeldOpen: true });
      expect(isRunning(pid)).toBe(true);
    },
  );

  it('does not delay the result although it never stops writing', async () => {
    const result = await run('yes & echo $! >&2', { maxStdoutBytes: 1000 });
    pidsIn(result.stderrText);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, outputHeldOpen: true });
  });

  it('has what it wrote soon after the end collected', async () => {
    const result = await run('exec > >(cat; echo last); echo first');
    expect(result).toMatchObject({ stdoutText: 'first\nlast\n', outputHeldOpen: false });
  });

  it.runIf(isLinux)('does not delay the result when it only keeps the standard input', async () => {
    const untilItIsSleep = 'until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done';
    const result = await run(`sleep 60 >/dev/null 2>&1 & echo $!; ${untilItIsSleep}`, {
      stdin: Buffer.alloc(3_000_000),
    });
    pidsIn(result.stdoutText);
    expect(result).toMatchObject({ exitCode: 0, outputHeldOpen: false });
  });
});

describe('the time limit', () => {
  it('ends a process with SIGTERM', async () => {
    expect(await run('exec sleep 60', { timeoutMs: 100 })).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      timedOut: true,
      aborted: false,
      survived: false,
    });
  });

  it('lets a process end in its own way within the grace, with its last words and exit code', async () => {
    const script = 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done';
    expect(await run(script, { timeoutMs: 1000, killGraceMs: 20_000 })).toMatchObject({
      exitCode: 5,
      timedOut: true,
      stdoutText: expect.stringMatching(/bye\n$/),
    });
  });

  it('ends a whole tree that ignores SIGTERM', async () => {
    const script = '(trap "" TERM; sleep 60) & (trap "" TERM; sleep 60) & trap "" TERM; sleep 60; wait';
    const result = await run(script, { timeoutMs: 1000, killGraceMs: 200 });
    expect(processTable.list().filter(({ pgid, isZombie }) => pgid === result.pid && !isZombie)).toEqual([]);
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, survived: false });
  });

  it('holds for a process that closed its output and runs on', async () => {
    expect(await run('exec >&- 2>&-; sleep 60', { timeoutMs: 500 })).toMatchObject({
      timedOut: true,
      survived: false,
    });
  });

  it('holds for a stopped process', async () => {
    expect(await run('kill -STOP $$', { timeoutMs: 500, killGraceMs: 100 })).toMatchObject({
      timedOut: true,
      signal: expect.stringMatching(/^SIG(TERM|KILL)$/),
    });
  });

  it('may be longer than a timer can be', async () => {
    expect(await run('sleep 0.1', { timeoutMs: 1e12 })).toMatchObject({ exitCode: 0, timedOut: false });
  });

  it.each([0, -1, Number.NaN])('of %d is refused', async (timeoutMs) => {
    await expect(run('true', { timeoutMs })).rejects.toThrow(RangeError);
  });

  it('refuses a negative grace', async () => {
    await expect(run('true', { killGraceMs: -1 })).rejects.toThrow(RangeError);
  });
});

describe('an abort', () => {
  it('before the start starts nothing', async () => {
    const witness = join(folder, 'started');
    const result = await run('touch started', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ aborted: true, pid: undefined, exitCode: null, timedOut: false });
    expect((await run(`test -e "${witness}"`)).exitCode).toBe(1);
  });

  it('while the start is being prepared ends the process', async () => {
    const controller = new AbortController();
    const running = run('exec sleep 60', { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ aborted: true, exitCode: null });
  });

  it('ends the process and what it started', async () => {
    const controller = new AbortController();
    const result = await run('sleep 60 & echo $!; sleep 60; :', {
      signal: controller.signal,
      timeoutMs: 50_000,
      onOutput: () => controller.abort(),
    });
    const [pid = 0] = pidsIn(result.stdoutText);
    expect(result).toMatchObject({ aborted: true, timedOut: false, signal: 'SIGTERM' });
    expect(isRunning(pid)).toBe(false);
  });

  it('ends descendants that ignore SIGTERM after their parent obeyed it', async () => {
    const controller = new AbortController();
    const result = await run('(trap "" TERM; echo $BASHPID; sleep 60) & sleep 60', {
      signal: controller.signal,
      killGraceMs: 200,
      onOutput: () => controller.abort(),
    });
    const [pid = 0] = pidsIn(result.stdoutText);
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
    expect(result).toMatchObject({ signal: 'SIGTERM', aborted: true, survived: false });
  });

  it.each(['setsid', 'timeout 60'])('ends a descendant that %s put into another group', async (program) => {
    const controller = new AbortController();
    const result = await run(`${program} bash -c 'trap "" TERM; echo $$; sleep 60; :' & sleep 60; :`, {
      signal: controller.signal,
      killGraceMs: 200,
      onOutput: () => controller.abort(),
    });
    const [pid = 0] = pidsIn(result.stdoutText);
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
    expect(result).toMatchObject({ aborted: true, survived: false });
  });

  it('kills at once with a grace of 0', async () => {
    const controller = new AbortController();
    const result = await run('trap "" TERM; echo ready; sleep 60; :', {
      signal: controller.signal,
      killGraceMs: 0,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ aborted: true, signal: 'SIGKILL' });
  });

  it('after the end changes nothing', async () => {
    const controller = new AbortController();
    const result = await run('exit 0', { signal: controller.signal });
    controller.abort();
    expect(result).toMatchObject({ aborted: false, exitCode: 0 });
  });
});

describe('a program that cannot be started', () => {
  async function failure(options: Partial<RunOptions>): Promise<ProcessResult['spawnError']> {
    const result = await run('true', options);
    expect(result).toMatchObject({
      pid: undefined,
      exitCode: null,
      signal: null,
      timedOut: false,
      aborted: false,
    });
    return result.spawnError;
  }

  it.each(['no-such-program', './no-such-program', '/no/such/program', 'no such\nprogram'])(
    'is not found: %j',
    async (command) => {
      expect(await failure({ command })).toMatchObject({
        code: 'command-not-found',
        message: `command ${JSON.stringify(command)} not found`,
        errno: 'ENOENT',
      });
    },
  );

  it('is not executable', async () => {
    const command = file('plain.txt', 'hello', 0o644);
    expect(await failure({ command })).toMatchObject({ code: 'command-not-executable', errno: 'EACCES' });
    expect(await failure({ command: folder })).toMatchObject({ code: 'command-not-executable' });
  });

  it('has an interpreter that is missing', async () => {
    const command = file('windows.sh', '#!/bin/sh\r\necho hi\r\n', 0o755);
    expect(await failure({ command })).toMatchObject({
      code: 'interpreter-not-found',
      remedy: expect.stringContaining('#!'),
    });
  });

  it('is found in the PATH of the child, relative to its working directory', async () => {
    file('tool', '#!/bin/sh\necho found\n', 0o755);
    expect((await run('', { command: './tool', args: [] })).stdoutText).toBe('found\n');
    expect((await run('', { command: 'tool', args: [], env: { PATH: folder } })).stdoutText).toBe('found\n');
    expect(await failure({ command: 'tool', env: { PATH: '/nowhere' } })).toMatchObject({
      code: 'command-not-found',
    });
  });

  it.each([
    ['/no/such/folder', 'does not exist'],
    ['plain-file', 'is not a directory'],
  ])('has the working directory %s, which %s: the command is not blamed', async (name, problem) => {
    file('plain-file', '', 0o755);
    const cwd = join(name.startsWith('/') ? '' : folder, name);
    expect(await failure({ cwd })).toMatchObject({
      code: 'cwd-missing',
      message: `working directory ${JSON.stringify(cwd)} ${problem}`,
    });
  });

  it.runIf(process.getuid?.() !== 0)('has a working directory that may not be entered', async () => {
    const cwd = join(folder, 'closed');
    mkdirSync(cwd, { mode: 0o000 });
    expect(await failure({ cwd })).toMatchObject({ code: 'cwd-not-accessible' });
  });

  it('has more arguments than the system accepts', async () => {
    const args = ['-c', 'true', 'x'.repeat(3_000_000)];
    const error = await failure({ args });
    expect(error).toMatchObject({ code: 'arguments-too-long', errno: 'E2BIG' });
    expect(error?.message.length).toBeLessThan(200);
  });

  it.each<[string, Partial<RunOptions>]>([
    ['argument 2 of "bash" holds a NUL character', { args: ['a', 'b\0c'] }],
    ['the command holds a NUL character', { command: 'a\0b' }],
    ['the working directory holds a NUL character', { cwd: '/tmp\0' }],
    ['environment variable "KEY" holds a NUL character', { env: { ...env, KEY: 'secret\0' } }],
    ['the command is empty', { command: '' }],
    ['the working directory is empty', { cwd: '' }],
  ])('has an invalid part: %s', async (message, options) => {
    expect(await failure(options)).toMatchObject({ code: 'invalid-argument', message });
  });

  it.runIf(isLinux).each(['pipe', 'socket'] as const)(
    'leaves no descriptor of a %s open, nor does any other',
    async (channel) => {
      const attempts: Partial<RunOptions>[] = [
        { command: 'no-such-program', stdin: 'x' },
        { args: ['-c', 'x'.repeat(3_000_000)], stdin: 'x' },
        { stdin: 'x' },
        { args: ['-c', 'sleep 60'], timeoutMs: 50, killGraceMs: 0 },
      ];
      // The pool of pipes makes 12 at a time, so after 24 it is as full as before.
      const takeTwentyFourPipes = async (): Promise<void> => {
        for (let round = 0; round < 3; round += 1) {
          for (const attempt of attempts) await run('true', { channel, ...attempt });
        }
      };
      await takeTwentyFourPipes();
      const before = openDescriptors();
      await takeTwentyFourPipes();
      await expect.poll(openDescriptors, { timeout: 20_000 }).toEqual(before);
    },
  );
});
