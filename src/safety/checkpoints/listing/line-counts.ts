import type { Oid } from '../model/path-state.ts';
import type { Contents } from './contents.ts';
import { countLines, type LineCount, NO_LINES } from './line-diff/count-lines.ts';

/** Pairs of contents that are remembered. */
const MAX_PAIRS = 50_000;

/** Counts the lines between contents of the store, each pair once. */
export class LineCounts {
  readonly #contents: Contents;
  readonly #known = new Map<string, LineCount>();

  constructor(contents: Contents) {
    this.#contents = contents;
  }

  /** Undefined stands for a file that is not there. Zeros when a content is lost. */
  between(before: Oid | undefined, after: Oid | undefined): LineCount {
    if (before === after) return NO_LINES;
    const key = `${before ?? ''} ${after ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const old = before === undefined ? undefined : this.#contents.read(before);
    const current = after === undefined ? undefined : this.#contents.read(after);
    const isLost =
      (before !== undefined && old === undefined) || (after !== undefined && current === undefined);
    if (isLost) return NO_LINES;
    const count = countLines(old, current);
    this.#remember(key, count);
    return count;
  }

  #remember(key: string, count: LineCount): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_PAIRS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, count);
  }
}
