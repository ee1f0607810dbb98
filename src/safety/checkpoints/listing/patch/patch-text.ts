export interface PatchLimits {
  readonly maxLines: number;
  readonly maxChars: number;
}

/** The text of a patch as it grows, up to a limit. */
export class PatchText {
  readonly #limits: PatchLimits;
  readonly #parts: string[] = [];
  #lines = 0;
  #chars = 0;
  #isCut = false;

  constructor(limits: PatchLimits) {
    this.#limits = limits;
  }

  /** Adds whole lines, or none from the first that is too much on. */
  add(lines: Iterable<string>): void {
    if (this.#isCut) return;
    for (const line of lines) {
      if (this.#lines >= this.#limits.maxLines || this.#chars + line.length > this.#limits.maxChars) {
        this.#isCut = true;
        return;
      }
      this.#parts.push(line);
      this.#lines += 1;
      this.#chars += line.length;
    }
  }

  /** Whether lines were left out. */
  get isCut(): boolean {
    return this.#isCut;
  }

  toString(): string {
    return this.#parts.join('');
  }
}
