import type { Liveness, ProcessIdentity } from '../../../platform/process/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { CheckpointSettings } from '../model/settings.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { RefStore } from '../objects/ref-store.ts';
import type { ByteCount } from '../projects/byte-count.ts';
import type { Journals } from '../projects/journals.ts';
import type { Leases } from '../projects/leases.ts';
import type { ProjectRegistry } from '../projects/project-registry.ts';
import type { TreeScanner } from '../scan/tree-scanner.ts';

/** What captures work with. */
export interface CaptureParts {
  /** The folder of the store; it is made when it is not there. */
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly refs: RefStore;
  readonly registry: ProjectRegistry;
  readonly journals: Journals;
  readonly leases: Leases;
  readonly bytes: ByteCount;
  readonly scanner: TreeScanner;
  readonly settings: CheckpointSettings;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** The process that can close what is opened, unless the call says otherwise. */
  readonly process: ProcessIdentity;
  readonly isAlive: (identity: ProcessIdentity) => Liveness;
  /** Absolute paths of which a scan captures nothing: the home of this program. */
  readonly skip: readonly string[];
  /** Snapshot roots by project whose manifests `persistManifests` has still to write. Begins empty; kept between calls. */
  readonly pending: Map<string, Oid>;
  /** Called with the name of each step when it is done; for fault injection. */
  readonly step?: (name: string) => void;
}
