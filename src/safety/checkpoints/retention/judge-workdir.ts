import { dirname } from 'node:path';
import { rawKindOf, rawNames, rawStat } from '../../../platform/raw-files/index.ts';

/**
 * `live`: the folder is there. `orphan`: it was seen to be gone, from the very folder it used to be in. `unreachable`: it
 * is not there, and that may be a volume that is not mounted.
 */
export type WorkdirState = 'live' | 'orphan' | 'unreachable';

/** What names a folder for as long as it exists. */
export interface FolderIdentity {
  readonly dev: number;
  readonly ino: number;
}

/**
 * Whether a project's folder still exists. `parent` is the identity its parent had when the project was last in use.
 *
 * Says `orphan` only on proof: the parent is there, is the same folder as then, and is not the empty place where a volume
 * would be mounted. Whatever cannot be looked at makes it `unreachable`, never `orphan`.
 */
export function judgeWorkdir(workdir: string, parent: FolderIdentity | undefined): WorkdirState {
  try {
    const stat = rawStat(workdir);
    if (stat !== undefined) return rawKindOf(stat) === 'directory' ? 'live' : 'unreachable';
    return parent !== undefined && isWhereItWas(dirname(workdir), parent) ? 'orphan' : 'unreachable';
  } catch {
    // A probe that fails proves nothing.
    return 'unreachable';
  }
}

function isWhereItWas(folder: string, identity: FolderIdentity): boolean {
  const stat = rawStat(folder);
  if (stat === undefined || rawKindOf(stat) !== 'directory') return false;
  if (stat.dev !== identity.dev || stat.ino !== identity.ino) return false;
  return rawNames(folder).length > 0 || isMountPoint(folder, stat.dev);
}

function isMountPoint(folder: string, device: number): boolean {
  const outer = dirname(folder);
  return outer === folder || rawStat(outer)?.dev !== device;
}
