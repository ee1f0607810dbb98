import { lstat, rename } from 'node:fs/promises';
import { errnoOf, fileSystemPath } from '../paths/index.ts';
import { attemptFile, type FileResult } from './file-result.ts';

export interface SetAsideOptions {
  /** Milliseconds since 1970-01-01 UTC, for the name; by default the machine's time. */
  readonly nowMs?: number;
  /** What to append to `path` for files that belong to it and go along when they exist: `-wal`, `-shm`. */
  readonly companions?: readonly string[];
}

/**
 * Keeps a damaged file (or folder) under another name, `<path>.corrupt-<UTC time>`, so that a sound one can take its place.
 * Never replaces anything. Returns the new path. Fails with `not_found` when there is nothing at `path`.
 */
export async function setAside(path: string, options: SetAsideOptions = {}): Promise<FileResult<string>> {
  const { nowMs = Date.now(), companions = [] } = options;
  return attemptFile('set aside', path, async () => {
    const kept = await freeName(`${path}.corrupt-${stamp(nowMs)}`, companions);
    await rename(fileSystemPath(path), fileSystemPath(kept));
    for (const companion of companions) {
      if (await isThere(path + companion))
        await rename(fileSystemPath(path + companion), fileSystemPath(kept + companion));
    }
    return kept;
  });
}

/** `20301231T235959Z`: no character that needs quoting, sorts by time. */
function stamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

async function freeName(wanted: string, companions: readonly string[]): Promise<string> {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    const taken = await Promise.all(['', ...companions].map((suffix) => isThere(name + suffix)));
    if (!taken.includes(true)) return name;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(fileSystemPath(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
