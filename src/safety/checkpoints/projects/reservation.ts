import type { ProcessIdentity } from '../../../platform/process/index.ts';

/** A number of the journal whose record is still being written. */
export interface Reservation {
  readonly seq: number;
  /** Who writes it. */
  readonly process: ProcessIdentity;
  /** When it began; milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}
