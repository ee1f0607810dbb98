import { errnoOf } from '../../../platform/paths/index.ts';
import { type RawStat, rawKindOf, rawLink, readSteady } from '../../../platform/raw-files/index.ts';
import { statOrNothing } from './file-stamp.ts';
import { KIND, MARK } from './folder-record.ts';
import {
  draftOf,
  type PendingRead,
  type Placed,
  pathOf,
  placeEntry,
  setHole,
  setUnproven,
  setUnseen,
} from './folder-visit.ts';
import type { ScanParts } from './scan-parts.ts';

const MAX_ATTEMPTS = 4;

type EntryContent =
  | {
      readonly type: 'content';
      readonly bytes: Uint8Array /** Of the open file: the name may have stood for another one when it was looked at. */;
      readonly stat?: RawStat;
    }
  | { readonly type: 'too_large'; readonly stat: RawStat }
  /** It is something else by now, or is being written to. */
  | { readonly type: 'other' }
  | { readonly type: 'unreadable' };

/** Reads what a walk found to be new or changed into the store. What cannot be read becomes a hole, and the rest goes on. */
export function readPending(pending: readonly PendingRead[], parts: ScanParts): void {
  for (const read of pending) readEntry(read, parts);
}

function readEntry({ visit, at }: PendingRead, parts: ScanParts): void {
  const record = draftOf(visit);
  const path = pathOf(visit, record.names[at] ?? '');
  const isRuled = ((record.marks[at] ?? 0) & MARK.ruled) !== 0;
  const place = (stat: RawStat): Placed =>
    placeEntry(visit, { at, before: -1, stat, isLeftOut: false, isRuled }, parts);
  let reason: 'unreadable' | 'unstable' = 'unstable';
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const content = contentOf(path, record.kinds[at] === KIND.link, parts);
    if (content.type === 'unreadable') {
      reason = 'unreadable';
      break;
    }
    if (content.type !== 'other') {
      if (content.stat !== undefined) place(content.stat);
      if (content.type === 'content') record.oids[at] = parts.writer().blob(content.bytes);
      return;
    }
    const stat = statOrNothing(path);
    if (stat === undefined) {
      setUnseen(visit, at);
      return;
    }
    // A folder has come in the meantime, and cannot be entered any more.
    if (rawKindOf(stat) === 'directory') break;
    if (place(stat) === 'nothing') return;
  }
  setHole(record, at, reason);
  setUnproven(record, at);
}

function contentOf(path: string, isLink: boolean, parts: ScanParts): EntryContent {
  try {
    if (isLink) return { type: 'content', bytes: rawLink(path) };
    const read = readSteady(path, parts.maxFileBytes, parts.scratch);
    return read.type === 'content' || read.type === 'too_large' ? read : { type: 'other' };
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    // EINVAL: it is no link any more.
    return { type: ['ENOENT', 'ENOTDIR', 'EINVAL'].includes(code) ? 'other' : 'unreadable' };
  }
}
