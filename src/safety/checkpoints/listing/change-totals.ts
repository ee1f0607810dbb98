import type { Oid, PathState } from '../model/path-state.ts';
import type { Contents } from './contents.ts';
import type { Entry } from './entries.ts';
import { LineCounts } from './line-counts.ts';
import { netChanges } from './net-changes.ts';

/** How much the calls of an entry changed, taken together. */
export interface Totals {
  /** Files and links that they created, changed or deleted. */
  readonly files: number;
  /** Folders that they created, changed or deleted. */
  readonly folders: number;
  /** Lines. */
  readonly insertions: number;
  /** Lines. */
  readonly deletions: number;
}

/** Entries that are remembered. */
const MAX_ENTRIES = 1000;

/** Adds up the changes of entries. Remembers them, and the line counts of contents, as long as it lives. */
export class ChangeTotals {
  readonly #counts: LineCounts;
  readonly #known = new Map<string, Totals>();

  constructor(contents: Contents) {
    this.#counts = new LineCounts(contents);
  }

  /** Lines of a content that is lost are not counted. */
  of(entry: Entry): Totals {
    const key = keyOf(entry);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const totals = this.#add(entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_ENTRIES && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, totals);
    return totals;
  }

  #add(entry: Entry): Totals {
    let [files, folders, insertions, deletions] = [0, 0, 0, 0];
    for (const { before, after } of netChanges(entry)) {
      const [old, current] = [contentOf(before), contentOf(after)];
      if (old === undefined && current === undefined) {
        folders += 1;
        continue;
      }
      const lines = this.#counts.between(old, current);
      files += 1;
      insertions += lines.insertions;
      deletions += lines.deletions;
    }
    return { files, folders, insertions, deletions };
  }
}

/** Records never change: an entry is another one only when calls were added to it or closed. */
function keyOf({ id, calls }: Entry): string {
  const seqs = calls.map(({ open, closes }) => [open.seq, ...closes.map(({ seq }) => seq)].join(','));
  return `${id} ${seqs.join(';')}`;
}

function contentOf(state: PathState): Oid | undefined {
  return state.kind === 'file' || state.kind === 'link' ? state.oid : undefined;
}
