import type { Clock } from '../../platform/clock/index.ts';
import type { EndingSignal, Host } from './host.ts';

/** See signal(7). */
const NUMBERS: Readonly<Record<EndingSignal, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const SIGNALLED = 128;
/** How long a verb may take to end by itself when its launcher is gone. */
const ORPHAN_GRACE_MS = 2000;

/** Why a verb was asked to end. */
export class InterruptedError extends Error {
  readonly exitCode: number;

  constructor(reason: string, exitCode: number) {
    super(reason);
    this.name = 'InterruptedError';
    this.exitCode = exitCode;
  }
}

/** Turns what ends a program into an abort, and a second request into an end at once. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #exit: (code: number) => void;
  readonly #clock: Clock;
  readonly #release: (() => void)[];
  readonly #handlers: (() => void)[] = [];

  constructor(host: Host) {
    this.#exit = (code) => host.exit(code);
    this.#clock = host.clock;
    this.#release = [
      host.onSignal((signal) => this.#receive(signal)),
      host.onLauncherGone(() => this.#orphaned()),
    ];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the program was asked to end; undefined when it was not. */
  get reason(): InterruptedError | undefined {
    const reason: unknown = this.signal.aborted ? this.signal.reason : undefined;
    return reason instanceof InterruptedError ? reason : undefined;
  }

  /** Asks the verb to end, with the exit code the program then has. */
  abort(reason: string, exitCode: number): void {
    this.#controller.abort(new InterruptedError(reason, exitCode));
  }

  /** Gives Ctrl-C to `handler` until the returned function is called. */
  takeOver(handler: () => void): () => void {
    this.#handlers.push(handler);
    return () => {
      const index = this.#handlers.indexOf(handler);
      if (index >= 0) this.#handlers.splice(index, 1);
    };
  }

  /** Stops listening. May be called twice. */
  close(): void {
    for (const release of this.#release.splice(0)) release();
  }

  #receive(signal: EndingSignal): void {
    const handler = signal === 'SIGINT' ? this.#handlers.at(-1) : undefined;
    if (handler !== undefined && !this.signal.aborted) return handler();
    const exitCode = SIGNALLED + NUMBERS[signal];
    if (this.signal.aborted) this.#exit(exitCode);
    else this.abort(`interrupted by ${signal}`, exitCode);
  }

  #orphaned(): void {
    const exitCode = SIGNALLED + NUMBERS.SIGHUP;
    if (!this.signal.aborted) this.abort('the launcher is gone', exitCode);
    this.#clock.startTimer(ORPHAN_GRACE_MS, () => this.#exit(exitCode), { background: true });
  }
}
