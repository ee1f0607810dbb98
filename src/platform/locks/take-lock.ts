import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errnoOf, fileSystemPath } from '../paths/index.ts';
import type { Liveness, ProcessIdentity } from '../process/index.ts';
import { encodeLockRecord, type LockFile, type LockRecord, readLockFile } from './lock-record.ts';

/** What locks need to know about processes. */
export interface ProcessPort {
  /** This process. */
  readonly current: () => ProcessIdentity;
  readonly isAlive: (identity: ProcessIdentity) => Liveness;
}

export type TakeOutcome =
  | { readonly type: 'taken' }
  /** Without a holder: by a file that is no lock of ours, or by one that changed hands all the time. */
  | { readonly type: 'held'; readonly holder: ProcessIdentity | undefined };

/** How many guards may stand on each other: one is left for each process that died while it took over a dead one's lock. */
const MAX_GUARDS = 5;
/** How often a lock may be released under our eyes before we call it held. */
const MAX_ROUNDS = 50;

/**
 * Tries once to take the lock at `path`. Throws what `node:fs` throws.
 *
 * A lock file comes into being as a hard link to a complete file, so it is never seen half-written, and only one link can
 * be made. A lock whose holder is dead is replaced by whoever holds the lock `<path>.<token of the dead lock>`, its guard:
 * as a token is never used twice and only the guard's holder replaces that lock, exactly one process takes it over. The
 * guard is a lock like any other, so it too is taken over from a dead process. When it cannot be found out whether a
 * holder is alive, the lock stays held.
 */
export function takeLock(path: string, record: LockRecord, processes: ProcessPort): TakeOutcome {
  const seen = readLockFile(path);
  if (seen.type !== 'none' && !isOver(seen, processes)) return heldBy(seen);
  const draft = `${path}.${record.token}`;
  try {
    writeFileSync(fileSystemPath(draft), encodeLockRecord(record), { mode: 0o600, flag: 'wx' });
    return takeWithDraft({ path, draft, processes, guards: 0 });
  } finally {
    rmSync(fileSystemPath(draft), { force: true });
  }
}

/** Whether the lock at `path` is the one with that token. Throws what `node:fs` throws. */
export function isOwnLock(path: string, token: string): boolean {
  const file = readLockFile(path);
  return file.type === 'record' && file.record.token === token;
}

interface Take {
  readonly path: string;
  /** A complete lock file under a name that nobody else uses. */
  readonly draft: string;
  readonly processes: ProcessPort;
  readonly guards: number;
}

function takeWithDraft(take: Take): TakeOutcome {
  const { path, draft, processes, guards } = take;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (linkIfFree(draft, path)) return { type: 'taken' };
    const found = readLockFile(path);
    if (found.type === 'none') continue;
    if (!isOver(found, processes) || guards >= MAX_GUARDS) return heldBy(found);
    const guard = `${path}.${idOf(found)}`;
    if (takeWithDraft({ ...take, path: guard, guards: guards + 1 }).type === 'held') return heldBy(found);
    try {
      const now = readLockFile(path);
      if (now.type !== 'none' && idOf(now) === idOf(found)) {
        replace(path, draft, guards);
        return { type: 'taken' };
      }
    } finally {
      rmSync(fileSystemPath(guard), { force: true });
    }
  }
  return { type: 'held', holder: undefined };
}

function linkIfFree(draft: string, path: string): boolean {
  try {
    linkSync(fileSystemPath(draft), fileSystemPath(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Puts a second name of the draft in the place of the lock; the draft itself may be needed again. */
function replace(path: string, draft: string, guards: number): void {
  const copy = `${draft}.${guards}`;
  linkSync(fileSystemPath(draft), fileSystemPath(copy));
  renameSync(fileSystemPath(copy), fileSystemPath(path));
}

function isOver(file: Exclude<LockFile, { type: 'none' }>, processes: ProcessPort): boolean {
  return file.type === 'record' ? processes.isAlive(file.record.holder) === 'dead' : file.isOlderThanBoot;
}

function idOf(file: Exclude<LockFile, { type: 'none' }>): string {
  return file.type === 'record' ? file.record.token : file.id;
}

function heldBy(file: Exclude<LockFile, { type: 'none' }>): TakeOutcome {
  return { type: 'held', holder: file.type === 'record' ? file.record.holder : undefined };
}
