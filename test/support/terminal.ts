import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning, processEnds } from '../launcher/checkout.ts';
import { eventually, launcher } from './herma.ts';
import type { Scene } from './scene.ts';

const run = promisify(execFile);

/** Looking at the screen starts a process. */
const LOOK_EVERY_MS = 50;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What the shell does with the output of the program, such as `> out.txt`. */
  readonly redirection?: string;
}

/** The program in a terminal of its own, which is one of tmux. */
export class Terminal implements AsyncDisposable {
  readonly #folder: string;
  readonly #socket: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#socket = join(folder, 'tmux');
  }

  /** Starts `herma` with `args` in the project of the scene. */
  static async open(scene: Scene, args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
    assertTmux();
    const terminal = new Terminal(mkdtempSync(join(tmpdir(), 'term-')));
    await terminal.#start(scene, args, options);
    return terminal;
  }

  /** Everything that is on the screen and above it, without trailing spaces. */
  async screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'main');
  }

  /** Waits until the screen shows `expected`; gives back the screen. */
  async shows(expected: string | RegExp): Promise<string> {
    return this.#until(expected, (screen) => matches(screen, expected));
  }

  /** Waits until the screen no longer shows `unexpected`. */
  async hides(unexpected: string | RegExp): Promise<string> {
    return this.#until(unexpected, (screen) => !matches(screen, unexpected));
  }

  /** Types a text as a person does, without Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '-t', 'main', '--', text);
  }

  /** Presses keys by their names in tmux: `Enter`, `C-c`, `Up`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', '-t', 'main', ...keys);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** Pastes a text, marked as pasted where the program asked for that. */
  async paste(text: string): Promise<void> {
    const file = join(this.#folder, 'paste');
    writeFileSync(file, text);
    await this.#tmux('load-buffer', file);
    await this.#tmux('paste-buffer', '-p', '-t', 'main');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-t', 'main', '-x', String(columns), '-y', String(rows));
  }

  /** Every byte that was written to the terminal so far. */
  output(): string {
    return readFileSync(join(this.#folder, 'output'), 'utf8');
  }

  /** The process id of the program. */
  async pid(): Promise<number> {
    return eventually(() => {
      const text = readFileSync(join(this.#folder, 'pid'), 'utf8');
      if (!text.endsWith('\n')) throw new Error('the program did not start');
      return Number(text);
    });
  }

  /** Waits for the end of the program; gives back its exit code, and whether the terminal is as it was. */
  async ended(): Promise<{ readonly code: number; readonly isRestored: boolean }> {
    const settings = (name: string): string => readFileSync(join(this.#folder, name), 'utf8');
    return eventually(() => {
      if (!existsSync(join(this.#folder, 'code'))) throw new Error('the program still runs');
      return { code: Number(settings('code')), isRestored: settings('before') === settings('after') };
    }).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; the screen is:\n${await this.screen()}`);
    });
  }

  /** Closes the terminal while the program runs, and waits for the end of the program. */
  async hangUp(): Promise<void> {
    const pid = await this.pid();
    await this.#tmux('kill-server');
    await processEnds(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endProgram();
    await this.#tmux('kill-server').catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Lets the program end what it has started. */
  async #endProgram(): Promise<void> {
    const pid = Number(readFileSync(join(this.#folder, 'pid'), 'utf8'));
    if (pid === 0 || !isRunning(pid)) return;
    process.kill(pid, 'SIGTERM');
    await processEnds(pid);
  }

  async #start(
    scene: Scene,
    args: readonly string[],
    { columns = 100, rows = 40, env = {}, redirection = '' }: TerminalOptions,
  ): Promise<void> {
    const command = [process.execPath, launcher, ...args].map(quote).join(' ');
    writeFileSync(
      join(this.#folder, 'run.sh'),
      [
        // Ctrl-C is for the program; a shell that has a handler goes on.
        'trap : INT',
        `cd ${quote(scene.project)}`,
        ...Object.entries({ HERMA_HOME: scene.home, ...env }).map(
          ([name, value]) => `export ${name}=${quote(value)}`,
        ),
        `tmux -S ${quote(this.#socket)} wait-for ready`,
        `stty -g > ${quote(join(this.#folder, 'before'))}`,
        `(sh -c 'echo $PPID' > ${quote(join(this.#folder, 'pid'))}; exec ${command} ${redirection})`,
        `code=$?`,
        `stty -g > ${quote(join(this.#folder, 'after'))}`,
        `echo "[exit code $code]"`,
        `echo $code > ${quote(join(this.#folder, 'code.part'))}`,
        `mv ${quote(join(this.#folder, 'code.part'))} ${quote(join(this.#folder, 'code'))}`,
        'exec cat',
      ].join('\n'),
    );
    writeFileSync(join(this.#folder, 'output'), '');
    writeFileSync(join(this.#folder, 'pid'), '');
    const size = ['-x', String(columns), '-y', String(rows)];
    const shell = `sh ${quote(join(this.#folder, 'run.sh'))}`;
    await this.#tmux('new-session', '-d', '-s', 'main', ...size, shell);
    await this.#tmux('pipe-pane', '-t', 'main', `cat >> ${quote(join(this.#folder, 'output'))}`);
    await this.#tmux('wait-for', '-S', 'ready');
  }

  async #until(expected: string | RegExp, isMet: (screen: string) => boolean): Promise<string> {
    let screen = '';
    const look = async (): Promise<boolean> => {
      const hasEnded = existsSync(join(this.#folder, 'code'));
      screen = await this.screen();
      if (isMet(screen)) return true;
      if (!hasEnded) throw new Error('not yet');
      return false;
    };
    const isFound = await eventually(look, LOOK_EVERY_MS).catch(() => false);
    if (isFound) return screen;
    throw new Error(`waited in vain for ${String(expected)}; the screen is:\n${screen}`);
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-f', '/dev/null', '-S', this.#socket, ...args]);
    return stdout.replaceAll(/[ \t]+$/gm, '').trimEnd();
  }
}

function matches(screen: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? screen.includes(expected) : expected.test(screen);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function assertTmux(): void {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
  } catch {
    throw new Error('these tests need tmux, and it is not installed: apt-get install tmux');
  }
}
