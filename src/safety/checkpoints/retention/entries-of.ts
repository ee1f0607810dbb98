import { rawStat } from '../../../platform/raw-files/index.ts';
import { type Entry, groupEntries } from '../listing/entries.ts';
import { closeRef, openRef, privateRef } from '../projects/ref-names.ts';
import type { RetentionParts } from './retention-parts.ts';

/** An entry of one of the projects of a store. */
export interface StoredEntry {
  readonly h16: string;
  readonly entry: Entry;
  /** Its age for the order of dropping: never older than an entry before it, whatever the clock did. */
  readonly at: number;
  /** Whether it is the newest of its project. */
  readonly isNewest: boolean;
  /** Whether a call of it runs, or a restore of its project was begun: it must stay. */
  readonly isInUse: boolean;
}

/** The entries of a project, newest first. */
export function entriesOf(parts: RetentionParts, h16: string): readonly StoredEntry[] {
  const isRestoring = rawStat(`${parts.folder}/journals/${h16}/restore.json`) !== undefined;
  const entries = groupEntries(parts.journals.of(h16).records());
  let at = Number.NEGATIVE_INFINITY;
  const stored: StoredEntry[] = [];
  for (const entry of entries.toReversed()) {
    at = Math.max(at, entry.at);
    const isNewest = entry === entries[0];
    stored.push({ h16, entry, at, isNewest, isInUse: isRestoring || isRunning(parts, entry) });
  }
  return stored.toReversed();
}

/** The projects that have a file, a journal or refs, sorted. */
export function projectHashes(parts: RetentionParts): readonly string[] {
  return [...new Set([...parts.registry.hashes(), ...parts.journals.hashes()])].toSorted();
}

/** The refs of an entry that there may be, below `refs/herma/`. */
export function refNamesOf({ h16, entry }: StoredEntry): readonly string[] {
  return entry.calls.flatMap(({ open, closes }) => [
    openRef(h16, open.seq),
    privateRef(h16, open.seq),
    ...closes.flatMap(({ seq }) => [closeRef(h16, seq), privateRef(h16, seq)]),
  ]);
}

/**
 * Removes the records of an entry and what names its content; the content itself goes with the next reclaim.
 *
 * The calls go from the oldest on, each with its record before its refs: whoever dies on the way leaves a history that
 * begins later and is whole, and refs without records, which the next reclaim removes.
 */
export function dropEntry(parts: RetentionParts, { h16, entry }: StoredEntry): void {
  const journal = parts.journals.of(h16);
  for (const { open, closes } of entry.calls) {
    journal.remove([open.seq]);
    parts.step?.('drop-open');
    for (const { seq } of closes) journal.remove([seq]);
    parts.step?.('drop-closes');
    parts.refs.delete(openRef(h16, open.seq));
    parts.step?.('drop-ref');
    parts.refs.delete(privateRef(h16, open.seq));
    for (const { seq } of closes) {
      parts.refs.delete(closeRef(h16, seq));
      parts.refs.delete(privateRef(h16, seq));
    }
    parts.step?.('drop-call');
  }
}

/** Whether a call has not ended yet. That its process cannot be judged counts as running. */
function isRunning(parts: RetentionParts, { calls }: Entry): boolean {
  return calls.some(
    ({ open, closes }) =>
      open.kind === 'call' && closes.length === 0 && parts.isAlive(open.process) !== 'dead',
  );
}
