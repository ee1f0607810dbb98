import { lstatSync, readFileSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { getOwn, getString, isJsonObject, type JsonObject, parseJson } from '../../kernel/json/index.ts';
import { errnoOf, fileSystemPath } from '../paths/index.ts';
import type { ProcessIdentity } from '../process/index.ts';

/** Version of the file format. */
const FORMAT = 1;

/** What a lock file says. */
export interface LockRecord {
  /** Differs for each time a lock is taken, also in one process. Only `[a-z0-9_]`. */
  readonly token: string;
  readonly holder: ProcessIdentity;
}

/** What stands at the path of a lock. */
export type LockFile =
  | { readonly type: 'none' }
  | { readonly type: 'record'; readonly record: LockRecord }
  /** Content that no holder of ours wrote. `id` differs for each such file. */
  | { readonly type: 'foreign'; readonly id: string; readonly isOlderThanBoot: boolean };

/** The text of a lock file: JSON, in the names of the process identity, snake_case. */
export function encodeLockRecord({ token, holder }: LockRecord): string {
  const { pid, startTime, bootId, pidNamespace } = holder;
  const document: JsonObject = {
    version: FORMAT,
    token,
    pid,
    start_time: startTime,
    boot_id: bootId,
    pid_namespace: pidNamespace,
  };
  return `${JSON.stringify(document)}\n`;
}

/** Reads a lock file. Throws what `node:fs` throws, except that a missing file is no error. */
export function readLockFile(path: string): LockFile {
  try {
    const record = mayBeRead(path) ? decodeLockRecord(readFileSync(fileSystemPath(path), 'utf8')) : undefined;
    if (record !== undefined) return { type: 'record', record };
    const { ino, mtimeMs } = lstatSync(fileSystemPath(path));
    const bootedAtMs = Date.now() - uptime() * 1000;
    return { type: 'foreign', id: `x${ino}_${Math.floor(mtimeMs)}`, isOlderThanBoot: mtimeMs < bootedAtMs };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { type: 'none' };
    throw error;
  }
}

/** More than any lock file of ours has. */
const MAX_BYTES = 64 * 1024;

/** A pipe or a device would keep the reader waiting for ever. A folder is left to fail as one. */
function mayBeRead(path: string): boolean {
  const stats = statSync(fileSystemPath(path));
  return stats.isDirectory() || (stats.isFile() && stats.size <= MAX_BYTES);
}

function decodeLockRecord(text: string): LockRecord | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { value } = parsed;
  const [token, pid] = [getString(value, 'token'), getOwn(value, 'pid')];
  const [startTime, bootId] = [getString(value, 'start_time'), getString(value, 'boot_id')];
  const pidNamespace = getString(value, 'pid_namespace');
  if (getOwn(value, 'version') !== FORMAT || typeof pid !== 'number') return undefined;
  if (token === undefined || !/^[a-z0-9_]+$/.test(token)) return undefined;
  if (startTime === undefined || bootId === undefined || pidNamespace === undefined) return undefined;
  return { token, holder: { pid, startTime, bootId, pidNamespace } };
}
