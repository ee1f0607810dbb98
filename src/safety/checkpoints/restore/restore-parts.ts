import { dirname } from 'node:path';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { CaptureParts } from '../capture/capture-parts.ts';
import { type ProjectPlace, scanProject } from '../capture/scan-project.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { PreviewStore } from '../objects/preview-store.ts';
import type { Lease } from '../projects/leases.ts';
import { TreeScanner } from '../scan/tree-scanner.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import { entriesOf, stateAt } from '../snapshots/snapshot-entries.ts';
import type { SnapshotReader } from './plan-model.ts';

/** What restores work with. */
export type RestoreParts = CaptureParts;

/** The snapshots that a store holds. */
export function storeSnapshots(objects: ObjectStore): SnapshotReader {
  return {
    stateAt: (root, path) => stateAt(objects, root, path),
    entries: (root) => entriesOf(objects, root),
    diff: (before, after) => diffSnapshots(objects, before, after),
  };
}

/** The project as it is, beside the snapshots of the store. To be closed. */
export interface SeenProject {
  readonly snapshot: Snapshot;
  readonly snapshots: SnapshotReader;
  readonly close: () => void;
}

/** Captures the project as it is; undefined when it is too broad to be scanned. */
export function captureNow(
  parts: RestoreParts,
  project: ProjectPlace,
  lease: Lease,
): SeenProject | undefined {
  if (parts.registry.isBroad(project.root)) return undefined;
  const { snapshot, bytes } = scanProject(parts, project, lease, []);
  parts.bytes.add(bytes);
  return { snapshot, snapshots: storeSnapshots(parts.objects), close: () => undefined };
}

/** As {@link captureNow}, and the store stays as it is. A root that is gone is empty: a restore makes it first. */
export function previewNow(parts: RestoreParts, project: ProjectPlace): SeenProject | undefined {
  const { root } = project;
  if (parts.registry.isBroad(root)) return undefined;
  const objects = new PreviewStore(parts.folder);
  const scanner = new TreeScanner({ objects });
  const isGone = rawStat(root) === undefined && rawStat(dirname(root)) !== undefined;
  const { snapshot } = isGone
    ? scanner.scanNothing(NO_LEASE)
    : scanProject({ ...parts, objects, scanner, pending: new Map() }, project, NO_LEASE, []);
  return {
    snapshot,
    snapshots: storeSnapshots(objects),
    close: () => {
      objects.close();
    },
  };
}

/** Of what records name maintenance removes nothing. */
const NO_LEASE: Lease = { mayReuse: true, release: () => undefined };
