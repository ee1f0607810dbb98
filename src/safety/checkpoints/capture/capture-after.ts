import type { CaptureFailure, SettleReport } from '../api.ts';
import type { OpenRecord } from '../model/record.ts';
import type { Lease } from '../projects/leases.ts';
import type { Project } from '../projects/project-file.ts';
import type { CaptureParts } from './capture-parts.ts';
import { closeRecord } from './close-record.ts';
import { noteFailure, withStore } from './notices.ts';
import { readState } from './read-state.ts';
import { scanAfter } from './scan-project.ts';
import { settleTentative } from './settle-tentative.ts';
import { decodeToken, type OpenedRecord } from './token.ts';

/**
 * Notes what a call has left behind, for each record that `captureBefore` has opened. A record that is gone since, or
 * was closed, is no error. Never throws for what disks and files can do: see `failures`.
 */
export function captureAfter(parts: CaptureParts, token: string): SettleReport {
  const failures: CaptureFailure[] = [];
  const opened = decodeToken(token);
  if (opened.length > 0)
    withStore(parts, failures, (lease) => {
      for (const each of opened) {
        const failure = close(parts, each, lease);
        if (failure !== undefined) failures.push(failure);
      }
    });
  return { notices: [], failures };
}

function close(
  parts: CaptureParts,
  { h16, seq, id }: OpenedRecord,
  lease: Lease,
): CaptureFailure | undefined {
  const journal = parts.journals.of(h16);
  const open = journal.record(seq);
  if (open?.type !== 'open' || open.id !== id || isClosed(parts, h16, open)) return undefined;
  const read = parts.registry.read(h16);
  if (read.type === 'damaged') return { path: read.damage.path, message: read.damage.problem };
  try {
    const project = read.type === 'project' ? read.project : settleTentative(parts, h16, open);
    if (project !== undefined) closeNow(parts, project, open, lease);
    return undefined;
  } catch (error) {
    const root = read.type === 'project' ? read.project.root : (open.tentativeRoot ?? parts.folder);
    return noteFailure(parts, root, error);
  }
}

/** Whether somebody has closed it. All records are read unless it is a matter of this process and there was no scan. */
function isClosed(parts: CaptureParts, h16: string, { seq, before, process }: OpenRecord): boolean {
  const journal = parts.journals.of(h16);
  const isOwn = process.pid === parts.process.pid && process.startTime === parts.process.startTime;
  if (!isOwn || before !== undefined) journal.records();
  return journal.isClosed(seq);
}

/** Closes a record with what is there now. */
function closeNow(parts: CaptureParts, project: Project, open: OpenRecord, lease: Lease): void {
  const scan = open.before === undefined ? undefined : scanAfter(parts, project, lease, open);
  if (scan !== undefined) parts.step?.('close-scan');
  closeRecord(parts, {
    project,
    open,
    lease,
    isLate: false,
    after: scan?.snapshot,
    scanBytes: scan?.bytes ?? 0,
    stateOf: (path, writer) => readState(project.root, path, (bytes) => writer.blob(bytes)),
  });
}
