import type { CaptureFailure } from '../api.ts';
import type { PathState } from '../model/path-state.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';
import type { Lease } from '../projects/leases.ts';
import type { Project } from '../projects/project-file.ts';
import { closeRef, openRef, privateRef } from '../projects/ref-names.ts';
import { stateAt } from '../snapshots/snapshot-entries.ts';
import type { CaptureParts } from './capture-parts.ts';
import { closeRecord } from './close-record.ts';
import { noteFailure, withStore } from './notices.ts';
import { readState } from './read-state.ts';
import { scanAfter } from './scan-project.ts';
import { settleTentative } from './settle-tentative.ts';

export interface SettleOutcome {
  /** How many calls were closed. */
  readonly closed: number;
  readonly failures: readonly CaptureFailure[];
}

/**
 * Ends what processes of a project left that died: numbers they had reserved are given up, and calls they had opened are
 * closed, with `isLate`. What such a call left behind is what the next record found, and where there is none what is there
 * now. Calls of processes that may live are left alone. Never throws for what disks and files can do.
 */
export function settleDead(parts: CaptureParts, h16: string): SettleOutcome {
  const failures: CaptureFailure[] = [];
  let closed = 0;
  withStore(parts, failures, (lease) => {
    // What the later records found is referred to, not written again: nobody may be deleting it.
    if (!lease.mayReuse) return;
    giveUpReservations(parts, h16);
    const read = parts.registry.read(h16);
    if (read.type === 'damaged') return;
    let root = parts.folder;
    try {
      const project = read.type === 'project' ? read.project : projectOfDead(parts, h16);
      if (project === undefined) return;
      root = project.root;
      closed = closeAll(parts, project, lease);
    } catch (error) {
      failures.push(noteFailure(parts, root, error));
    }
  });
  return { closed, failures };
}

/** The project that a place has become by what calls that died have changed there; undefined when it is none. */
function projectOfDead(parts: CaptureParts, h16: string): Project | undefined {
  let project: Project | undefined;
  for (const open of unclosed(parts.journals.of(h16).records()))
    if (parts.isAlive(open.process) === 'dead') project = settleTentative(parts, h16, open) ?? project;
  return project;
}

function giveUpReservations(parts: CaptureParts, h16: string): void {
  const journal = parts.journals.of(h16);
  for (const { seq, process } of journal.reservations()) {
    if (parts.isAlive(process) !== 'dead') continue;
    for (const name of [openRef(h16, seq), closeRef(h16, seq), privateRef(h16, seq)]) parts.refs.delete(name);
    journal.cancel(seq);
  }
}

function closeAll(parts: CaptureParts, project: Project, lease: Lease): number {
  const journal = parts.journals.of(project.h16);
  const records = journal.records();
  const dead = unclosed(records).filter(({ process }) => parts.isAlive(process) === 'dead');
  let closed = 0;
  for (const open of dead) {
    // Another process may have closed it meanwhile.
    if (!unclosed(journal.records()).some(({ seq }) => seq === open.seq)) continue;
    const later = records.flatMap((each) => (each.type === 'open' && each.seq > open.seq ? [each] : []));
    const next = later.find(({ before }) => before !== undefined)?.before;
    const scan =
      open.before === undefined || next !== undefined ? undefined : scanAfter(parts, project, lease, open);
    closeRecord(parts, {
      project,
      open,
      lease,
      isLate: true,
      after: open.before === undefined ? undefined : (next ?? scan?.snapshot),
      scanBytes: scan?.bytes ?? 0,
      stateOf: (path, writer) =>
        stateLater(parts, later, path) ?? readState(project.root, path, (bytes) => writer.blob(bytes)),
    });
    closed += 1;
  }
  return closed;
}

/** Calls that nobody has closed. What a person takes has no end, and restores close their own. */
function unclosed(records: readonly CheckpointRecord[]): readonly OpenRecord[] {
  const closed = new Set(records.flatMap((record) => (record.type === 'close' ? [record.opens] : [])));
  return records.flatMap((record) =>
    record.type === 'open' && record.kind === 'call' && !closed.has(record.seq) ? [record] : [],
  );
}

/** What the first of these records that covers a path found there; undefined when none does. */
function stateLater(parts: CaptureParts, later: readonly OpenRecord[], path: string): PathState | undefined {
  for (const { named, before } of later) {
    const entry = named.find((each) => each.path === path);
    if (entry !== undefined) return entry.state;
    const state = before === undefined ? undefined : stateAt(parts.objects, before.root, path);
    if (state !== undefined && state.kind !== 'hole') return state;
  }
  return undefined;
}
