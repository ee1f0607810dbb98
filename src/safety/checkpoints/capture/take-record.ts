import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { CallOwner, Footprint, OpenRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Lease } from '../projects/leases.ts';
import { projectHash } from '../projects/project-hash.ts';
import type { CaptureParts } from './capture-parts.ts';
import { isPrivatePath } from './is-private-path.ts';
import { noteCoverage } from './notices.ts';
import { readState } from './read-state.ts';
import { type ProjectPlace, scanProject } from './scan-project.ts';
import { type WrittenContent, withNumber, writeRecord } from './write-record.ts';

export interface RecordRequest {
  /** Of the project, canonical. */
  readonly root: string;
  readonly lease: Lease;
  readonly kind: OpenRecord['kind'];
  readonly reason: string;
  readonly owner: CallOwner | undefined;
  readonly process: ProcessIdentity;
  /** Paths to capture by name, relative. */
  readonly paths: readonly string[];
  readonly isScanned: boolean;
  readonly footprint?: Footprint | undefined;
  /** Whether the project, where it is none yet, becomes one only when the call has changed something there. No scan. */
  readonly isTentative?: boolean;
  /** More paths, relative, whose folders the scan looks at however large the tree is. */
  readonly looksAt?: readonly string[];
  /** More paths to capture by name, once the snapshot is there. */
  readonly morePaths?: (snapshot: Snapshot) => readonly string[];
}

export interface TakenRecord {
  readonly record: OpenRecord;
  readonly project: ProjectPlace;
  /** Lines for the person. */
  readonly notices: readonly string[];
}

/** Opens a record in a project. Throws what the file system does; then nothing of the record is left. */
export function takeRecord(parts: CaptureParts, request: RecordRequest): TakenRecord {
  const { root, lease, isTentative = false } = request;
  const project = isTentative ? { h16: projectHash(root), root } : parts.registry.touch(root, parts.now());
  parts.step?.('project');
  const place = { h16: project.h16, half: 'open' } as const;
  const record = withNumber(parts, place, (number) => {
    const looksAt = [...request.paths, ...(request.looksAt ?? [])];
    const scan = request.isScanned ? scanProject(parts, project, lease, looksAt) : undefined;
    if (scan !== undefined) parts.step?.('scan');
    const more = scan === undefined ? [] : (request.morePaths?.(scan.snapshot) ?? []);
    const paths = [...new Set([...request.paths, ...more])];
    const at = parts.now();
    const toRecord = (written: WrittenContent): OpenRecord => ({
      ...openRecord(request, at, scan?.snapshot),
      seq: number.seq,
      id: written.id,
      named: written.named,
      isPrivate: written.privatePaths,
      bytes: written.bytes + (scan?.bytes ?? 0),
    });
    const written = writeRecord(
      parts,
      number,
      {
        reason: request.reason,
        at,
        lease,
        named: (writer) =>
          paths.map((path) => ({ path, state: readState(root, path, (bytes) => writer.blob(bytes)) })),
        isPrivate: (path) => isPrivatePath(root, path),
        snapshot: scan?.snapshot,
      },
      toRecord,
    );
    if (scan !== undefined) parts.bytes.add(scan.bytes);
    return toRecord(written);
  });
  return { record, project, notices: noteCoverage(parts, project, record.before) };
}

function openRecord(
  { kind, reason, owner, process, footprint, root, isTentative = false }: RecordRequest,
  at: number,
  before: Snapshot | undefined,
): Omit<OpenRecord, 'seq' | 'id' | 'named' | 'isPrivate' | 'bytes'> {
  return {
    type: 'open',
    at,
    kind,
    reason,
    ...(owner === undefined ? {} : { owner }),
    process,
    ...(before === undefined ? {} : { before }),
    ...(footprint === undefined ? {} : { footprint }),
    ...(isTentative ? { tentativeRoot: root } : {}),
  };
}
