import { abortReason } from '../../../platform/clock/index.ts';
import type { ScreenInput } from './chat-screen.ts';

type Take = (input: ScreenInput) => void;

/**
 * What a person types, in order, for one reader at a time. What was typed ahead is a message to come; it never answers a
 * question that was asked after it was typed.
 */
export class InputQueue {
  readonly #typedAhead: ScreenInput[] = [];
  #reader: Take | undefined;
  #answerer: Take | undefined;
  #ended = false;

  push(input: ScreenInput): void {
    if (this.#ended) return;
    const take = this.#answerer ?? this.#reader;
    if (take === undefined) this.#typedAhead.push(input);
    else take(input);
  }

  /** Nothing more can be typed: whoever waits, now or later, is told that the person leaves. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#answerer?.({ type: 'leave' });
    this.#reader?.({ type: 'leave' });
  }

  /** Takes back the messages that were typed ahead, oldest first. */
  withdraw(): readonly string[] {
    const inputs = this.#typedAhead.splice(0);
    return inputs.flatMap((input) => (input.type === 'text' ? [input.text] : []));
  }

  /** The next message, typed ahead or yet to be typed. */
  async next(): Promise<ScreenInput> {
    const input = this.#typedAhead.shift();
    if (input !== undefined) return input;
    if (this.#ended) return { type: 'leave' };
    return new Promise((resolve) => {
      this.#reader = (typed) => {
        this.#reader = undefined;
        resolve(typed);
      };
    });
  }

  /** The next thing that is typed from now on. Rejects when `signal` is aborted. */
  async answer(signal: AbortSignal): Promise<ScreenInput> {
    signal.throwIfAborted();
    if (this.#ended) return { type: 'leave' };
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#answerer = undefined;
        signal.removeEventListener('abort', withdraw);
      };
      const withdraw = (): void => {
        settle();
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#answerer = (typed) => {
        settle();
        resolve(typed);
      };
    });
  }
}
