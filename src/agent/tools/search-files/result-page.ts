/** Characters of one answer. */
const MAX_LENGTH = 80_000;

/** Counts results and keeps the texts of those that are on the page that was asked for. */
export class ResultPage {
  readonly #offset: number;
  readonly #limit: number;
  readonly #texts: string[] = [];
  #total = 0;
  #shown = 0;
  #length = 0;

  constructor({ offset, limit }: { readonly offset: number; readonly limit: number }) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** Results found so far. */
  get total(): number {
    return this.#total;
  }

  get text(): string {
    return this.#texts.join('\n');
  }

  /** Counts one result. True when it is on the page: then {@link show} is to follow. */
  take(): boolean {
    this.#total += 1;
    const isBehindOffset = this.#total > this.#offset;
    const isNext = this.#total === this.#offset + this.#shown + 1;
    return isBehindOffset && isNext && this.#shown < this.#limit && this.#length < MAX_LENGTH;
  }

  /** Adds the text of the result that was taken last; an empty one when it is shown already. */
  show(text: string): void {
    this.#shown += 1;
    if (text === '') return;
    this.#texts.push(text);
    this.#length += text.length;
  }

  /** Which of the results are shown, and how to see the next ones: `shown 51-100, go on with offset 100`. */
  describe(): string | undefined {
    const end = this.#offset + this.#shown;
    if (this.#shown === 0) return `none shown, offset ${String(this.#offset)} is past the last`;
    if (this.#offset === 0 && end === this.#total) return undefined;
    const range = `shown ${String(this.#offset + 1)}-${String(end)}`;
    return end < this.#total ? `${range}, go on with offset ${String(end)}` : range;
  }
}
