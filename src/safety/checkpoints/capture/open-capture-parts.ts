import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { CheckpointSettings } from '../model/settings.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { RefStore } from '../objects/ref-store.ts';
import { ByteCount } from '../projects/byte-count.ts';
import { Journals } from '../projects/journals.ts';
import { Leases } from '../projects/leases.ts';
import type { ProcessView } from '../projects/process-view.ts';
import { ProjectRegistry } from '../projects/project-registry.ts';
import { TreeScanner } from '../scan/tree-scanner.ts';
import type { CaptureParts } from './capture-parts.ts';

export interface CaptureOptions {
  /** The folder of the store; it need not exist. */
  readonly folder: string;
  /** The user's home folder. */
  readonly home: string;
  /** The folder of temporary files. */
  readonly temporary: string;
  readonly settings: CheckpointSettings;
  readonly now: () => number;
  readonly isAlive: ProcessView['isAlive'];
  /** This process. */
  readonly self: ProcessIdentity;
  /** See {@link CaptureParts}. */
  readonly skip: readonly string[];
  readonly step?: (name: string) => void;
}

/** What captures into one store work with. Makes and reads nothing yet. */
export function openCaptureParts(options: CaptureOptions): CaptureParts {
  const { folder, home, temporary, settings, now, isAlive, self, skip, step } = options;
  const objects = ObjectStore.open(folder);
  const processes = { self, isAlive };
  return {
    folder,
    objects,
    refs: new RefStore(folder),
    registry: new ProjectRegistry({ folder, home, temporary }),
    journals: new Journals({ folder, processes, objects }),
    leases: new Leases(folder, processes),
    bytes: new ByteCount(folder),
    scanner: new TreeScanner({ objects }),
    settings,
    now,
    process: self,
    isAlive,
    skip,
    pending: new Map(),
    ...(step === undefined ? {} : { step }),
  };
}
