/** What one callback may be behind, in events. */
const MAX_WAITING = 256;

/**
 * Events for one callback that nobody waits for: they are told one after the other, beside what goes on. A callback that is
 * slow loses its own oldest ones.
 */
export class BesideQueue<Item> {
  readonly #tell: (item: Item) => Promise<void>;
  #waiting: Item[] = [];
  #isTelling = false;
  #lost = 0;

  /** @param tell must not reject. */
  constructor(tell: (item: Item) => Promise<void>) {
    this.#tell = tell;
  }

  /** How many were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    if (!this.#isTelling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift())
      await this.#tell(item);
    this.#isTelling = false;
  }
}
