import type { HoleReason, Oid, PathEntry, PathState } from '../model/path-state.ts';
import type { SnapshotMeta } from '../model/snapshot.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodeTree, type TreeItem } from '../objects/tree-object.ts';
import { compareText, readKind, readSnapshotRoot } from './snapshot-meta.ts';

const TREE_MODE = 0o040_000;
const LINK_MODE = 0o120_000;
const EXECUTABLE_MODE = 0o100_755;
const ABSENT: PathState = { kind: 'absent' };

/** A snapshot that is open for reading. What it has read it keeps. */
export class SnapshotView {
  readonly meta: SnapshotMeta;
  /** Of the files of the project. */
  readonly tree: Oid;
  readonly #objects: ObjectStore;
  readonly #items = new Map<Oid, ReadonlyMap<string, TreeItem>>();
  readonly #holes: ReadonlyMap<string, HoleReason>;
  readonly #empty: ReadonlySet<string>;
  readonly #touched: ReadonlySet<string>;
  readonly #missing: ReadonlySet<string>;

  /** @throws CorruptObjectError when the snapshot is missing, or is damaged. */
  constructor(objects: ObjectStore, root: Oid) {
    const { tree, meta } = readSnapshotRoot(objects, root);
    this.#objects = objects;
    this.tree = tree;
    this.meta = meta;
    this.#holes = new Map(meta.holes.map(({ path, reason }) => [path, reason]));
    this.#empty = new Set(meta.emptyDirectories);
    this.#touched = new Set(meta.touched);
    this.#missing = new Set(meta.missing);
  }

  /** What stands at a path; see `stateAt`. */
  stateAt(path: string): PathState {
    if (path === '') return { kind: 'directory', mode: this.meta.directoryMode };
    const parts = path.split('/');
    let tree: Oid | undefined = this.tree;
    let current = '';
    for (const [index, name] of parts.entries()) {
      const folder = current;
      current = folder === '' ? name : `${folder}/${name}`;
      const reason = this.#holes.get(current);
      if (reason !== undefined) return { kind: 'hole', reason };
      const item: TreeItem | undefined = tree === undefined ? undefined : this.itemsOf(tree).get(name);
      const isFolder = item?.mode === TREE_MODE || (item === undefined && this.#empty.has(current));
      if (item === undefined && !isFolder) return this.#nothingAt(current, folder, path);
      if (index === parts.length - 1) return this.stateOf(item, current);
      // Below a file or a link there is nothing, whatever was looked at.
      if (!isFolder) return ABSENT;
      tree = item?.oid;
    }
    return ABSENT;
  }

  /** Every captured path but the root, folders included, sorted. */
  entries(): readonly PathEntry[] {
    const entries = this.meta.emptyDirectories.map((path) => ({
      path,
      state: this.stateOf(undefined, path),
    }));
    const pending = [{ tree: this.tree, prefix: '' }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const item of decodeTree(readKind(this.#objects, next.tree, 'tree'))) {
        const path = next.prefix + item.name;
        entries.push({ path, state: this.stateOf(item, path) });
        if (item.mode === TREE_MODE) pending.push({ tree: item.oid, prefix: `${path}/` });
      }
    }
    return entries.sort((one, other) => compareText(one.path, other.path));
  }

  /** The entries of a tree by name. */
  itemsOf(tree: Oid): ReadonlyMap<string, TreeItem> {
    const known = this.#items.get(tree);
    if (known !== undefined) return known;
    const items = new Map(
      decodeTree(readKind(this.#objects, tree, 'tree')).map((item) => [item.name, item] as const),
    );
    this.#items.set(tree, items);
    return items;
  }

  /** The state that an entry of a tree stands for; without one, an empty folder. */
  stateOf(item: TreeItem | undefined, path: string): PathState {
    const { modes, directoryMode, executableMode, fileMode } = this.meta;
    const own = modes.get(path);
    if (item === undefined || item.mode === TREE_MODE)
      return { kind: 'directory', mode: own ?? directoryMode };
    const { oid } = item;
    if (item.mode === LINK_MODE) return { kind: 'link', oid };
    const usual = item.mode === EXECUTABLE_MODE ? executableMode : fileMode;
    return { kind: 'file', mode: own ?? usual, oid, size: this.#objects.sizeOf(oid) ?? 0 };
  }

  /** Nothing was captured there: because there was nothing, or because nobody looked. */
  #nothingAt(path: string, folder: string, wanted: string): PathState {
    if (this.meta.coverage === 'whole' || this.#touched.has(folder) || this.#missing.has(path)) return ABSENT;
    // A tracked file that is missing is missing whatever it was asked for below it.
    return this.#missing.has(wanted) ? ABSENT : { kind: 'hole', reason: 'budget' };
  }
}
