import { dirname, join } from 'node:path';
import { errnoOf, isFileError } from '../../platform/paths/index.ts';
import {
  chmodRaw,
  createRawFile,
  ensureRawFolder,
  makeRawFolder,
  rawContent,
  rawKindOf,
  rawNames,
  rawStat,
  renameRaw,
  symlinkRaw,
  unlinkRaw,
} from '../../platform/raw-files/index.ts';
import type { TamperChange, TamperFinding } from './finding.ts';
import type { WatchedNode } from './watched-node.ts';

const PERMISSIONS = 0o7777;
/** A larger file is moved instead of copied. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024;

/** A change that is to be undone. */
export interface Undoing {
  /** Absolute. */
  readonly path: string;
  readonly change: TamperChange;
  readonly before: WatchedNode | undefined;
  readonly now: WatchedNode | undefined;
  /** Where to keep what is there now; nothing is there yet, nor need its folder be. */
  readonly aside: string;
  /** A name beside any file that nothing has. */
  readonly newName: () => string;
}

/**
 * Puts back what was at a path, and keeps what is there now. A file is replaced in one step, so nobody reads half of one. Never
 * throws for what the disk does: the finding says what went wrong. Whether it really is as before is for the caller to look at.
 */
export function putBack(undoing: Undoing): TamperFinding {
  const { path, change, before, now } = undoing;
  const found = { path, change, detail: detailOf(before, now) };
  if (before?.type === 'file' && before.content === undefined && change !== 'mode')
    return { ...found, aside: '', isPutBack: false, problem: 'its earlier content was too large to keep' };
  const kept = change === 'mode' || now === undefined ? { aside: '', problem: '' } : keepAside(undoing);
  try {
    restore(undoing);
    return { ...found, ...kept, isPutBack: true };
  } catch (error) {
    if (!isFileError(error) && !(error instanceof NotRestorable)) throw error;
    const reason =
      error instanceof NotRestorable ? error.message : `the system answered ${errnoOf(error) ?? ''}`;
    return {
      ...found,
      ...kept,
      isPutBack: false,
      problem: [reason, kept.problem].filter(Boolean).join('; '),
    };
  }
}

class NotRestorable extends Error {}

function detailOf(before: WatchedNode | undefined, now: WatchedNode | undefined): string {
  if (before === undefined || now === undefined) return '';
  const [was, is] = [before.stat.mode & PERMISSIONS, now.stat.mode & PERMISSIONS];
  if (before.type !== now.type) return `a ${before.type} became a ${now.type}`;
  return was === is ? '' : `mode ${octal(was)} became ${octal(is)}`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function restore({ path, change, before, newName }: Undoing): void {
  if (before === undefined) {
    if (rawStat(path) !== undefined) throw new NotRestorable('it could not be moved away');
    return;
  }
  const mode = before.stat.mode & PERMISSIONS;
  if (change === 'mode') {
    chmodRaw(path, mode);
    return;
  }
  ensureRawFolder(dirname(path));
  if (before.type === 'directory') {
    makeRawFolder(path, mode);
    return;
  }
  const temporary = join(dirname(path), newName());
  if (before.type === 'link') symlinkRaw(before.target, temporary);
  else if (before.type === 'file' && before.content !== undefined)
    createRawFile(temporary, before.content, { mode, sync: true });
  else throw new NotRestorable('its kind cannot be made anew');
  try {
    renameRaw(temporary, path);
  } catch (error) {
    unlinkRaw(temporary);
    throw error;
  }
}

interface Kept {
  readonly aside: string;
  readonly problem: string;
}

/** A file that is to be replaced is copied, so that its name is never missing; all else is moved. */
function keepAside({ path, before, now, aside }: Undoing): Kept {
  try {
    ensureRawFolder(dirname(aside));
    if (now?.type === 'file' && before?.type === 'file') {
      const bytes = now.content ?? readable(path);
      if (bytes !== undefined) {
        createRawFile(aside, bytes, { mode: 0o600 });
        return { aside, problem: '' };
      }
    }
    if (now?.type === 'link' && before?.type === 'link') symlinkRaw(now.target, aside);
    else move(path, aside);
    makePrivate(aside);
    return { aside, problem: '' };
  } catch (error) {
    if (!isFileError(error)) throw error;
    const problem = `what was found there could not be kept (${errnoOf(error) ?? 'invalid path'})`;
    return { aside: '', problem };
  }
}

function move(path: string, aside: string): void {
  try {
    renameRaw(path, aside);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    const bytes = readable(path);
    if (bytes === undefined) throw error;
    createRawFile(aside, bytes, { mode: 0o600 });
    unlinkRaw(path);
  }
}

function readable(path: string): Buffer | undefined {
  try {
    return rawContent(path, MAX_COPIED_BYTES)?.bytes;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}

/** For the owner only and never to be run. A file that has other names as well is left alone: they are somebody else's. */
function makePrivate(path: string): void {
  const stat = rawStat(path);
  if (stat === undefined) return;
  const kind = rawKindOf(stat);
  if (kind === 'file' && stat.nlink === 1) chmodRaw(path, 0o600);
  if (kind !== 'directory') return;
  chmodRaw(path, 0o700);
  for (const name of rawNames(path)) makePrivate(join(path, name));
}
