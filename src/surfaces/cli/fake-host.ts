import { PassThrough, Readable, Writable } from 'node:stream';
import { fail, succeed } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { freezeVariables } from '../../platform/environment/index.ts';
import type { EndingSignal, Host } from './host.ts';
import { runCli } from './run-cli.ts';
import type { VerbEntry } from './verb.ts';
import { verbTable } from './verb-table.ts';

export interface FakeHostOptions {
  /** HERMA_HOME. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTty?: boolean;
  readonly columns?: number;
  /** Absent when the folder is gone. */
  readonly workingDirectory?: string;
}

/** A process for tests: its output is kept, and its signals are sent by hand. */
export class FakeHost implements Host {
  readonly stdout: CollectingStream;
  readonly stderr: CollectingStream;
  readonly environment: Host['environment'];
  readonly clock: FakeClock = new FakeClock();
  /** Codes of the ends at once. */
  readonly exits: number[] = [];
  readonly #input: Host['stdin'] extends () => infer Stream ? Stream : never;
  readonly #workingDirectory: string | undefined;
  readonly #signalListeners = new Set<(signal: EndingSignal) => void>();
  readonly #launcherListeners = new Set<() => void>();

  constructor({
    home,
    environment = {},
    stdin = '',
    isTty = false,
    columns,
    workingDirectory,
  }: FakeHostOptions) {
    this.stdout = new CollectingStream(isTty, columns);
    this.stderr = new CollectingStream(isTty, columns);
    this.environment = freezeVariables(
      Object.entries({ HERMA_HOME: home, PATH: '/usr/bin:/bin', ...environment }),
    );
    const input = isTty ? new PassThrough() : Readable.from([Buffer.from(stdin)]);
    this.#input = Object.assign(input, { isTTY: isTty });
    this.#workingDirectory = workingDirectory;
  }

  stdin(): ReturnType<Host['stdin']> {
    return this.#input;
  }

  workingDirectory(): ReturnType<Host['workingDirectory']> {
    return this.#workingDirectory === undefined
      ? fail('no_working_directory', 'the current folder no longer exists', 'change to another folder')
      : succeed(this.#workingDirectory);
  }

  onSignal(listener: (signal: EndingSignal) => void): () => void {
    this.#signalListeners.add(listener);
    return () => this.#signalListeners.delete(listener);
  }

  onLauncherGone(listener: () => void): () => void {
    this.#launcherListeners.add(listener);
    return () => this.#launcherListeners.delete(listener);
  }

  exit(code: number): void {
    this.exits.push(code);
  }

  send(signal: EndingSignal): void {
    for (const listener of this.#signalListeners) listener(signal);
  }

  loseLauncher(): void {
    for (const listener of this.#launcherListeners) listener();
  }

  /** How many wait for signals or for the end of the launcher. */
  get listenerCount(): number {
    return this.#signalListeners.size + this.#launcherListeners.size;
  }
}

/** Runs a command line on a fake host. */
export async function runOn(
  host: FakeHost,
  argv: readonly string[],
  table: readonly VerbEntry[] = verbTable,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const code = await runCli(argv, { host, table, version: '1.2.3' });
  return { code, stdout: host.stdout.text, stderr: host.stderr.text };
}

/** Keeps what is written to it; fails every write once it is told to. */
export class CollectingStream extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = '';
  #failure: string | undefined;

  constructor(isTty: boolean, columns = 80) {
    super({ decodeStrings: false });
    this.isTTY = isTty;
    this.columns = columns;
  }

  failWith(code: string): void {
    this.#failure = code;
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#failure !== undefined) {
      done(Object.assign(new Error(`write ${this.#failure}`), { code: this.#failure }));
      return;
    }
    this.text += chunk.toString();
    done();
  }
}
