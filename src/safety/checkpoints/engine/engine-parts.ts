import { join } from 'node:path';
import type { Clock } from '../../../platform/clock/index.ts';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { CaptureParts } from '../capture/capture-parts.ts';
import { ChangeTotals } from '../listing/change-totals.ts';
import type { DiffParts } from '../listing/diff-since.ts';
import { storeContents, storeSnapshots } from '../listing/store-contents.ts';
import type { CheckpointSettings } from '../model/settings.ts';
import { ObjectStore } from '../objects/object-store.ts';
import { RefStore } from '../objects/ref-store.ts';
import { ByteCount } from '../projects/byte-count.ts';
import { Journals } from '../projects/journals.ts';
import { Leases } from '../projects/leases.ts';
import { ProjectRegistry } from '../projects/project-registry.ts';
import type { RetentionParts } from '../retention/retention-parts.ts';
import { TreeScanner } from '../scan/tree-scanner.ts';

/** What a store of checkpoints is opened with. Plain data, so that a thread can be told. */
export interface EngineOptions {
  /** Where the store is, absolute; it is made by the first checkpoint. */
  readonly base: string;
  /** The person's home folder: no project. */
  readonly userHome: string;
  /** The folder of temporary files: no project. */
  readonly temporary: string;
  /** Absolute; of what lies there a scan captures nothing. */
  readonly skip: readonly string[];
  readonly settings: CheckpointSettings;
}

/** Everything that the parts of the store work with. */
export interface EngineParts extends CaptureParts, RetentionParts {
  readonly base: string;
  readonly differ: DiffParts;
  readonly totals: ChangeTotals;
}

/** Opens what there is of a store; makes nothing. */
export function openEngineParts(options: EngineOptions, clock: Clock): EngineParts {
  const { base, userHome, temporary, settings, skip } = options;
  const folder = join(base, 'store');
  const processes = { self: currentProcessIdentity(), isAlive };
  const objects = ObjectStore.open(folder);
  const contents = storeContents(objects);
  return {
    base,
    folder,
    objects,
    refs: new RefStore(folder),
    registry: new ProjectRegistry({ folder, home: userHome, temporary }),
    journals: new Journals({ folder, processes, objects }),
    leases: new Leases(folder, processes),
    bytes: new ByteCount(folder),
    scanner: new TreeScanner({ objects }),
    settings,
    clock,
    now: () => clock.now(),
    process: processes.self,
    isAlive,
    skip,
    pending: new Map(),
    differ: { contents, snapshots: storeSnapshots(objects) },
    totals: new ChangeTotals(contents),
  };
}
