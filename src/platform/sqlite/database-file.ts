import { accessSync, chmodSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  createFolders,
  displayPath,
  errnoOf,
  type FileFailure,
  fileSystemPath,
  isFileError,
} from '../paths/index.ts';

const PRIVATE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Makes sure that there is a private file (0600) that can be opened as a database, in a folder that exists and can be
 * written; for reading only, that there is a file. Returns what stands against it; throws what `node:fs` throws.
 *
 * An existing file is never opened here: closing it would drop the locks that another connection of this process has on it
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function prepareDatabaseFile(path: string, isReadOnly: boolean): FileFailure | undefined {
  const target = fileSystemPath(path);
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined && !isReadOnly) createPrivateFile(path);
  else if (stats?.isFile() === false) return notAFile(path);
  accessSync(target, isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
  if (isReadOnly) return undefined;
  accessSync(fileSystemPath(dirname(path)), constants.W_OK | constants.X_OK);
  if (stats !== undefined && (stats.mode & OTHERS) !== 0) makePrivate(target);
  return undefined;
}

function createPrivateFile(path: string): void {
  createFolders(dirname(path), 0o700);
  try {
    closeSync(openSync(fileSystemPath(path), 'wx', PRIVATE_MODE));
  } catch (error) {
    // Another process was faster.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function makePrivate(target: string | Buffer): void {
  try {
    chmodSync(target, PRIVATE_MODE);
  } catch (error) {
    // The file of somebody else who lets us write: using it does not need its mode changed.
    if (!isFileError(error)) throw error;
  }
}

function notAFile(path: string): FileFailure {
  const message = `cannot open the database ${displayPath(path)}: it is not a file`;
  return { ok: false, code: 'not_a_file', message, remedy: 'move it away, or name another file', path };
}
