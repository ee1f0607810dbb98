import type { Result } from '../../kernel/errors/index.ts';
import { type Condensed, isOverThreshold } from '../compression/index.ts';
import type { TokenUsage } from '../llm/index.ts';
import { compressConversation } from './compress-conversation.ts';
import type { TurnContext } from './turn-context.ts';

/** Part of the allowed size that a summary must be able to replace, and by which history grows between two attempts. */
const WORTH_PART = 0.1;
/** To which part of its size history is condensed that a provider refuses, whatever the window is said to be. */
const REFUSED_PART = 0.5;

/** Decides in one turn when history is condensed. Only to be asked while no call is open. */
export class AutoCompression {
  readonly #context: TurnContext;
  readonly #onUsage: (usage: TokenUsage) => void;
  #quietUpTo = 0;
  #failures = 0;

  /** @param onUsage told what each summary cost. */
  constructor(context: TurnContext, onUsage: (usage: TokenUsage) => void) {
    this.#context = context;
    this.#onUsage = onUsage;
  }

  /**
   * Condenses history that has outgrown its share of the window together with `incoming` tokens. After an attempt,
   * whatever came of it, there is none until history has grown again; twice as much after each one that failed.
   */
  async ifLarge(incoming = 0): Promise<void> {
    const { parts, options } = this.#context;
    const { model, compression } = parts;
    const tokens = options.conversation.tokens + incoming;
    if (!isOverThreshold(tokens, model, compression) || tokens <= this.#quietUpTo) return;
    const worthTokens = WORTH_PART * compression.threshold * model.contextWindow;
    const done = await this.#attempt({ worthTokens });
    if (!done.ok && done.code !== 'nothing_to_compress') this.#failures += 1;
    this.#quietUpTo = options.conversation.tokens + incoming + worthTokens * 2 ** this.#failures;
  }

  /** Condenses history that the provider found too long; false when that cannot be done. */
  async afterRefusal(): Promise<boolean> {
    const { parts, options } = this.#context;
    if (!parts.compression.enabled) return false;
    const done = await this.#attempt({ targetTokens: REFUSED_PART * options.conversation.tokens });
    return done.ok;
  }

  async #attempt(limits: {
    readonly worthTokens?: number;
    readonly targetTokens?: number;
  }): Promise<Result<Condensed>> {
    const { parts, options } = this.#context;
    const { conversation, signal } = options;
    const before = conversation.messages.length;
    const done = await compressConversation(parts, conversation, { signal, ...limits });
    if (done.ok) {
      this.#onUsage(done.value.usage);
      this.#context.emit({ type: 'compressed', before, after: done.value.messages.length });
    } else if (done.code !== 'nothing_to_compress' && !signal.aborted) {
      this.#context.warn([`The history could not be condensed and stays as it is: ${done.message}`]);
    }
    return done;
  }
}
