import type { Hole, Oid } from './path-state.ts';

/** How much of a project a scan looked at. */
export type Coverage =
  | 'whole'
  /** Too many files: those that git tracks, and the folders that calls have touched. */
  | 'tracked';

/**
 * A project's tree at one moment, in the store. `root` is a git tree object with two entries: `tree`, the files of the
 * project as git stores them, and `meta.json`, what git has no place for (see `snapshot-meta.ts`).
 */
export interface Snapshot {
  readonly root: Oid;
  readonly coverage: Coverage;
  /** Files and links that were captured. */
  readonly files: number;
  /** How many paths were not captured; they are listed in `meta.json`. */
  readonly holes: number;
}

/** What git trees cannot say about a snapshot: the content of `meta.json`. */
export interface SnapshotMeta {
  readonly version: 1;
  /** Permission bits of files and folders that are not named in `modes`. */
  readonly fileMode: number;
  readonly executableMode: number;
  readonly directoryMode: number;
  /** Permission bits by path, where they differ from the three above. */
  readonly modes: ReadonlyMap<string, number>;
  /** Folders without entries, which a git tree cannot hold. */
  readonly emptyDirectories: readonly string[];
  /** Sorted by path. With coverage `tracked` the first has the path '', and stands for all that was not looked at. */
  readonly holes: readonly Hole[];
  readonly coverage: Coverage;
  /** With coverage `tracked`: the folders that were looked at beside the tracked files. Empty otherwise. */
  readonly touched: readonly string[];
  /** With coverage `tracked`: paths that git tracks and where nothing is. Empty otherwise. */
  readonly missing: readonly string[];
}
