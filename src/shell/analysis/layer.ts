const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();

/** Names with values, over those of the shell this one was forked from. */
export class Layer<T> {
  readonly #below: Layer<T> | undefined;
  #own: Map<string, T> | undefined;

  constructor(below?: Layer<T>) {
    this.#below = below;
  }

  /** Those that were set in this one. */
  get own(): ReadonlyMap<string, T> {
    return this.#own ?? EMPTY;
  }

  set(name: string, value: T): void {
    this.#own ??= new Map();
    this.#own.set(name, value);
  }

  get(name: string): T | undefined {
    const value = this.#own?.get(name);
    return value ?? this.#below?.get(name);
  }

  fork(): Layer<T> {
    return this.#own === undefined && this.#below !== undefined ? new Layer(this.#below) : new Layer(this);
  }
}
