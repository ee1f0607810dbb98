import { join } from 'node:path';
import { type RawStat, rawStat } from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { MAX_SCANNED_FILES } from '../model/settings.ts';
import type { Coverage, Snapshot, SnapshotMeta } from '../model/snapshot.ts';
import { hashObject, MAX_OBJECT_BYTES } from '../objects/object-name.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import { type TreeItem } from '../objects/tree-object.ts';
import { encodeMeta, META_NAME, TREE_NAME } from '../snapshots/snapshot-meta.ts';
import { buildTrees } from './build-trees.ts';
import { collectMeta } from './collect-meta.ts';
import { dropMoved } from './drop-moved.ts';
import { isSameStamp } from './file-stamp.ts';
import { emptyRecord, type FolderRecord } from './folder-record.ts';
import type { Manifest } from './manifest.ts';
import { loadManifest, saveManifest } from './manifest-file.ts';
import type { IndexCache } from './open-repository.ts';
import { type OuterRules, outerRulesOf } from './outer-rules.ts';
import { readPending } from './read-pending.ts';
import { ScanClock } from './scan-clock.ts';
import type { ScanParts } from './scan-parts.ts';
import type { Walk, WalkStart } from './walk.ts';
import { walkTracked } from './walk-tracked.ts';
import { walkWhole } from './walk-whole.ts';

/** What is to be scanned. */
export interface ScanRequest {
  /** Name of the project: its manifest is `manifests/<h16>.bin` of the store. */
  readonly h16: string;
  /** Absolute, canonical; a folder. */
  readonly root: string;
  /** Larger files are holes; 0 for no limit but that of an object. In bytes. */
  readonly maxFileBytes: number;
  /** Folders (relative, empty for the root) that are looked at even when there are too many files for the whole. */
  readonly touched: readonly string[];
  /** Paths (relative) that are left out without a word: what is ours. */
  readonly skip: readonly string[];
  /** Whether a snapshot is kept in the store. What the manifest says is believed only then. */
  readonly isAlive: (root: Oid) => boolean;
  /** False: everything is read and written anew, whatever the store has. */
  readonly mayReuse: boolean;
  /** More files than this are not scanned as a whole. {@link MAX_SCANNED_FILES} when left out. */
  readonly maxFiles?: number;
}

export interface ScanOutcome {
  /** The very object of the last scan when nothing has changed since. */
  readonly snapshot: Snapshot;
  /** Bytes that were added to the store. */
  readonly bytes: number;
}

const SCRATCH_BYTES = 1024 * 1024;

/**
 * Makes snapshots of projects, and reads only what has changed since the last one of the same project. Each entry of the
 * tree is looked at each time. It works synchronously, on the thread of its caller.
 *
 * What is captured: files up to a size, links, folders, with their permission bits. What is not is a hole with its
 * reason. Data of version control itself (`.git`, `.hg`, `.svn`, `.jj`, wherever they are) is left out without a word:
 * restoring it would break the repository. What lies beside such a folder is captured like everything else.
 *
 * Entries that go, come or change while they are looked at are captured as they are at some moment of the scan, or are
 * holes; nothing of that makes a scan fail.
 */
export class TreeScanner {
  readonly #objects: ObjectStore;
  readonly #manifests = new Map<string, Manifest>();
  /** Projects whose manifest on disk is older. */
  readonly #unsaved = new Set<string>();
  readonly #indexes: IndexCache = new Map();
  #scratch: Buffer | undefined;

  constructor({ objects }: { readonly objects: ObjectStore }) {
    this.#objects = objects;
  }

  /**
   * Takes a snapshot. Its objects are in the store when this returns; nothing refers to them yet.
   *
   * @throws what the system does when the root is no folder that can be read, or the store cannot be written. Then what the
   * scanner knows is what it knew before.
   */
  scan(request: ScanRequest): ScanOutcome {
    let writer: ObjectWriter | undefined;
    const openWriter = (): ObjectWriter => {
      writer ??= this.#objects.writer({ mayReuse: request.mayReuse });
      return writer;
    };
    try {
      const { manifest, known } = this.#scanWith(request, openWriter);
      const bytes = writer?.finish() ?? 0;
      this.#manifests.set(request.h16, manifest);
      if (manifest !== known) this.#unsaved.add(request.h16);
      return { snapshot: manifest.snapshot, bytes };
    } catch (error) {
      writer?.abandon();
      throw error;
    }
  }

