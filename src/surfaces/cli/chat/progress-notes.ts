import type { Clock } from '../../../platform/clock/index.ts';
import type { Output } from '../output/output.ts';
import { type Progress, startProgress } from '../output/progress.ts';

/** Lines about what happens, with a moving line below them for what is being waited for, where a person looks. */
export class ProgressNotes {
  readonly #output: Output;
  readonly #clock: Clock;
  #waitsFor: string | undefined;
  #progress: Progress | undefined;
  #questions = 0;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
  }

  /** Shows what is being waited for, until something else is or {@link close}. */
  busy(what: string): void {
    this.#waitsFor = what;
    this.#move();
  }

  /** Writes a line above the moving one. */
  note(line: string): void {
    this.#progress?.stop();
    this.#output.write(`${line}\n`);
    this.#move();
  }

  /** Nothing moves while `question` waits for its answer. */
  async quietly<Value>(question: () => Promise<Value>): Promise<Value> {
    this.#questions += 1;
    this.#move();
    try {
      return await question();
    } finally {
      this.#questions -= 1;
      this.#move();
    }
  }

  /** Removes the moving line. May be called twice. */
  close(): void {
    this.#waitsFor = undefined;
    this.#move();
  }

  #move(): void {
    this.#progress?.stop();
    this.#progress =
      this.#waitsFor === undefined || this.#questions > 0
        ? undefined
        : startProgress(this.#output, this.#clock, this.#waitsFor);
  }
}
