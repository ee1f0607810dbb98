import type { RawStat } from '../../../platform/raw-files/index.ts';
import type { FolderRecord } from './folder-record.ts';
import type { FolderVisit, PendingRead } from './folder-visit.ts';
import type { IgnoreLevel } from './ignore-levels.ts';
import type { OpenRepository } from './open-repository.ts';

/** Where a walk begins. */
export interface WalkStart {
  /** Absolute. */
  readonly path: string;
  readonly stat: RawStat;
  readonly previous: FolderRecord | undefined;
  /** The names in the root are proven to be those of the last scan. */
  readonly hasSameNames: boolean;
  /** Whether rules, or other things that decide, may have changed. */
  readonly isDecidedAnew: boolean;
  readonly hasNewIndex: boolean;
  /** The repository that the root lies in, when its top is above the root. */
  readonly repository: OpenRepository | undefined;
  /** The rules of folders above the root. */
  readonly level: () => IgnoreLevel | undefined;
}

/** What a walk found: the folders, outer ones before what lies in them, and what is to be read. */
export interface Walk {
  readonly visits: readonly FolderVisit[];
  readonly pending: readonly PendingRead[];
}
