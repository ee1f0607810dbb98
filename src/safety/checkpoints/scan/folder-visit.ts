import { errnoOf } from '../../../platform/paths/index.ts';
import { type RawStat, rawKindOf } from '../../../platform/raw-files/index.ts';
import type { HoleReason } from '../model/path-state.ts';
import { isHidden, statOrNothing } from './file-stamp.ts';
import {
  CTIME,
  copyRecord,
  type FolderRecord,
  holeKind,
  INODE,
  KIND,
  MARK,
  MODE,
  MTIME,
  NUMBERS,
  SIZE,
} from './folder-record.ts';
import type { ScanClock } from './scan-clock.ts';

/** A folder on the way of a scan. */
export interface FolderVisit {
  readonly parent: FolderVisit | undefined;
  /** Position among the entries of the parent. */
  readonly at: number;
  /** Absolute. */
  readonly path: string;
  /** Relative to the root, with a slash at its end; empty for the root. */
  readonly prefix: string;
  /** Of the last scan. */
  readonly previous: FolderRecord | undefined;
  /** What the scan found, as soon as it is anything else. */
  draft: FolderRecord | undefined;
  readonly ino: number;
  readonly dev: number;
}

/** An entry whose content is to be read. */
export interface PendingRead {
  readonly visit: FolderVisit;
  readonly at: number;
  /** Position of the same name in the record of the last scan; -1 when it was not there. */
  readonly before: number;
}

/** The record that is written to. */
export function draftOf(visit: FolderVisit): FolderRecord {
  if (visit.draft !== undefined) return visit.draft;
  if (visit.previous === undefined) throw new TypeError(`nothing is known of ${visit.path}`);
  visit.draft = copyRecord(visit.previous);
  return visit.draft;
}

export function pathOf(visit: FolderVisit, name: string): string {
  return visit.path === '/' ? `/${name}` : `${visit.path}/${name}`;
}

/** Whether an entry has the same size, times, inode and mode as at the last scan. */
export function hasSameNumbers(record: FolderRecord, at: number, stat: RawStat): boolean {
  const { numbers } = record;
  const base = at * NUMBERS;
  return (
    numbers[base + MTIME] === stat.mtimeMs &&
    numbers[base + CTIME] === stat.ctimeMs &&
    numbers[base + SIZE] === stat.size &&
    numbers[base + INODE] === stat.ino &&
    numbers[base + MODE] === stat.mode
  );
}

export function setNumbers(record: FolderRecord, at: number, stat: RawStat): void {
  const { numbers } = record;
  const base = at * NUMBERS;
  numbers[base + SIZE] = stat.size;
  numbers[base + MTIME] = stat.mtimeMs;
  numbers[base + CTIME] = stat.ctimeMs;
  numbers[base + INODE] = stat.ino;
  numbers[base + MODE] = stat.mode;
}

/** Whether the content of an entry is that of the last scan, as far as its numbers can prove that. */
export function isProvenSame(record: FolderRecord, at: number, stat: RawStat): boolean {
  return ((record.marks[at] ?? 0) & MARK.racy) === 0 && hasSameNumbers(record, at, stat);
}

function setMark(record: FolderRecord, at: number, mark: number, isSet: boolean): void {
  const marks = record.marks[at] ?? 0;
  record.marks[at] = isSet ? marks | mark : marks & ~mark;
}

/** Notes that nothing is there. It is looked at again by the next scan. */
export function setGone(record: FolderRecord, at: number): void {
  record.numbers.fill(0, at * NUMBERS, (at + 1) * NUMBERS);
  record.kinds[at] = KIND.gone;
  record.marks[at] = 0;
  record.oids[at] = '';
  record.folders[at] = undefined;
}

export function setHole(record: FolderRecord, at: number, reason: HoleReason): void {
  record.kinds[at] = holeKind(reason);
  record.oids[at] = '';
  record.folders[at] = undefined;
}

/** Notes a regular file of which nothing is known before it is read. */
export function setUnread(record: FolderRecord, at: number): void {
  setGone(record, at);
  record.kinds[at] = KIND.file;
}

/** Notes that nothing could be seen: because nothing is there, or because the system does not let anyone look. */
export function setUnseen(visit: FolderVisit, at: number): void {
  const draft = draftOf(visit);
  setGone(draft, at);
  if (isHidden(pathOf(visit, draft.names[at] ?? ''))) setHole(draft, at, 'unreadable');
}

/** Whatever the numbers are, the next scan looks at it anew. */
export function setUnproven(record: FolderRecord, at: number): void {
  setMark(record, at, MARK.racy, true);
}

/** What is to be done for an entry after {@link placeEntry}. */
export type Placed = 'nothing' | 'read' | 'enter';

