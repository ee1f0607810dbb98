import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freezeVariables } from '../../../platform/environment/index.ts';
import { processIdentity } from '../../../platform/process/index.ts';
import { commandWords } from './command-words.ts';
import {
  MAX_STDERR_BYTES,
  MAX_STDOUT_BYTES,
  runShellHook,
  type ShellRun,
  type ShellRunOptions,
} from './run-shell-hook.ts';

const MEGABYTE = 1024 * 1024;
const LONG_MS = 60_000;
const left = new Set<number>();
let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hook's folder é-")));
  mkdirSync(join(folder, 'directory'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  for (const pid of left) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  left.clear();
});

function isRunning(pid: number): boolean {
  return processIdentity(pid) !== undefined;
}

function script(name: string, firstLine: string, lines: readonly string[], mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, [firstLine, ...lines, ''].join('\n'));
  chmodSync(path, mode);
  return path;
}

const bash = (...lines: readonly string[]): string => script('hook.sh', '#!/bin/bash', lines);

/** The pids that a script wrote, one per line. */
function pids(): readonly number[] {
  const written = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
  for (const pid of written) left.add(pid);
  rmSync(join(folder, 'pids'));
  return written;
}

async function run(program: string, options: Partial<ShellRunOptions> = {}): Promise<ShellRun> {
  return runShellHook({
    program,
    args: [],
    stdin: '{}',
    cwd: folder,
    env: freezeVariables([
      ['PATH', process.env['PATH']],
      ['FOLDER', folder],
    ]),
    timeoutMs: LONG_MS,
    signal: new AbortController().signal,
    ...options,
  });
}

describe('a script', () => {
  it.each([
    ['bash', '#!/bin/bash', 'printf "%s" "$(cat)|$1|$PWD"; echo oops >&2; exit 3'],
    [
      'python3',
      '#!/usr/bin/env python3',
      'import os, sys; sys.stdout.write(sys.stdin.read() + "|" + sys.argv[1] + "|" + os.getcwd()); print("oops", file=sys.stderr); sys.exit(3)',
    ],
    [
      'node',
      '#!/usr/bin/env node',
      'let text = ""; process.stdin.on("data", (part) => { text += part; }).on("end", () => { process.stdout.write(`${text}|${process.argv[2]}|${process.cwd()}`); console.error("oops"); process.exitCode = 3; });',
    ],
  ])('in %s reads, writes and ends', async (name, firstLine, line) => {
    const program = script(`a ${name} "hook"`, firstLine, [line]);
    const words = commandWords(`'${program.replaceAll("'", `'"'"'`)}' "two words"`, folder);
    expect(words.ok).toBe(true);
    if (!words.ok) return;
    const result = await run(words.value.program, { args: words.value.args, stdin: '{"é":"😀"}' });
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      stdout: `{"é":"😀"}|two words|${folder}`,
      stderr: 'oops\n',
      timedOut: false,
      overflow: null,
      error: null,
    });
    expect(result.elapsedMs).toBeGreaterThan(0);
  });

  it('can open /dev/stdin and /dev/stderr', async () => {
    const result = await run(bash('cat /dev/stdin; echo why > /dev/stderr; exit 2'), { stdin: '{"a":1}' });
    expect([result.exitCode, result.stdout, result.stderr]).toEqual([2, '{"a":1}', 'why\n']);
  });

  it('gets a large input whole', async () => {
    const stdin = JSON.stringify({ content: 'A\u2028\0😀\\"'.repeat(300_000) });
    const { stdout } = await run(bash('sha256sum'), { stdin });
    expect(stdout.slice(0, 64)).toBe(createHash('sha256').update(stdin).digest('hex'));
  });

  it.each(['exit 2', 'exec 0<&-; exit 2'])(
    'that reads nothing of a large input is judged by its exit code: %s',
    async (line) => {
      const result = await run(bash(line), { stdin: 'x'.repeat(MEGABYTE) });
      expect([result.exitCode, result.error]).toEqual([2, null]);
    },
  );

  it('that ends by a signal', async () => {
    const result = await run(bash('echo "{}"; kill -9 $$'));
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false, stdout: '{}\n' });
  });

  it('that prints no UTF-8', async () => {
    const { stdout } = await run(bash(String.raw`printf 'a\377b'`));
    expect(stdout).toBe('a\uFFFDb');
  });
});

