import type { Liveness, ProcessIdentity } from '../../../platform/process/index.ts';

/** What the store knows about processes. */
export interface ProcessView {
  /** This process. */
  readonly self: ProcessIdentity;
  readonly isAlive: (identity: ProcessIdentity) => Liveness;
}
