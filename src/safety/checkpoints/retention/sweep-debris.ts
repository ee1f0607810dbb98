import { basename, join } from 'node:path';
import { rawKindOf, rawStat, unlinkRaw } from '../../../platform/raw-files/index.ts';
import { MAINTENANCE_LOCK } from '../projects/leases.ts';
import { isTemporaryName } from '../projects/temporary-file.ts';
import { namesIn, walkFolder } from './measure-folder.ts';
import type { RetentionParts } from './retention-parts.ts';

/** Nothing of ours, and no git, takes that long to finish a file. In milliseconds. */
const DEBRIS_AGE_MS = 10 * 60 * 1000;

/** What was removed. */
export interface DebrisSwept {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Removes what processes that died have left: temporary files, packs without an index, locks of git, the drafts of our
 * own lock and leases of the dead. Files by their age, 10 minutes, as nobody can say whose they are; a file that is
 * younger, or from the future, stays.
 */
export function sweepDebris(parts: RetentionParts): DebrisSwept {
  const now = parts.clock.now();
  let files = parts.leases.sweep();
  let bytes = 0;
  for (const path of debrisOf(parts)) {
    const stat = rawStat(path);
    if (stat === undefined || rawKindOf(stat) === 'directory' || now - stat.mtimeMs < DEBRIS_AGE_MS) continue;
    if (!unlinkRaw(path)) continue;
    files += 1;
    bytes += stat.size;
    parts.step?.('debris');
  }
  return { files, bytes };
}

function* debrisOf({ folder, objects }: RetentionParts): Generator<string> {
  for (const { path } of objects.leftovers()) if (!isOurLock(basename(path))) yield path;
  for (const place of ['projects', 'journals', 'leases', 'manifests', 'bytes'])
    for (const { path, name } of walkFolder(join(folder, place)))
      if (isTemporaryName(name) || name.startsWith('tmp_')) yield path;
  for (const name of namesIn(folder)) if (isStray(name)) yield join(folder, name);
  for (const name of namesIn(join(folder, 'objects')))
    if (name.startsWith('tmp_')) yield join(folder, 'objects', name);
}

function isOurLock(name: string): boolean {
  return name === MAINTENANCE_LOCK;
}

/** In the folder of the store: locks of git, also of an index that we do not have, and drafts of our own lock. */
function isStray(name: string): boolean {
  const isLock = name.endsWith('.lock') && !isOurLock(name);
  return isLock || name.startsWith(`${MAINTENANCE_LOCK}.`) || name.startsWith('tmp-');
}