export interface EntryPlace {
  readonly at: number;
  /** In the record of the last scan; -1 when it was not there. */
  readonly before: number;
  readonly stat: RawStat;
  /** Left out by a rule, though git does not track it. */
  readonly isLeftOut: boolean;
  readonly isRuled: boolean;
}

/** Puts an entry into the draft of its folder, with the content of the last scan where that is proven to be the same. */
export function placeEntry(
  visit: FolderVisit,
  { at, before, stat, isLeftOut, isRuled }: EntryPlace,
  limits: { readonly maxFileBytes: number; readonly clock: ScanClock },
): Placed {
  const draft = draftOf(visit);
  const { previous } = visit;
  const isProven = previous !== undefined && before >= 0 && isProvenSame(previous, before, stat);
  const kindBefore = previous?.kinds[before];
  const oidBefore = previous?.oids[before] ?? '';
  setNumbers(draft, at, stat);
  draft.folders[at] = undefined;
  draft.marks[at] = (isRuled ? MARK.ruled : 0) | (limits.clock.isRacy(stat) ? MARK.racy : 0);
  const type = rawKindOf(stat);
  if (isLeftOut || type === 'special') {
    setHole(draft, at, isLeftOut ? 'ignored' : 'special');
    return 'nothing';
  }
  if (type === 'directory') {
    draft.kinds[at] = KIND.folder;
    draft.oids[at] = '';
    return 'enter';
  }
  if (type === 'file' && stat.size > limits.maxFileBytes) {
    setHole(draft, at, 'too_large');
    return 'nothing';
  }
  const kind = type === 'file' ? KIND.file : KIND.link;
  draft.kinds[at] = kind;
  draft.oids[at] = isProven && kindBefore === kind ? oidBefore : '';
  return draft.oids[at] === '' ? 'read' : 'nothing';
}

/** What is in a folder; undefined when the folder is none any more, or another one. Throws when it cannot be read. */
function listFolder<Entry>(
  visit: FolderVisit,
  list: (path: string) => readonly Entry[],
): readonly Entry[] | undefined {
  try {
    const entries = list(visit.path);
    return visit.parent === undefined || isStillThere(visit) ? entries : undefined;
  } catch (error) {
    if (visit.parent !== undefined && ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * What `list` finds in a folder. When it cannot be entered, what stands there now is noted where the folder is an entry,
 * and `instead` says what is to be done about that. Throws only for the root.
 */
export function enterFolder<Entry>(
  visit: FolderVisit,
  limits: { readonly maxFileBytes: number; readonly clock: ScanClock },
  list: (path: string) => readonly Entry[],
): { readonly entries: readonly Entry[] } | { readonly instead: Placed } {
  const { parent, at } = visit;
  try {
    const entries = listFolder(visit, list);
    if (entries !== undefined) return { entries };
  } catch (error) {
    if (errnoOf(error) === undefined || parent === undefined) throw error;
    setHole(draftOf(parent), at, 'unreadable');
    setUnproven(draftOf(parent), at);
    return { instead: 'nothing' };
  }
  return { instead: parent === undefined ? 'nothing' : placeInstead(parent, at, limits) };
}

/** Whether the name of a folder still is that of the folder that was looked at, and of no link to another. */
export function isStillThere({ path, ino, dev }: FolderVisit): boolean {
  const stat = statOrNothing(path);
  return stat !== undefined && rawKindOf(stat) === 'directory' && stat.ino === ino && stat.dev === dev;
}

function placeInstead(
  visit: FolderVisit,
  at: number,
  limits: { readonly maxFileBytes: number; readonly clock: ScanClock },
): Placed {
  const draft = draftOf(visit);
  draft.folders[at] = undefined;
  const stat = statOrNothing(pathOf(visit, draft.names[at] ?? ''));
  if (stat === undefined) {
    setUnseen(visit, at);
    return 'nothing';
  }
  const isRuled = ((draft.marks[at] ?? 0) & MARK.ruled) !== 0;
  const placed = placeEntry(visit, { at, before: -1, stat, isLeftOut: false, isRuled }, limits);
  // It comes and goes faster than it can be looked at.
  if (placed === 'enter') setHole(draft, at, 'unstable');
  // What was decided was about a folder.
  setUnproven(draft, at);
  return placed === 'enter' ? 'nothing' : placed;
}

/** Whether a folder is one of those it lies in, as a mount can make it. */
export function isInCircle(visit: FolderVisit, stat: RawStat): boolean {
  if (!Number.isSafeInteger(stat.ino)) return false;
  for (let outer: FolderVisit | undefined = visit; outer !== undefined; outer = outer.parent)
    if (outer.ino === stat.ino && outer.dev === stat.dev) return true;
  return false;
}
