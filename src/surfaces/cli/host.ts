import type { Result } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Environment } from '../../platform/environment/index.ts';
import type { OutputStream } from './output/output.ts';

/** Signals that ask the program to end. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

/** What the program needs of the process it runs in. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Opened by the first call. */
  stdin(): NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly environment: Environment;
  readonly clock: Clock;
  workingDirectory(): Result<string>;
  /** Calls `listener` for each signal, instead of ending the process, until the returned function is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
  /** Calls `listener` once when the launcher that started this process is gone. */
  onLauncherGone(listener: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}
