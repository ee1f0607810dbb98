import type { Clock } from '../../../platform/clock/index.ts';
import type { Liveness, ProcessIdentity } from '../../../platform/process/index.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { RefStore } from '../objects/ref-store.ts';
import type { ByteCount } from '../projects/byte-count.ts';
import type { Journals } from '../projects/journals.ts';
import type { Leases } from '../projects/leases.ts';
import type { ProjectRegistry } from '../projects/project-registry.ts';

/** What keeping the store small works with. */
export interface RetentionParts {
  /** Holds the store and what is beside it. */
  readonly base: string;
  /** The folder of the store, `<base>/store`. */
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly refs: RefStore;
  readonly registry: ProjectRegistry;
  readonly journals: Journals;
  readonly leases: Leases;
  readonly bytes: ByteCount;
  readonly clock: Clock;
  readonly isAlive: (identity: ProcessIdentity) => Liveness;
  /** Called with the name of each step when it is done; for fault injection. */
  readonly step?: (name: string) => void;
}

/** How far something long has come. */
export interface Progress {
  readonly phase: 'dropping' | 'looking' | 'packing' | 'removing' | 'checking';
  readonly done: number;
  /** Undefined while nobody knows. */
  readonly total: number | undefined;
}

export interface WorkOptions {
  /** What is done stays done; the rest is left as it was. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}
