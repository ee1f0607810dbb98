import type { CaptureParts } from '../capture/capture-parts.ts';
import { type ProjectPlace, scanProject } from '../capture/scan-project.ts';
import type { OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Lease } from '../projects/leases.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import { entriesOf, stateAt } from '../snapshots/snapshot-entries.ts';
import type { SnapshotReader } from './plan-model.ts';

/** What restores work with. */
export interface RestoreParts extends CaptureParts {
  /** Those of the store when absent. */
  readonly snapshots?: SnapshotReader;
  /** Captures the project as it is; undefined when it has no scans. */
  readonly scan?: (project: ProjectPlace, lease: Lease) => Snapshot | undefined;
  /** See `HistoryRequest`. */
  readonly isDetachedOver?: (open: OpenRecord) => boolean;
}

/** The snapshots that a store holds. */
export function storeSnapshots(objects: ObjectStore): SnapshotReader {
  return {
    stateAt: (root, path) => stateAt(objects, root, path),
    entries: (root) => entriesOf(objects, root),
    diff: (before, after) => diffSnapshots(objects, before, after),
  };
}

/** The project as it is; undefined when it is too broad to be scanned. */
export function scanNow(parts: RestoreParts, project: ProjectPlace, lease: Lease): Snapshot | undefined {
  if (parts.scan !== undefined) return parts.scan(project, lease);
  if (parts.registry.isBroad(project.root)) return undefined;
  const { snapshot, bytes } = scanProject(parts, project, lease, []);
  parts.bytes.add(bytes);
  return snapshot;
}
