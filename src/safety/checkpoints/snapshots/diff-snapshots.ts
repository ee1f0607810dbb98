import { isSameState, type Oid, type PathChange, type PathState } from '../model/path-state.ts';
import type { SnapshotMeta } from '../model/snapshot.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { TreeItem } from '../objects/tree-object.ts';
import { compareText } from './snapshot-meta.ts';
import { SnapshotView } from './snapshot-view.ts';

const TREE_MODE = 0o040_000;

/**
 * What differs between two snapshots of one project, sorted by path: every path that was captured in one of them or both and
 * does not have the same state in both. A path that was not covered on one side, or lies below one that was not, has the
 * state `hole` there: whether it was there is not known. And every hole of the first of them where nothing is in the second.
 *
 * Costs time in proportion to what differs.
 *
 * @throws CorruptObjectError when a snapshot is missing, or is damaged.
 */
export function diffSnapshots(objects: ObjectStore, before: Oid, after: Oid): readonly PathChange[] {
  if (before === after) return [];
  const views = { before: new SnapshotView(objects, before), after: new SnapshotView(objects, after) };
  const paths = new Set<string>();
  collectMetaPaths(views.before.meta, views.after.meta, paths);
  collectTreePaths(views, paths, hasSameUsualModes(views.before.meta, views.after.meta));
  const lost = new Set(lostHoles(views));
  for (const path of lost) paths.add(path);
  return [...paths]
    .sort(compareText)
    .map((path) => ({ path, before: views.before.stateAt(path), after: views.after.stateAt(path) }))
    .filter(
      ({ path, before: old, after: now }) =>
        !isSameState(old, now) && (isCaptured(old) || isCaptured(now) || lost.has(path)),
    );
}

/** What was there and was not captured, and is not there any more. */
function lostHoles({ before, after }: Views): readonly string[] {
  return before.meta.holes
    .filter(({ path, reason }) => reason !== 'budget' && after.stateAt(path).kind === 'absent')
    .map(({ path }) => path);
}

interface Views {
  readonly before: SnapshotView;
  readonly after: SnapshotView;
}

function isCaptured({ kind }: PathState): boolean {
  return kind !== 'absent' && kind !== 'hole';
}

/** Whether the permission bits of what is not named are the same, so that equal trees need not be looked into. */
function hasSameUsualModes(one: SnapshotMeta, other: SnapshotMeta): boolean {
  return (
    one.fileMode === other.fileMode &&
    one.executableMode === other.executableMode &&
    one.directoryMode === other.directoryMode
  );
}

/** Paths about which the two say different things beside the trees. */
function collectMetaPaths(one: SnapshotMeta, other: SnapshotMeta, paths: Set<string>): void {
  for (const [meta, against] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const [path, mode] of meta.modes) if (against.modes.get(path) !== mode) paths.add(path);
    const empty = new Set(against.emptyDirectories);
    for (const path of meta.emptyDirectories)
      if (!empty.has(path) || meta.directoryMode !== against.directoryMode) paths.add(path);
  }
}

/** Paths whose entries in the trees differ; all of them when equal trees may stand for different modes. */
function collectTreePaths(views: Views, paths: Set<string>, maySkip: boolean): void {
  const pending: {
    readonly prefix: string;
    readonly before: Oid | undefined;
    readonly after: Oid | undefined;
  }[] = [{ prefix: '', before: views.before.tree, after: views.after.tree }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { prefix, before, after } = next;
    if (before === after && maySkip) continue;
    const old = before === undefined ? new Map<string, TreeItem>() : views.before.itemsOf(before);
    const now = after === undefined ? new Map<string, TreeItem>() : views.after.itemsOf(after);
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [one, other] = [old.get(name), now.get(name)];
      if (one !== undefined && one.oid === other?.oid && one.mode === other.mode && maySkip) continue;
      const path = prefix + name;
      if (one?.mode !== TREE_MODE || other?.mode !== TREE_MODE || !maySkip) paths.add(path);
      const trees = [one, other].map((item) => (item?.mode === TREE_MODE ? item.oid : undefined));
      if (trees.some((tree) => tree !== undefined))
        pending.push({ prefix: `${path}/`, before: trees[0], after: trees[1] });
    }
  }
}
