import type { Hole, Oid, PathChange, PathState } from '../model/path-state.ts';
import type { CheckpointRecord } from '../model/record.ts';
import { changesSince } from './changes-since.ts';
import type { Contents, Snapshots } from './contents.ts';
import type { CurrentTree } from './current-tree.ts';
import { type Entry, snapshotOf } from './entries.ts';
import { byPath } from './net-changes.ts';
import { type FilePatch, filePatch, type PatchSide, permissions } from './patch/file-patch.ts';
import { PatchText } from './patch/patch-text.ts';
import { quoteName } from './patch/quote-name.ts';

/** A path that is not what it was. */
export interface DiffFile {
  /** Relative to the project's root. */
  readonly path: string;
  /** `mode`: only the permissions. `type`: a file became a link or a folder, or the like. */
  readonly status: 'created' | 'modified' | 'deleted' | 'mode' | 'type';
  /** Lines. */
  readonly insertions: number;
  /** Lines. */
  readonly deletions: number;
  /** Its content has no lines: a NUL near the beginning, not UTF-8, or more than 64 MiB. */
  readonly binary: boolean;
}

/** What is different now from what it was at a checkpoint. */
export interface DiffReport {
  readonly id: Oid;
  /** Sorted by path. Folders only where no file of theirs tells it. */
  readonly files: readonly DiffFile[];
  /** What the checkpoint does not cover, and what is different and cannot be read any more. Sorted by path. */
  readonly holes: readonly Hole[];
  /** In git's unified form; `git apply` takes it, unless it is cut or has binary files. */
  readonly patch: string;
  /** Whether lines were left out of `patch`. */
  readonly isCut: boolean;
}

export interface DiffParts {
  readonly contents: Contents;
  readonly snapshots: Snapshots;
}

export interface DiffRequest {
  readonly entry: Entry;
  /** All of the project. */
  readonly records: readonly CheckpointRecord[];
  readonly now: CurrentTree;
  /** Only these, and what lies below them; relative to the root, literally. All when absent. */
  readonly paths?: readonly string[];
  /** The patch has no more lines than that. */
  readonly maxLines?: number;
}

/** A patch has to fit into one string. */
const MAX_PATCH_CHARS = 64 * 1024 * 1024;

/**
 * The difference from a checkpoint to now: of every path that a record since it concerns, and when it has a snapshot, of
 * everything else too. Writes nothing itself.
 */
export function diffSince(parts: DiffParts, request: DiffRequest): DiffReport {
  const { entry, now, paths, maxLines = Number.POSITIVE_INFINITY } = request;
  const isWanted = wanted(paths);
  const changes = changesSince(parts.snapshots, { ...request, isWanted });
  const snapshot = snapshotOf(entry);
  const holes = new Map<string, Hole>();
  if (snapshot !== undefined && snapshot.holes > 0) {
    for (const hole of parts.snapshots.holesOf(snapshot.root))
      if (isWanted(hole.path)) holes.set(hole.path, hole);
  }
  const files: DiffFile[] = [];
  const patch = new PatchText({ maxLines, maxChars: MAX_PATCH_CHARS });
  for (const change of withoutImpliedFolders(changes)) {
    const hole = unknownSide(change);
    if (hole !== undefined) {
      holes.set(change.path, hole);
      continue;
    }
    const { lines, isLost, ...counts } = pathPatch(change, parts.contents, now);
    if (isLost) holes.set(change.path, { path: change.path, reason: 'unreadable' });
    files.push({ path: change.path, status: statusOf(change), ...counts });
    patch.add(lines);
  }
  return {
    id: entry.id,
    files,
    holes: Array.from(holes.values()).sort(byPath),
    patch: patch.toString(),
    isCut: patch.isCut,
  };
}

function wanted(paths: readonly string[] | undefined): (path: string) => boolean {
  if (paths === undefined) return () => true;
  return (path) => paths.some((one) => one === '' || path === one || path.startsWith(`${one}/`));
}

/** A change of which one side is not known. */
function unknownSide({ path, before, after }: PathChange): Hole | undefined {
  if (before.kind === 'hole') return { path, reason: before.reason };
  return after.kind === 'hole' ? { path, reason: after.reason } : undefined;
}

/** A folder that came or went with what is in it needs no mention. */
function withoutImpliedFolders(changes: readonly PathChange[]): readonly PathChange[] {
  const [filled, emptied] = [new Set<string>(), new Set<string>()];
  for (const { path, before, after } of changes) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (after.kind !== 'absent') filled.add(folder);
      if (before.kind !== 'absent') emptied.add(folder);
    }
  }
  return changes.filter(({ path, before, after }) => {
    if (before.kind === 'absent' && after.kind === 'directory') return !filled.has(path);
    if (before.kind === 'directory' && after.kind === 'absent') return !emptied.has(path);
    return true;
  });
}

function pathPatch({ path, before, after }: PathChange, contents: Contents, now: CurrentTree): FilePatch {
  const old = sideOf(before, (oid) => contents.read(oid));
  const current = sideOf(after, (oid) => contents.read(oid) ?? now.contentOf(path));
  const { lines, ...counts } = filePatch(path, old, current);
  return { ...counts, lines: [...folderNotes(path, before, after), ...lines] };
}

function sideOf(state: PathState, read: (oid: Oid) => Uint8Array | undefined): PatchSide | undefined {
  return state.kind === 'file' || state.kind === 'link' ? { state, read: () => read(state.oid) } : undefined;
}

/** git has no form for folders. */
function folderNotes(path: string, before: PathState, after: PathState): readonly string[] {
  const name = quoteName(path);
  if (before.kind === 'directory' && after.kind === 'directory')
    return [
      `# permissions of the folder ${name}: ${permissions(before.mode)} -> ${permissions(after.mode)}\n`,
    ];
  if (before.kind === 'directory') return [`# the folder ${name} was deleted\n`];
  return after.kind === 'directory' ? [`# the folder ${name} was created\n`] : [];
}

function statusOf({ before, after }: PathChange): DiffFile['status'] {
  if (before.kind === 'absent') return 'created';
  if (after.kind === 'absent') return 'deleted';
  if (before.kind !== after.kind) return 'type';
  return 'oid' in before && 'oid' in after && before.oid !== after.oid ? 'modified' : 'mode';
}
