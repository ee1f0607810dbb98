import type { CancelTimer, Clock } from '../../../platform/clock/index.ts';
import { plainText } from './plain-text.ts';

const INTERVAL_MS = 200;
/** How much of the output is looked at for its last line. */
const WINDOW_BYTES = 4096;
const MAX_LENGTH = 200;

export interface ProgressOptions {
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  readonly onProgress: (text: string) => void;
}

/** Shows the last line of a command's output while it runs, five times a second at most. */
export class LastLineProgress {
  readonly #options: ProgressOptions;
  #window: Uint8Array = new Uint8Array();
  #shown = '';
  #cancelTimer: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  add(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#window = Buffer.concat([this.#window, chunk.subarray(-WINDOW_BYTES)]).subarray(-WINDOW_BYTES);
    this.#cancelTimer ??= this.#options.clock.startTimer(INTERVAL_MS, () => this.#show(), {
      background: true,
    });
  }

  /** Shows nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  #show(): void {
    this.#cancelTimer = undefined;
    const text = this.#options.redact(plainText(new TextDecoder().decode(this.#window)));
    const line = text
      .split('\n')
      .findLast((candidate) => candidate.trim() !== '')
      ?.trim()
      .slice(0, MAX_LENGTH);
    if (line === undefined || line === this.#shown) return;
    this.#shown = line;
    this.#options.onProgress(line);
  }
}
