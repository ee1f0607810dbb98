import { dirname } from 'node:path';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { OpenRecord } from '../model/record.ts';
import { treeOfCommit } from '../objects/commit-object.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import type { Lease } from '../projects/leases.ts';
import type { Project } from '../projects/project-file.ts';
import { treeRef } from '../projects/ref-names.ts';
import type { ScanOutcome } from '../scan/tree-scanner.ts';
import { readMeta } from '../snapshots/snapshot-meta.ts';
import type { CaptureParts } from './capture-parts.ts';

export interface ProjectPlace {
  readonly h16: string;
  readonly root: string;
}

/** Captures the whole tree of a project. `named`: the paths (relative) that this call names. */
export function scanProject(
  parts: CaptureParts,
  project: ProjectPlace,
  lease: Lease,
  named: readonly string[],
): ScanOutcome {
  return scan(parts, project, lease, touchedFolders(parts, project.h16, named));
}

/**
 * Captures the tree that a call has left. Of a tree that is captured in part, it is the part that the snapshot before the
 * call has. A root that is not where it was is one that was removed: nothing is left of it.
 */
export function scanAfter(
  parts: CaptureParts,
  project: ScannedProject,
  lease: Lease,
  open: OpenRecord,
): ScanOutcome {
  if (isRemoved(project)) return parts.scanner.scanNothing(lease);
  const { before, named } = open;
  const touched =
    before?.coverage === 'tracked'
      ? readMeta(parts.objects, before.root).touched
      : touchedFolders(
          parts,
          project.h16,
          named.map(({ path }) => path),
        );
  return scan(parts, project, lease, touched);
}

type ScannedProject = Pick<Project, 'h16' | 'root' | 'parent'>;

/** Whether nothing has the name of the root, and that in the very folder that held it: no volume is missing. */
function isRemoved({ root, parent }: ScannedProject): boolean {
  if (parent === undefined || rawStat(root) !== undefined) return false;
  const holder = rawStat(dirname(root));
  return holder !== undefined && holder.dev === parent.dev && holder.ino === parent.ino;
}

function scan(
  parts: CaptureParts,
  { h16, root }: ProjectPlace,
  lease: Lease,
  touched: readonly string[],
): ScanOutcome {
  const outcome = parts.scanner.scan({
    h16,
    root,
    maxFileBytes: parts.settings.maxFileBytes,
    touched,
    skip: skippedPaths(parts, root),
    isAlive: (snapshot) => isSnapshotAlive(parts, h16, snapshot),
    mayReuse: lease.mayReuse,
  });
  parts.pending.set(h16, outcome.snapshot.root);
  return outcome;
}

/** Whether something in the store keeps a snapshot of this project: a record, or the ref of its manifest. */
function isSnapshotAlive(parts: CaptureParts, h16: string, root: Oid): boolean {
  return manifestRoot(parts, h16) === root || isRecorded(parts, h16, root);
}

/** Whether a record of the project has this snapshot. */
export function isRecorded(parts: CaptureParts, h16: string, root: Oid): boolean {
  return parts.journals
    .of(h16)
    .records()
    .some((record) => (record.type === 'open' ? record.before : record.after)?.root === root);
}

function manifestRoot(parts: CaptureParts, h16: string): Oid | undefined {
  const commit = parts.refs.get(treeRef(h16));
  const object = commit === undefined ? undefined : parts.objects.read(commit);
  return object?.kind === 'commit' ? treeOfCommit(object.bytes) : undefined;
}

function touchedFolders(parts: CaptureParts, h16: string, named: readonly string[]): readonly string[] {
  const recorded = parts.journals
    .of(h16)
    .records()
    .flatMap((record) => record.named.map(({ path }) => path));
  const folders = [...recorded, ...named].map((path) => (path.includes('/') ? dirname(path) : ''));
  return [...new Set(folders)].toSorted();
}

/** What of `skip`, and of the store, lies below `root`; relative. */
function skippedPaths(parts: CaptureParts, root: string): readonly string[] {
  const prefix = root === '/' ? '/' : `${root}/`;
  return [...parts.skip, parts.folder]
    .map(canonicalPath)
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length));
}
