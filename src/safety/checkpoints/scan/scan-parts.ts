import type { ObjectWriter } from '../objects/object-writer.ts';
import type { IndexCache } from './open-repository.ts';
import type { ScanClock } from './scan-clock.ts';

/** What the steps of one scan share. */
export interface ScanParts {
  /** Larger files are holes. */
  readonly maxFileBytes: number;
  /** Paths relative to the root that are left out without a word. */
  readonly skip: ReadonlySet<string>;
  readonly clock: ScanClock;
  readonly indexes: IndexCache;
  /** Made when there is something to write. */
  readonly writer: () => ObjectWriter;
  /** For files that fit. */
  readonly scratch: Buffer;
}
