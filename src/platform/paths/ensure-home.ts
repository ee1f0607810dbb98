import { accessSync, chmodSync, constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import type { Result } from '../../kernel/errors/index.ts';
import { createFolders } from './create-folders.ts';
import {
  describeFileError,
  errnoOf,
  type FileErrorCode,
  type FileFailure,
  isFileError,
} from './describe-file-error.ts';
import { displayPath } from './display-path.ts';
import { fileSystemPath } from './file-name-bytes.ts';

const PRIVATE_MODE = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;
const REMEDY = 'set HERMA_HOME to a folder that you can write';

/** Names by which a folder is recognised as Herma's home: none that a folder of the system holds. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  'state.db',
  'shell-hooks-allowlist.json',
  'agent-hooks',
  'plugin-data',
]);

/** A home that can be used. */
export interface EnsuredHome {
  readonly home: string;
  readonly isNew: boolean;
  /** What a person should know: permissions that were repaired or are too wide, an owner that is somebody else. */
  readonly warnings: readonly string[];
}

/**
 * Makes sure that `home` (absolute) is a folder this process can read and write; creates it, and what is missing above
 * it, with mode 0700.
 *
 * An existing home that others may enter is set to 0700 when it is recognisably Herma's (called `.herma`, empty, or
 * holding one of its files); any other folder is left as it is and reported. Fails with what is wrong when it cannot be
 * created, read or written, or is no folder.
 */
export function ensureHome(home: string): Result<EnsuredHome, FileErrorCode> {
  try {
    const isNew = statSync(fileSystemPath(home), { throwIfNoEntry: false }) === undefined;
    if (isNew) create(home);
    const stats = statSync(fileSystemPath(home));
    if (!stats.isDirectory()) return unusable(home, 'it is not a folder', 'not_a_directory');
    const warnings = isNew ? [] : [...foreignOwner(home, stats), ...narrowPermissions(home, stats)];
    accessSync(fileSystemPath(home), constants.R_OK | constants.W_OK | constants.X_OK);
    return { ok: true, value: { home, isNew, warnings } };
  } catch (error) {
    if (!isFileError(error)) throw error;
    const isDangling = errnoOf(error) === 'EEXIST' || (errnoOf(error) === 'ENOENT' && isLink(home));
    if (isDangling) return unusable(home, 'it is a symbolic link that leads nowhere', 'not_found');
    return { ...describeFileError(error, home, 'use the home folder'), remedy: REMEDY };
  }
}

function create(home: string): void {
  createFolders(home, PRIVATE_MODE);
  chmodSync(fileSystemPath(home), PRIVATE_MODE);
}

function unusable(home: string, reason: string, code: FileErrorCode): FileFailure {
  const message = `cannot use the home folder ${displayPath(home)}: ${reason}`;
  return { ok: false, code, message, remedy: REMEDY, path: home };
}

function isLink(path: string): boolean {
  return lstatSync(fileSystemPath(path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function foreignOwner(home: string, stats: Stats): readonly string[] {
  const own = process.getuid?.() ?? stats.uid;
  if (own === 0 || own === stats.uid) return [];
  return [
    `${displayPath(home)} belongs to user ${stats.uid}, who can change what Herma does: use a home of your own`,
  ];
}

function narrowPermissions(home: string, stats: Stats): readonly string[] {
  if ((stats.mode & OTHERS) === 0) return [];
  const were = (stats.mode & 0o777).toString(8).padStart(4, '0');
  if (isRecognisablyOurs(home, stats) && setPrivate(home)) {
    return [`${displayPath(home)} was open to other users (mode ${were}); its mode is 0700 now`];
  }
  return [
    `${displayPath(home)} is open to other users (mode ${were}): run chmod 700 on it, or choose another HERMA_HOME`,
  ];
}

function isRecognisablyOurs(home: string, { mode }: Stats): boolean {
  if ((mode & STICKY) !== 0 || dirname(home) === home || home === systemHome()) return false;
  const entries = readdirSync(fileSystemPath(home));
  return basename(home) === '.herma' || entries.length === 0 || entries.some((name) => OWN_ENTRIES.has(name));
}

function systemHome(): string | undefined {
  try {
    return homedir();
  } catch {
    // A user id without an entry in the user database has no home to protect.
    return undefined;
  }
}

/** False when the file system refuses, or takes no notice. */
function setPrivate(home: string): boolean {
  try {
    chmodSync(fileSystemPath(home), PRIVATE_MODE);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return false;
  }
  return (statSync(fileSystemPath(home)).mode & OTHERS) === 0;
}
