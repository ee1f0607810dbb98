import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  isRunning,
  launch,
  launchWaiting,
  makeCheckout,
  olderNodes,
  onWindows,
  processEnds,
  repository,
  thisNode,
  type Waiting,
  withoutDescriptors,
} from './checkout.ts';

const manifest: { version: string } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

const started: Waiting[] = [];
afterEach(() => {
  for (const { launcher, program } of started.splice(0)) {
    launcher.kill('SIGKILL');
    if (isRunning(program)) process.kill(program, 'SIGKILL');
  }
});

describe('--version', () => {
  it.each(['--version', '-V'])('answers %s on any Node.js, without the program', (option) => {
    const root = makeCheckout({ pinned: false, installed: true });
    for (const starter of [thisNode, onWindows, ...olderNodes()]) {
      const run = launch(root, [option], { starter });
      expect([run.stdout, run.stderr, run.status]).toEqual([`${manifest.version}\n`, '', 0]);
    }
  });

  it('is the program that answers when there are more arguments', () => {
    const run = launch(makeCheckout(), ['report', '--version']);
    expect(JSON.parse(run.stdout)).toMatchObject({ argv: ['report', '--version'] });
  });

  it('says that the package is incomplete', () => {
    const root = makeCheckout({ installed: true });
    rmSync(join(root, 'package.json'));
    const run = launch(root, ['--version']);
    expect(run.stderr).toMatch(/^herma: ENOENT.*package\.json'; install the package again\n$/);
    expect([run.stdout, run.status]).toEqual(['', 2]);
  });

  it('ends quietly when nobody reads', async () => {
    const child = spawn(process.execPath, [join(repository, 'bin/herma.js'), '--version'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [code] = await once(child, 'close');
    expect([code, errors]).toEqual([0, '']);
  });

  it.runIf(process.platform === 'linux')('says that the output cannot be written', () => {
    const run = spawnSync(process.execPath, [join(repository, 'bin/herma.js'), '--version'], {
      encoding: 'utf8',
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    expect([run.stderr, run.status]).toEqual(['herma: cannot write to standard output (ENOSPC)\n', 2]);
  });
});

describe('the choice of the program', () => {
  const source = 'src/surfaces/cli/main.ts';
  const built = 'dist/surfaces/cli/main.js';

  function chosen(root: string): string {
    const { source: file }: { source: string } = JSON.parse(launch(root, ['report']).stdout);
    return file.slice(root.length + 1);
  }

  function build(root: string): void {
    mkdirSync(join(root, 'dist/surfaces/cli'), { recursive: true });
    writeFileSync(
      join(root, built),
      'export async function main(argv) { console.log(JSON.stringify({ argv, source: import.meta.filename })); return 0; }',
    );
  }

  function age(file: string, seconds: number): void {
    const time = statSync(file).mtimeMs / 1000 - seconds;
    utimesSync(file, time, time);
  }

  it('takes the sources while nothing is built', () => {
    expect(chosen(makeCheckout())).toBe(source);
  });

  it('takes the build, and passes it over once a source is newer', () => {
    const root = makeCheckout();
    build(root);
    age(join(root, source), 60);
    expect(chosen(root)).toBe(built);
    writeFileSync(join(root, 'src/surfaces/newer.test.ts'), '');
    age(join(root, 'src/surfaces/newer.test.ts'), -60);
    expect(chosen(root)).toBe(built);
    writeFileSync(join(root, 'src/surfaces/newer.ts'), '');
    age(join(root, 'src/surfaces/newer.ts'), -60);
    expect(chosen(root)).toBe(source);
  });

  it('takes the build where there are no sources, also through a link as npm makes one', () => {
    const root = makeCheckout({ installed: true });
    build(root);
    expect(chosen(root)).toBe(built);
    symlinkSync(join(root, 'bin/herma.js'), join(root, 'herma'));
    const run = spawnSync(join(root, 'herma'), ['report'], { encoding: 'utf8' });
    expect(JSON.parse(run.stdout)).toMatchObject({ source: join(root, built) });
  });

  it('says so when there is no program at all', () => {
    const root = makeCheckout({ installed: true });
    const run = launch(root, ['report']);
    expect([run.stderr, run.status]).toEqual([
      `herma: ${root} holds neither dist/ nor src/; install the package again\n`,
      2,
    ]);
  });

  it('names the missing package and the remedy', () => {
    const root = makeCheckout();
    writeFileSync(
      join(root, source),
      'import "no-such-package-here"; export async function main() { return 0; }',
    );
    const run = launch(root, ['report']);
    expect(run.stderr).toMatch(
      /^herma: Cannot find package 'no-such-package-here' .*; run `npm ci` in .*\n$/,
    );
    expect(run.status).toBe(2);
  });
});

describe('a machine at its limits', () => {
  const remedy = 'end other programs or raise the limit (ulimit -n, ulimit -u)';

  it('is told when the program cannot be loaded', () => {
    const root = makeCheckout();
    writeFileSync(
      join(root, 'src/surfaces/cli/main.ts'),
      `import { openSync } from 'node:fs';
       const files = [];
       while (files.length < 1000) files.push(openSync('/dev/null', 'r'));
       export async function main() { return 0; }`,
    );
    const limited = ['-c', 'ulimit -n 64; exec "$@"', 'bash', thisNode.command];
    const run = launch(root, ['report'], {
      starter: { title: 'limited', command: 'bash', prefix: limited },
    });
    expect([run.stderr, run.status]).toEqual([
      `herma: EMFILE: too many open files, open '/dev/null'; ${remedy}\n`,
      2,
    ]);
  });

  it.each(olderNodes())('is told by $title when the pinned Node.js cannot be started', (starter) => {
    const run = launch(makeCheckout(), ['report'], { starter: withoutDescriptors(starter) });
    expect(run.stderr).toMatch(/^herma: .*\/bin\/node does not start \(EMFILE\); /);
    expect(run.stderr.endsWith(`; ${remedy}\n`)).toBe(true);
    expect([run.stdout, run.status]).toEqual(['', 2]);
  });
});

describe('the program in this process', () => {
  it('gets its arguments and standard input, and decides the exit code', () => {
    const root = makeCheckout();
    const odd = ['report', 'a b', '', '--json', 'naïve\n"line"'];
    const run = launch(root, odd, { input: 'from stdin' });
    expect(JSON.parse(run.stdout)).toMatchObject({ argv: odd, input: 'from stdin', major: 24 });
    expect(launch(root, ['exit', '4']).status).toBe(4);
  });

  it('never sees the pipe of a launcher further up', () => {
    const env = { HERMA_LAUNCHER_FD: '3', HERMA_LAUNCHER_PID: '1' };
    const report: Record<string, unknown> = JSON.parse(launch(makeCheckout(), ['report'], { env }).stdout);
    expect(report['launcherFd']).toBeUndefined();
    expect(report['launcherPid']).toBeUndefined();
  });

  it('is reported on one line when it throws, with the place on request', () => {
    const root = makeCheckout();
    const run = launch(root, ['throw']);
    expect([run.stderr, run.status]).toEqual([
      'herma: internal error: the first line; `--verbose` shows where\n',
      2,
    ]);
    expect(launch(root, ['throw', '--verbose']).stderr).toMatch(/\n {4}at .*main /);
  });

  it('compiles into the private cache folder of the user', () => {
    const root = makeCheckout();
    launch(root, ['exit', '0'], { env: { NODE_COMPILE_CACHE: undefined } });
    expect(statSync(join(homedir(), '.cache/herma/compiled')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['a cache folder that cannot be made', '/dev/null'],
    ['a relative cache folder', 'relative'],
    ['a cache folder where the system knows no new folders', '/proc/herma'],
  ])('runs with %s', (_title, folder) => {
    const run = launch(makeCheckout(), ['exit', '3'], {
      env: { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: folder },
    });
    expect([run.stderr, run.status]).toEqual(['', 3]);
  });
});

describe('a platform or a version that is not supported', () => {
  it('is named on one line on Windows', () => {
    const run = launch(makeCheckout(), ['report'], { starter: onWindows });
    expect([run.stdout, run.stderr, run.status]).toEqual([
      '',
      'herma: Windows is not supported, yet; run it in WSL, on Linux or on macOS\n',
      2,
    ]);
  });

  it.each(olderNodes())('is named on one line by $title outside a checkout', (starter) => {
    const run = launch(makeCheckout({ installed: true }), ['report'], { starter });
    expect(run.stderr).toMatch(
      /^herma: needs Node\.js 24 or newer, this is \d+\..* \(.*\); install Node\.js 24 or newer\n$/,
    );
    expect([run.stdout, run.status]).toEqual(['', 2]);
  });

  it.each(olderNodes())(
    'is named with its remedy by $title in a checkout that is not installed',
    (starter) => {
      const run = launch(makeCheckout({ pinned: false }), ['report'], { starter });
      expect(run.stderr).toMatch(
        /^herma: needs Node\.js 24 .*; run `npm ci` in this checkout, which brings one\n$/,
      );
      expect(run.status).toBe(2);
    },
  );

  it.each(olderNodes())('is named by $title when the pinned Node.js does not start', (starter) => {
    const root = makeCheckout({ pinned: false });
    const folder = join(root, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'node'), 'no program');
    const run = launch(root, ['report'], { starter });
    expect(run.stderr).toMatch(
      /^herma: .*\/bin\/node does not start \(EACCES\); install Node\.js 24 or newer\n$/,
    );
    expect(run.status).toBe(2);
  });

  it('does not start itself again and again when the pinned Node.js is too old as well', () => {
    const [pretended] = olderNodes();
    const env = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${pretended?.prefix[1]}` };
    const run = launch(makeCheckout(), ['report'], { env });
    expect(run.stderr).toMatch(/^herma: needs Node\.js 24 .*\n$/);
    expect(run.status).toBe(2);
  });
});

describe.runIf(process.platform === 'linux').each(olderNodes())('a checkout on $title', (starter) => {
  it('runs the program with the pinned Node.js', () => {
    const run = launch(makeCheckout(), ['report', 'a b'], { starter, input: 'from stdin' });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toMatchObject({
      argv: ['report', 'a b'],
      input: 'from stdin',
      major: 24,
      launcherFd: '3',
    });
  });

  it('passes on exit codes and death by signal', () => {
    const root = makeCheckout();
    for (const code of [0, 1, 4]) expect(launch(root, ['exit', String(code)], { starter }).status).toBe(code);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGABRT']) {
      expect(launch(root, ['die', signal], { starter }).signal).toBe(signal);
    }
  });

  it('forwards signals', async () => {
    const waiting = await launchWaiting(makeCheckout(), starter);
    started.push(waiting);
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
      waiting.launcher.kill(signal);
      expect(JSON.parse(await waiting.nextLine())).toBe(signal);
    }
    expect(await waiting.exited).toEqual([7, null]);
  });

  it('leaves no program running when the launcher is killed', async () => {
    const waiting = await launchWaiting(makeCheckout(), starter);
    started.push(waiting);
    expect(waiting.program).not.toBe(waiting.launcher.pid);
    waiting.launcher.kill('SIGKILL');
    expect(await waiting.exited).toEqual([null, 'SIGKILL']);
    await processEnds(waiting.program);
  });

  it('begins nothing when the launcher was killed before the program looked for it', async () => {
    const root = makeCheckout();
    const shell = spawn(
      'bash',
      [
        '-c',
        `export HERMA_LAUNCHER_FD=3 HERMA_LAUNCHER_PID=$$
         (while [ -e /proc/$$ ]; do :; done; "$@"; echo "exit $?") &
         kill -KILL $$`,
        'bash',
        process.execPath,
        join(root, 'bin/herma.js'),
        'report',
      ],
      { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] },
    );
    let output = '';
    shell.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(shell, 'exit');
    shell.stdio[3]?.destroy();
    await once(shell, 'close');
    expect(output).toBe('exit 129\n');
  });

  it('keeps the pipe from the children of the program', () => {
    const run = launch(makeCheckout(), ['children'], { starter });
    const seen: { here: string[]; child: string[] } = JSON.parse(run.stdout);
    expect(seen.here).toContain('3');
    expect(seen.child).not.toContain('3');
    expect(seen.child).toContain('2');
  });

  it('lets an interrupt typed at the terminal reach the program once', async () => {
    const root = makeCheckout();
    const log = join(tmpdir(), `interrupts-${starter.title.replaceAll(/\W/g, '-')}`);
    const tmux = (...args: string[]): void => {
      const run = spawnSync('tmux', ['-S', join(root, 'tmux'), '-f', '/dev/null', ...args], {
        encoding: 'utf8',
      });
      expect(run.stderr).toBe('');
    };
    const lines = (): unknown[] =>
      readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
    tmux(
      'new-session',
      '-d',
      starter.command,
      ...starter.prefix,
      join(root, 'bin/herma.js'),
      'wait',
      '',
      log,
    );
    try {
      await vi.waitFor(() => expect(lines()).toHaveLength(1), { timeout: 20_000 });
      const [{ launcher, program }] = lines() as [{ launcher: number; program: number }];
      tmux('send-keys', 'C-c');
      await vi.waitFor(() => expect(lines()).toContain('SIGINT'), { timeout: 20_000 });
      // Signals are forwarded in order: a second interrupt would come before this.
      process.kill(launcher, 'SIGTERM');
      await processEnds(program);
      expect(lines().slice(1)).toEqual(['SIGINT', 'SIGTERM']);
    } finally {
      spawnSync('tmux', ['-S', join(root, 'tmux'), 'kill-server']);
      rmSync(log, { force: true });
    }
  });
});
