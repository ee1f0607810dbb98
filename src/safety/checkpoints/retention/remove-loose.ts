import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { linkRaw, rawKindOf, rawStat, renameRaw, unlinkRaw } from '../../../platform/raw-files/index.ts';
import type { LooseObject } from '../objects/object-store.ts';
import { walkFolder } from './measure-folder.ts';

/** Begins the name of an object that is being removed. Git, too, takes it for a temporary file. */
const AWAY = 'tmp_obj_away-';

/**
 * Removes the file of an object, if it is still the one that was listed: it is taken away under another name and then
 * looked at, as somebody may write the object anew at any moment. Whether it was removed.
 */
export function removeLoose({ path, bytes, mtimeMs }: LooseObject, step?: (name: string) => void): boolean {
  const away = join(dirname(path), AWAY + basename(path));
  try {
    renameRaw(path, away);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  step?.('loose-away');
  const stat = rawStat(away);
  if (stat?.mtimeMs === mtimeMs && stat.size === bytes) return unlinkRaw(away);
  putBack(away);
  return false;
}

/** Puts back what somebody who died had taken away. Only for whoever holds the lock of maintenance. */
export function recoverLoose(objectsFolder: string): number {
  let count = 0;
  for (const { path, name, stat } of walkFolder(objectsFolder)) {
    if (!name.startsWith(AWAY) || rawKindOf(stat) !== 'file') continue;
    putBack(path);
    count += 1;
  }
  return count;
}

function putBack(away: string): void {
  try {
    linkRaw(away, join(dirname(away), basename(away).slice(AWAY.length)));
  } catch (error) {
    // Somebody has written the object anew, or put it back.
    if (!['EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
  unlinkRaw(away);
}
