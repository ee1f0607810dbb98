import { dirname } from 'node:path';
import type { Oid } from '../model/path-state.ts';
import { treeOfCommit } from '../objects/commit-object.ts';
import { canonicalPath } from '../projects/canonical-path.ts';
import type { Lease } from '../projects/leases.ts';
import { treeRef } from '../projects/ref-names.ts';
import type { ScanOutcome } from '../scan/tree-scanner.ts';
import type { CaptureParts } from './capture-parts.ts';

export interface ProjectPlace {
  readonly h16: string;
  readonly root: string;
}

/** Captures the whole tree of a project. `named`: the paths (relative) that this call names. */
export function scanProject(
  parts: CaptureParts,
  { h16, root }: ProjectPlace,
  lease: Lease,
  named: readonly string[],
): ScanOutcome {
  const outcome = parts.scanner.scan({
    h16,
    root,
    maxFileBytes: parts.settings.maxFileBytes,
    touched: touchedFolders(parts, h16, named),
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