  /** The snapshot of a project of which nothing is left. Throws what the system does when the store cannot be written. */
  scanNothing({ mayReuse }: Pick<ScanRequest, 'mayReuse'>): ScanOutcome {
    const writer = this.#objects.writer({ mayReuse });
    try {
      const root = emptyRecord([]);
      const meta = collectMeta(root, { coverage: 'whole', touched: [] });
      const { snapshot } = publish(root, meta, { known: undefined, writer: () => writer });
      return { snapshot, bytes: writer.finish() };
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }

  /**
   * Writes what is known of a project to its manifest file, for other processes. Only a cache: nothing is lost without
   * it. Nothing happens when the file is up to date. To be called once the snapshot is kept alive.
   *
   * @throws what the system does when it cannot be written.
   */
  persist(h16: string): void {
    const manifest = this.#manifests.get(h16);
    if (manifest === undefined || !this.#unsaved.has(h16)) return;
    saveManifest(this.#folder(), h16, manifest);
    this.#unsaved.delete(h16);
  }

  /** Drops what is known of a project; its next scan starts from the manifest file. */
  forget(h16: string): void {
    this.#manifests.delete(h16);
    this.#unsaved.delete(h16);
  }

  #folder(): string {
    return join(this.#objects.folder, 'manifests');
  }

  #scanWith(
    request: ScanRequest,
    writer: () => ObjectWriter,
  ): { readonly manifest: Manifest; readonly known: Manifest | undefined } {
    const stat = rawStat(request.root);
    if (stat === undefined)
      throw Object.assign(new Error(`${request.root} is not there`), { code: 'ENOENT', path: request.root });
    const known = this.#known(request);
    this.#scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    const clock = ScanClock.start(request.root, stat, this.#folder());
    const parts: ScanParts = {
      maxFileBytes: Math.min(request.maxFileBytes || MAX_OBJECT_BYTES, MAX_OBJECT_BYTES),
      skip: new Set(request.skip),
      clock,
      indexes: this.#indexes,
      writer,
      scratch: this.#scratch,
    };
    const outer = outerRulesOf(request.root, clock, this.#indexes);
    const start = startOf({ request, stat, known, outer, parts });
    const whole = walkWhole(parts, start, request.maxFiles ?? MAX_SCANNED_FILES);
    const coverage: Coverage = whole === undefined ? 'tracked' : 'whole';
    const walk: Walk = whole ?? walkTracked(parts, start, request.touched);
    readPending(walk.pending, parts);
    dropMoved(walk.visits);
    const root = buildTrees(walk.visits, writer);
    const facts = {
      path: request.root,
      rootNumbers: [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, stat.mode],
      isRootRacy: clock.isRacy(stat),
      outerRulesStamp: outer.rulesStamp,
      outerIndexStamp: outer.indexStamp,
      maxFileBytes: parts.maxFileBytes,
      skip: request.skip,
      coverage,
      root,
    };
    if (known !== undefined && isSameKnowledge(known, facts)) return { manifest: known, known };
    const meta = collectMeta(root, { coverage, touched: request.touched });
    return { manifest: { ...facts, ...publish(root, meta, { known, writer }) }, known };
  }

  /** What is known of the project, provided that the objects it names are kept. */
  #known({ h16, root, isAlive, mayReuse }: ScanRequest): Manifest | undefined {
    if (!mayReuse) return undefined;
    const inMemory = this.#manifests.get(h16);
    if (inMemory?.path === root && isAlive(inMemory.snapshot.root)) return inMemory;
    const onDisk = loadManifest(this.#folder(), h16);
    return onDisk?.path === root && isAlive(onDisk.snapshot.root) ? onDisk : undefined;
  }
}

function startOf({
  request,
  stat,
  known,
  outer,
  parts,
}: {
  readonly request: ScanRequest;
  readonly stat: RawStat;
  readonly known: Manifest | undefined;
  readonly outer: OuterRules;
  readonly parts: ScanParts;
}): WalkStart {
  const hasSameRoot =
    known !== undefined &&
    !known.isRootRacy &&
    known.rootNumbers.join() === [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, stat.mode].join();
  return {
    path: request.root,
    stat,
    previous: known?.root,
    hasSameNames: hasSameRoot && parts.clock.provesNames(stat) && known.coverage === 'whole',
    isDecidedAnew:
      known === undefined ||
      known.coverage !== 'whole' ||
      !isSameStamp(known.outerRulesStamp, outer.rulesStamp) ||
      known.maxFileBytes !== parts.maxFileBytes ||
      known.skip.join('\0') !== request.skip.join('\0'),
    hasNewIndex: known === undefined || !isSameStamp(known.outerIndexStamp, outer.indexStamp),
    repository: outer.repository,
    level: outer.level,
  };
}

/** Whether a scan has found nothing that is not in the manifest already. */
function isSameKnowledge(known: Manifest, facts: Omit<Manifest, 'snapshot' | 'metaOid'>): boolean {
  return (
    known.root === facts.root &&
    known.coverage === facts.coverage &&
    known.isRootRacy === facts.isRootRacy &&
    known.rootNumbers.join() === facts.rootNumbers.join() &&
    known.outerRulesStamp === facts.outerRulesStamp &&
    known.outerIndexStamp === facts.outerIndexStamp &&
    known.maxFileBytes === facts.maxFileBytes &&
    known.skip.join('\0') === facts.skip.join('\0') &&
    facts.coverage === 'whole'
  );
}

/** Writes the snapshot, unless it is the last one. */
function publish(
  root: FolderRecord,
  meta: SnapshotMeta,
  { known, writer }: { readonly known: Manifest | undefined; readonly writer: () => ObjectWriter },
): { readonly snapshot: Snapshot; readonly metaOid: Oid } {
  const bytes = encodeMeta(meta);
  const metaOid = hashObject('blob', bytes);
  if (known?.metaOid === metaOid && known.root.tree === root.tree)
    return { snapshot: known.snapshot, metaOid };
  if (known?.metaOid !== metaOid) writer().blob(bytes);
  const tree = root.tree === '' ? writer().tree([]) : root.tree;
  const items: TreeItem[] = [
    { name: META_NAME, mode: 0o100_644, oid: metaOid },
    { name: TREE_NAME, mode: 0o040_000, oid: tree },
  ];
  return {
    snapshot: {
      root: writer().tree(items),
      coverage: meta.coverage,
      files: root.files,
      holes: meta.holes.length,
    },
    metaOid,
  };
}
