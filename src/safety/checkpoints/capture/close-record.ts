import type { PathChange, PathState } from '../model/path-state.ts';
import type { CloseRecord, OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { Lease } from '../projects/leases.ts';
import { encodeChanges } from '../projects/record-codec.ts';
import type { CloseDraft } from '../projects/record-store.ts';
import { diffSnapshots } from '../snapshots/diff-snapshots.ts';
import type { CaptureParts } from './capture-parts.ts';
import { isPrivatePath } from './is-private-path.ts';
import type { ProjectPlace } from './scan-project.ts';
import { withNumber, writeRecord } from './write-record.ts';

/** Changes that take more bytes than this in a record are kept in a blob. */
const MAX_CHANGES_BYTES = 256 * 1024;

export interface CloseRequest {
  readonly project: ProjectPlace;
  readonly open: OpenRecord;
  readonly lease: Lease;
  readonly isLate: boolean;
  /** The tree as the call has left it. */
  readonly after: Snapshot | undefined;
  /** Bytes that scanning it added. */
  readonly scanBytes: number;
  /** What stands at a named path as the call has left it. Gives content to the writer. */
  readonly stateOf: (path: string, writer: ObjectWriter) => PathState;
}

/** Writes what a call had changed. Throws what the file system does; then nothing of the record is left. */
export function closeRecord(parts: CaptureParts, request: CloseRequest): void {
  const { project, open, lease, after, stateOf } = request;
  const changes = changesOf(parts, open.before, after);
  const encoded = changes.length === 0 ? undefined : encodeChanges(changes);
  const isLarge = encoded !== undefined && encoded.length > MAX_CHANGES_BYTES;
  const wasPrivate = new Set(open.isPrivate);
  const place = { h16: project.h16, half: 'close' } as const;
  withNumber(parts, place, (number) => {
    const at = parts.now();
    writeRecord(
      parts,
      number,
      {
        reason: `after ${open.reason.replace(/^before /, '')}`,
        at,
        lease,
        named: (writer) => open.named.map(({ path }) => ({ path, state: stateOf(path, writer) })),
        isPrivate: (path) => wasPrivate.has(path) || isPrivatePath(project.root, path),
        snapshot: after,
        ...(isLarge ? { attachment: { name: 'changes.json', bytes: encoded } } : {}),
      },
      (written): CloseDraft => ({
        ...closing(request, at),
        named: written.named,
        changes,
        bytes: written.bytes + request.scanBytes,
        ...(written.attachment === undefined ? {} : { changesBlob: written.attachment }),
      }),
    );
    parts.bytes.add(request.scanBytes);
  });
}

function closing(
  { open, isLate, after }: CloseRequest,
  at: number,
): Omit<CloseRecord, 'seq' | 'named' | 'changes' | 'bytes'> {
  return { type: 'close', opens: open.seq, at, isLate, ...(after === undefined ? {} : { after }) };
}

function changesOf(
  parts: CaptureParts,
  before: Snapshot | undefined,
  after: Snapshot | undefined,
): readonly PathChange[] {
  return before === undefined || after === undefined
    ? []
    : diffSnapshots(parts.objects, before.root, after.root);
}
