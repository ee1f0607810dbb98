/** Runs pieces of work one after the other, in the order they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `work` does, once everything before it has ended. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const running = this.#last.then(work);
    // A failure belongs to whoever asked for that piece of work, not to the one behind it.
    this.#last = running.catch(() => undefined);
    return running;
  }
}
