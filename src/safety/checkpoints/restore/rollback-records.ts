import { isPrivatePath } from '../capture/is-private-path.ts';
import type { ProjectPlace } from '../capture/scan-project.ts';
import { type WrittenContent, withNumber, writeRecord } from '../capture/write-record.ts';
import { isSameState, type Oid, type PathChange, type PathState } from '../model/path-state.ts';
import type { OpenRecord } from '../model/record.ts';
import { CorruptObjectError } from '../objects/corrupt-object-error.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { Lease } from '../projects/leases.ts';
import { encodeChanges } from '../projects/record-codec.ts';
import type { CloseDraft } from '../projects/record-store.ts';
import type { PlannedAction } from './plan-model.ts';
import type { ProjectTree, SeenPath } from './project-tree.ts';
import type { RestoreParts } from './restore-parts.ts';

/** What both records of a restore are about. */
export interface RollbackPlace {
  readonly project: ProjectPlace;
  readonly tree: ProjectTree;
  readonly lease: Lease;
  /** Paths that were private before, whatever the rules say now. */
  readonly wasPrivate: ReadonlySet<string>;
}

/** More bytes of changes than this are kept in a blob. */
const MAX_CHANGES_BYTES = 256 * 1024;

export interface OpenedRollback {
  readonly open: OpenRecord;
  /** What was seen at each path when its content was stored. */
  readonly seen: ReadonlyMap<string, SeenPath>;
}

/** Stores what stands at all paths that a restore is going to change. Throws what the file system does; then nothing is left. */
export function openRollback(
  parts: RestoreParts,
  place: RollbackPlace,
  { id, actions }: { /** What is restored. */ readonly id: Oid; readonly actions: readonly PlannedAction[] },
): OpenedRollback {
  const { project, tree, lease } = place;
  const reason = `pre-rollback snapshot (restoring to ${id.slice(0, 8)})`;
  const seen = new Map<string, SeenPath>();
  const open = withNumber(parts, { h16: project.h16, half: 'open' }, (number) => {
    const at = parts.now();
    const toRecord = (written: WrittenContent): OpenRecord => ({
      type: 'open',
      seq: number.seq,
      id: written.id,
      at,
      kind: 'rollback',
      reason,
      process: parts.process,
      named: written.named,
      isPrivate: written.privatePaths,
      bytes: written.bytes,
    });
    const written = writeRecord(
      parts,
      number,
      {
        reason,
        at,
        lease,
        isPrivate: privacyOf(place),
        snapshot: undefined,
        named: (writer) =>
          actions.map(({ path }) => {
            const found = lookAndKeep(tree, path, writer);
            seen.set(path, found);
            return { path, state: found.state };
          }),
      },
      toRecord,
    );
    return toRecord(written);
  });
  return { open, seen };
}

export interface ClosedRollback {
  /** The paths where what is to stand there does. */
  readonly changes: readonly PathChange[];
  /** The others. */
  readonly strayed: readonly string[];
}

/** Looks whether every path has become what it was to become, and records those that have. Throws what the file system does. */
export function closeRollback(
  parts: RestoreParts,
  place: RollbackPlace,
  { opens, done }: { readonly opens: number; readonly done: readonly PlannedAction[] },
): ClosedRollback {
  const { project, tree, lease } = place;
  const strayed = done.filter(({ path, to }) => !isSameState(tree.stateOf(path), to)).map(({ path }) => path);
  const changes = done
    .filter(({ path }) => !strayed.includes(path))
    .map(({ path, from, to }): PathChange => ({ path, before: from, after: to }));
  const encoded = encodeChanges(changes);
  const isLarge = encoded.length > MAX_CHANGES_BYTES;
  withNumber(parts, { h16: project.h16, half: 'close' }, (number) => {
    const at = parts.now();
    writeRecord(
      parts,
      number,
      {
        reason: 'after a rollback',
        at,
        lease,
        isPrivate: privacyOf(place),
        snapshot: undefined,
        named: (writer) =>
          changes.map(({ path, after }) => ({ path, state: keepState(parts, place, writer, after) })),
        ...(isLarge ? { attachment: { name: 'changes.json', bytes: encoded } } : {}),
      },
      (written): CloseDraft => ({
        type: 'close',
        opens,
        at,
        named: written.named,
        changes,
        isLate: false,
        bytes: written.bytes,
        ...(written.attachment === undefined ? {} : { changesBlob: written.attachment }),
      }),
    );
  });
  return { changes, strayed };
}

/** The content is in the store; it is written again where it may be deleted meanwhile. */
function keepState(
  { objects }: RestoreParts,
  { lease }: RollbackPlace,
  writer: ObjectWriter,
  state: PathState,
): PathState {
  if (lease.mayReuse || (state.kind !== 'file' && state.kind !== 'link')) return state;
  const stored = objects.read(state.oid);
  if (stored === undefined) throw new CorruptObjectError({ oid: state.oid, reason: 'it is missing' });
  writer.blob(stored.bytes);
  return state;
}

function lookAndKeep(tree: ProjectTree, path: string, writer: ObjectWriter): SeenPath {
  return tree.look(path, (bytes) => writer.blob(bytes));
}

function privacyOf({ project, wasPrivate }: RollbackPlace): (path: string) => boolean {
  return (path) => wasPrivate.has(path) || isPrivatePath(project.root, path);
}
