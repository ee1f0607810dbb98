/** Lines on their way from one that writes to one that fetches. */
export class LineQueue {
  #lines: string[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(line: string): void {
    this.#lines.push(line);
    this.#wake?.();
  }

  /** No line follows. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** Resolves with the lines there are, as soon as there is one; with null at the end. One at a time. */
  async next(): Promise<readonly string[] | null> {
    while (this.#lines.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const lines = this.#lines;
    this.#lines = [];
    return lines.length === 0 ? null : lines;
  }
}
