import { type Component, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';

/**
 * A component whose lines never exceed the width they are drawn for: one that does, as on a terminal of two columns, would
 * end the program.
 */
export class Fitted implements Component {
  readonly #inner: Component;
  #lines: readonly string[] = [];
  #fitted: readonly string[] = [];
  #width = 0;

  constructor(inner: Component) {
    this.#inner = inner;
  }

  handleInput(data: string): void {
    this.#inner.handleInput?.(data);
  }

  invalidate(): void {
    this.#inner.invalidate();
  }

  /** Gives back the same array as long as nothing has changed, as components do. */
  render(width: number): readonly string[] {
    const lines = this.#inner.render(width);
    if (lines === this.#lines && width === this.#width) return this.#fitted;
    const isFitting = lines.every((line) => visibleWidth(line) <= width);
    this.#fitted = isFitting ? lines : lines.map((line) => truncateToWidth(line, width, ''));
    this.#lines = lines;
    this.#width = width;
    return this.#fitted;
  }
}
