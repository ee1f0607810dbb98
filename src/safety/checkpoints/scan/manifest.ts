import type { Oid } from '../model/path-state.ts';
import type { Coverage, Snapshot } from '../model/snapshot.ts';
import type { FolderRecord } from './folder-record.ts';

/** What the last scan of a project found. Everything in it is also true of the snapshot it names, or a guess worth a look. */
export interface Manifest {
  readonly path: string;
  readonly snapshot: Snapshot;
  readonly metaOid: Oid;
  /** Size, times, inode and mode of the root itself, as in a record; and whether they were racy. */
  readonly rootNumbers: readonly number[];
  readonly isRootRacy: boolean;
  /** Files outside of the root that decide about it: rules above it, and the repository it lies in. */
  readonly outerRulesStamp: string;
  readonly outerIndexStamp: string;
  readonly maxFileBytes: number;
  readonly skip: readonly string[];
  readonly coverage: Coverage;
  readonly root: FolderRecord;
}