describe('too much output', () => {
  it('is cut and reported, and the exit code still counts', async () => {
    const result = await run(bash('head -c 100000000 /dev/zero | tr "\\0" x; exit 2'));
    expect([result.exitCode, result.overflow, result.stdout.length]).toEqual([2, 'stdout', MAX_STDOUT_BYTES]);
  });

  it('on stderr as well', async () => {
    const result = await run(bash('echo "{}"; head -c 1000000 /dev/zero >&2'));
    expect([result.overflow, result.stdout, result.stderr.length]).toEqual([
      'stderr',
      '{}\n',
      MAX_STDERR_BYTES,
    ]);
  });

  it('is what is above the limit, not what reaches it', async () => {
    const result = await run(
      bash(
        `head -c ${String(MAX_STDOUT_BYTES)} /dev/zero`,
        `head -c ${String(MAX_STDERR_BYTES)} /dev/zero >&2`,
      ),
    );
    expect(result.overflow).toBeNull();
  });

  it('without end is ended by the time limit', async () => {
    expect(await run(bash('yes'), { timeoutMs: 200 })).toMatchObject({ timedOut: true, overflow: 'stdout' });
  });
});

describe('a child that a script leaves behind', () => {
  it.each(['sleep 300 &', 'setsid sleep 300 &', '(trap "" TERM HUP; sleep 300 & wait) &'])(
    'keeps nobody waiting and is left alone: %s',
    async (line) => {
      const result = await run(bash('cat >/dev/null', line, 'echo $! >> "$FOLDER/pids"', 'echo "{}"'));
      expect(result).toMatchObject({ exitCode: 0, stdout: '{}\n', timedOut: false });
      expect(pids().map(isRunning)).toEqual([true]);
    },
  );

  it('as a daemon keeps nobody waiting either', async () => {
    const program = script('daemon.py', '#!/usr/bin/env python3', [
      'import os, time',
      'if os.fork() == 0:',
      '    os.setsid()',
      '    if os.fork() == 0:',
      '        open(os.environ["FOLDER"] + "/pids", "w").write(str(os.getpid()))',
      '        time.sleep(300)',
      '    os._exit(0)',
      'os.wait()',
      'while not os.path.exists(os.environ["FOLDER"] + "/pids"): time.sleep(0.01)',
      'print("{}", flush=True)',
    ]);
    expect(await run(program)).toMatchObject({ exitCode: 0, stdout: '{}\n', timedOut: false });
    expect(pids().map(isRunning)).toEqual([true]);
  });
});

describe('the time limit', () => {
  it.each([
    ['that sleeps', ['sleep 300 & echo $! >> "$FOLDER/pids"; wait']],
    ['with children in other sessions', ['setsid sleep 300 & echo $! >> "$FOLDER/pids"; wait']],
    [
      'that ignores SIGTERM, like its children',
      ['trap "" TERM', '(trap "" TERM; sleep 300) & echo $! >> "$FOLDER/pids"; sleep 300'],
    ],
    ['that closed its output', ['exec >&- 2>&-; sleep 300']],
  ])(
    'ends a script %s, and all below it',
    async (_, lines) => {
      const result = await run(bash('echo $$ >> "$FOLDER/pids"', ...lines), { timeoutMs: 300 });
      expect([result.timedOut, result.error]).toEqual([true, null]);
      expect(pids().map(isRunning)).not.toContain(true);
    },
    20_000,
  );

  it('keeps what was printed before', async () => {
    const result = await run(bash('echo "{}"; echo trace >&2; sleep 300'), { timeoutMs: 300 });
    expect([result.timedOut, result.stdout, result.stderr]).toEqual([true, '{}\n', 'trace\n']);
  });

  it('is not needed when the caller gives up: the run rejects with the reason, and the script is gone', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const running = run(bash('echo $$ > "$FOLDER/pids"; sleep 300'), { signal: controller.signal });
    await expect.poll(() => pidsIfWritten()).toBeDefined();
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(pids().map(isRunning)).toEqual([false]);
    await expect(run(bash('exit 0'), { signal: controller.signal })).rejects.toBe(reason);
  });
});

function pidsIfWritten(): string | undefined {
  try {
    return readFileSync(join(folder, 'pids'), 'utf8') || undefined;
  } catch {
    return undefined;
  }
}

describe('what cannot be started says why, without names for the model', () => {
  it.each<[string, () => string, string]>([
    ['a missing script', () => join(folder, 'missing.sh'), 'its command was not found'],
    ['an unknown program', () => 'no-such-program-here', 'its command was not found'],
    [
      'a script that is not executable',
      () => script('plain.sh', '#!/bin/sh', [], 0o644),
      'its command is not executable',
    ],
    ['a folder', () => join(folder, 'directory'), 'its command is not executable'],
    [
      'a missing interpreter',
      () => script('odd.sh', '#!/no/such/interpreter', []),
      'the interpreter of its script was not found',
    ],
    ['a NUL character', () => 'a\0b', 'its command holds a character that cannot be passed on'],
  ])('%s', async (_, program, message) => {
    const { error, exitCode } = await run(program());
    expect([error?.message, exitCode]).toEqual([message, null]);
    expect(error?.detail).not.toBe('');
  });
});
