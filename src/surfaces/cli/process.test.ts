import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../../bin/herma.js', import.meta.url));
const quotedLauncher = `'${process.execPath}' '${launcher}'`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, HERMA_HOME: home, ...more };
}

function herma(
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const run = spawnSync(process.execPath, [launcher, ...argv], { encoding: 'utf8', env: environment(more) });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr };
}

function bash(program: string): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const run = spawnSync('bash', ['--noprofile', '--norc', '-c', program], {
    encoding: 'utf8',
    env: environment(),
  });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr };
}

describe('the program', () => {
  it('shows its help', () => {
    const { status, stdout, stderr } = herma([]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: herma/);
  });

  it.each([
    [['cofig'], "herma: unknown command 'cofig'; did you mean config?\n"],
    [['doctor', '--jsn'], "herma: unknown option '--jsn'; did you mean --json?\n"],
    [
      ['sessions', 'show', '--nowhere', 'chat'],
      "herma: unknown option '--nowhere'; `herma sessions --help` shows what it takes\n",
    ],
    [['--', '--sessions'], "herma: unknown command '--sessions'; `herma --help` lists the commands\n"],
  ])('refuses %j in one line, exit 2', (argv, stderr) => {
    expect(herma(argv)).toEqual({ status: 2, stdout: '', stderr });
  });

  it('prints nothing but the document with --json', () => {
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_iterations: x\n');
    for (const argv of [['doctor'], ['config', 'check'], ['config', 'get', 'nope'], ['logs'], ['cofig']]) {
      const { stdout } = herma([...argv, '--json'], { FORCE_COLOR: '1' });
      expect(typeof (JSON.parse(stdout) as unknown)).toBe('object');
      expect(stdout.trimEnd()).not.toContain('\n');
    }
  });

  it('names file, line and column of a configuration error', () => {
    const file = join(home, 'config.yaml');
    writeFileSync(file, '# mine\nagent:\n  max_iterations: ninety\n');
    expect(herma(['config', 'check'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`${file}:3:19: agent.max_iterations is "ninety" (text)`),
    });
  });

  it('colours for FORCE_COLOR and not for NO_COLOR', () => {
    const escape = '\u001b[';
    expect(herma(['doctor'], { FORCE_COLOR: '1' }).stdout).toContain(escape);
    expect(herma(['doctor'], { FORCE_COLOR: '1', NO_COLOR: '1' }).stdout).not.toContain(escape);
    expect(herma(['doctor']).stdout).not.toContain(escape);
  });

  it('ends quietly when its reader goes away', () => {
    const { status, stdout, stderr } = bash(
      `set -o pipefail; ${quotedLauncher} completion bash | head -1; echo "\${PIPESTATUS[0]}"`,
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toBe('# Completion of herma for bash. To use it: source <(herma completion bash)\n0\n');
  });

  it('keeps its answer when nobody reads it', () => {
    writeFileSync(join(home, 'config.yaml'), 'agent: {x: 1}\n');
    const { stdout, stderr } = bash(`{ ${quotedLauncher} config check; echo $? >&2; } | true`);
    expect([stdout, stderr]).toEqual(['', '1\n']);
  });

  it.runIf(process.platform === 'linux')('says that its output cannot be written, exit 2', () => {
    const run = spawnSync(process.execPath, [launcher, 'config', 'get'], {
      encoding: 'utf8',
      env: environment(),
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    expect([run.stderr, run.status]).toEqual(['herma: cannot write to standard output (ENOSPC)\n', 2]);
  });

  it('writes everything before it ends, into a slow pipe too', () => {
    const servers = Array.from({ length: 3000 }, (_, index) => `  s${index}: {command: x}\n`).join('');
    writeFileSync(join(home, 'config.yaml'), `mcp_servers:\n${servers}`);
    const { stdout } = bash(
      `${quotedLauncher} config get --json | { read -r -N 1 first; printf %s "$first"; cat; }`,
    );
    const printed: { value: { mcp_servers: object } } = JSON.parse(stdout);
    expect(Object.keys(printed.value.mcp_servers)).toHaveLength(3000);
  });

  it('ends with a message when the home cannot be used', () => {
    writeFileSync(join(home, 'file'), '');
    const { status, stdout, stderr } = herma(['config', 'set', 'model', 'm', '--home', join(home, 'file')]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^herma: [^\n]*not a folder[^\n]*\n {2}[^\n]+\n$/);
  });

  it('works in a folder that is gone, as far as it does not need it', () => {
    const gone = join(home, 'gone');
    mkdirSync(gone);
    const program = `cd '${gone}' && rmdir '${gone}' && ${quotedLauncher} config path && ${quotedLauncher} doctor`;
    const { status, stdout, stderr } = bash(program);
    expect(stdout).toBe(`${join(home, 'config.yaml')}\n`);
    expect([status, stderr]).toEqual([
      2,
      'herma: the current folder no longer exists\n  change to another folder\n',
    ]);
  });
});

describe('completion', () => {
  it('is loaded by bash and asks the program', () => {
    const program = `
      herma() { ${quotedLauncher} "$@"; }
      source <(herma completion bash)
      complete -p herma
      COMP_WORDS=(herma config get agent.max_i); COMP_CWORD=3; _herma; echo "\${COMPREPLY[@]}"`;
    expect(bash(program)).toEqual({
      status: 0,
      stdout: 'complete -F _herma herma\nagent.max_iterations\n',
      stderr: '',
    });
  });

  it('is loaded by a bash that stops at every error', () => {
    expect(
      bash(`set -euo pipefail; eval "$(${quotedLauncher} completion bash)"; complete -p herma`),
    ).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

/** The program while it waits for a model server that never answers; descriptor 3 is a pipe. */
async function waiting(more: Readonly<Record<string, string>> = {}): Promise<{
  readonly child: ChildProcess;
  readonly close: () => void;
  readonly stderr: () => string;
}> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    join(home, 'config.yaml'),
    `model: {name: "openai-compatible:m", base_url: "http://127.0.0.1:${port}/v1"}\n`,
  );
  const child = spawn(process.execPath, [launcher, 'doctor'], {
    env: environment(more),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await once(server, 'request');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { child, close, stderr: () => errors };
}

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends what is going on, quietly: %s', async (signal, code) => {
    const { child, close, stderr } = await waiting();
    child.kill(signal);
    const [status] = await once(child, 'close');
    close();
    expect([status, stderr()]).toEqual([code, '']);
  });
});

describe('the end of the launcher', () => {
  it('ends the program', async () => {
    const variables = { HERMA_LAUNCHER_FD: '3', HERMA_LAUNCHER_PID: String(process.pid) };
    const { child, close, stderr } = await waiting(variables);
    child.stdio[3]?.destroy();
    const [status] = await once(child, 'close');
    close();
    expect([status, stderr()]).toEqual([129, '']);
  });

  it('that cannot be watched for is told', () => {
    const variables = { HERMA_LAUNCHER_FD: '99', HERMA_LAUNCHER_PID: String(process.pid) };
    const { status, stderr } = herma(['config', 'path'], variables);
    expect([status, stderr]).toEqual([0, expect.stringContaining('file descriptor 99 is not an open pipe')]);
  });

  it.each(['0', '1', '2', '-1', '3x'])('is not read from a descriptor that is none of its own: %s', (fd) => {
    const variables = { HERMA_LAUNCHER_FD: fd, HERMA_LAUNCHER_PID: String(process.pid) };
    expect(herma(['config', 'path'], variables)).toEqual({
      status: 0,
      stdout: `${join(home, 'config.yaml')}\n`,
      stderr: '',
    });
  });
});

describe('start-up', () => {
  interface Loaded {
    readonly packages: readonly string[];
    readonly builtins: readonly string[];
  }

  /** The packages and the modules of Node.js that a run loads. */
  function loadedBy(argv: readonly string[], input = ''): Loaded {
    const [hook, report] = [join(home, 'hook.mjs'), join(home, 'loaded.json')];
    writeFileSync(
      hook,
      `import { writeFileSync } from 'node:fs';
       import { registerHooks } from 'node:module';
       const packages = new Set();
       registerHooks({
         load: (url, context, next) => {
           const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
           if (name !== undefined) packages.add(name);
           return next(url, context);
         },
       });
       process.on('exit', () => {
         const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
         writeFileSync(${JSON.stringify(report)}, JSON.stringify({
           packages: [...packages].sort(),
           builtins: builtins.map((name) => name.slice('NativeModule '.length)),
         }));
       });`,
    );
    const run = spawnSync(process.execPath, ['--import', hook, launcher, ...argv], {
      encoding: 'utf8',
      env: environment(),
      input,
    });
    expect(run.stderr).toBe('');
    return JSON.parse(readFileSync(report, 'utf8')) as Loaded;
  }

  it('loads for a call what it needs: no database, no model, no terminal, no servers', () => {
    writeFileSync(join(home, 'small.txt'), 'one line\n');
    const call = JSON.stringify({ tool: 'read_file', args: { path: join(home, 'small.txt') } });
    const { packages, builtins } = loadedBy(['call'], call);
    expect(packages).toEqual(['@cfworker/json-schema', 'commander', 'picocolors']);
    for (const name of ['sqlite', 'http', 'https', 'tls', 'readline', 'internal/deps/undici/undici'])
      expect(builtins).not.toContain(name);
    writeFileSync(join(home, 'config.yaml'), 'agent: {max_iterations: 3}\n');
    expect(loadedBy(['call'], call).packages).toContain('yaml');
    expect(loadedBy(['doctor']).builtins).toContain('sqlite');
  });
});

describe('what nobody catches', () => {
  it('is told in two lines, with its stack for --verbose only', () => {
    const program = join(home, 'program.mjs');
    const host = new URL('process-host.ts', import.meta.url).href;
    writeFileSync(
      program,
      `const { createProcessHost } = await import('${host}');
       createProcessHost({ isVerbose: process.argv[2] === 'verbose' });
       setTimeout(() => Promise.reject(new Error('lost')), 0);
       setTimeout(() => console.log('still here'), 60_000);`,
    );
    const run = (mode: string) =>
      spawnSync(process.execPath, [program, mode], { encoding: 'utf8', env: environment() });
    expect(run('brief')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'herma: internal error: lost\n  `--verbose` shows where; please report it\n',
    });
    expect(run('verbose').stderr).toContain('program.mjs');
    rmSync(program);
  });
});
