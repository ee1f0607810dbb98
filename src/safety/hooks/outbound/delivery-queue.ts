import { messageOf } from '../../../kernel/errors/index.ts';
import type { DeliveryOutcome } from './deliver.ts';

/** Events that may wait for one target. */
const MAX_WAITING = 256;

interface DeliveryQueueOptions<Item> {
  /** A rejection counts as failed. */
  readonly deliver: (item: Item) => Promise<DeliveryOutcome>;
  readonly onFailed: (reason: string) => void;
  /** Called at the first event that is dropped, and at no later one. */
  readonly onFull: (limit: number) => void;
}

/** What waits for one target: told one after the other, in order. When it is full, what is new is dropped. */
export class DeliveryQueue<Item> {
  readonly #options: DeliveryQueueOptions<Item>;
  #waiting: Item[] = [];
  #running: Promise<void> | undefined;
  #isStopped = false;
  #dropped = 0;
  #cancelled = 0;

  constructor(options: DeliveryQueueOptions<Item>) {
    this.#options = options;
  }

  /** How many events were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns at once. `make` is not called for an event that is dropped. */
  offer(make: () => Item): void {
    if (this.#isStopped) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      if (this.#dropped === 1) this.#options.onFull(MAX_WAITING);
      return;
    }
    this.#waiting.push(make());
    this.#running ??= this.#run();
  }

  /** Resolves once nothing waits and nothing is being delivered. */
  async whenIdle(): Promise<void> {
    await this.#running;
  }

  /** Takes no more events and gives up those that wait. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelled += this.#waiting.length;
    this.#waiting = [];
  }

  /** How many events were given up, the one under way included, once the queue is stopped and idle. */
  get cancelled(): number {
    return this.#cancelled;
  }

  async #run(): Promise<void> {
    // What is expensive about a delivery is not done within the event.
    await Promise.resolve();
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift()) {
      const outcome = await this.#deliver(item);
      if (outcome.type === 'failed') this.#options.onFailed(outcome.reason);
      if (outcome.type === 'cancelled') this.#cancelled += 1;
    }
    this.#running = undefined;
  }

  async #deliver(item: Item): Promise<DeliveryOutcome> {
    try {
      return await this.#options.deliver(item);
    } catch (error) {
      return { type: 'failed', reason: messageOf(error) };
    }
  }
}
