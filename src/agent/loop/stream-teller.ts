import type { EventPayload } from '../../kernel/events/index.ts';
import type { TurnContext } from './turn-context.ts';

const STREAM_EVENTS = ['on_stream_start', 'on_stream_delta', 'on_stream_end'] as const;

/** Tells hooks of one answer as it streams. The stream waits for none of them. */
export class StreamTeller {
  readonly #context: TurnContext;
  readonly #iteration: number;
  readonly #isHeard: boolean;
  #isStarted = false;
  #text = '';

  /** @param iteration model requests of the turn so far, this one included. */
  constructor(context: TurnContext, iteration: number) {
    this.#context = context;
    this.#iteration = iteration;
    this.#isHeard = STREAM_EVENTS.some((event) => context.parts.callbacks.has(event));
  }

  delta(delta: string): void {
    if (!this.#isHeard) return;
    if (!this.#isStarted) this.#context.post('on_stream_start', () => this.#fields());
    this.#isStarted = true;
    this.#text += delta;
    this.#context.post('on_stream_delta', () => ({ ...this.#fields(), delta, kind: 'text' }));
  }

  /** The attempt was given up; another one follows. */
  restart(): void {
    this.end('the attempt was given up');
    this.#isStarted = false;
    this.#text = '';
  }

  /** @param error why it was broken off; absent when it came to its end. */
  end(error?: string): void {
    if (!this.#isStarted) return;
    const finalText = this.#text;
    this.#context.post('on_stream_end', () => ({
      ...this.#fields(),
      finalText,
      finished: error === undefined,
      ...(error === undefined ? {} : { error }),
    }));
  }

  #fields(): EventPayload<'on_stream_start'> {
    const { sessionId, turnId, model, platform } = this.#context.turnFields();
    return { sessionId, turnId, model, surface: platform, iteration: this.#iteration };
  }
}
