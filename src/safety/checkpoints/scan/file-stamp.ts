import { errnoOf } from '../../../platform/paths/index.ts';
import { type RawStat, rawStat } from '../../../platform/raw-files/index.ts';
import type { ScanClock } from './scan-clock.ts';

const RACY = '~';
const ABSENT = '-';

/** The state of a file in one word, to be compared with {@link isSameStamp}. */
export function fileStamp(path: string, clock: ScanClock): string {
  const stat = statOrNothing(path);
  if (stat === undefined) return ABSENT;
  const { size, mtimeMs, ctimeMs, ino, mode } = stat;
  return [size, mtimeMs, ctimeMs, ino, mode].join(':') + (clock.isRacy(stat) ? RACY : '');
}

/** Whether the file is the same for sure. */
export function isSameStamp(before: string, now: string): boolean {
  return before === now && !now.includes(RACY);
}

/** What has the name, links not followed; undefined also when nobody can say. */
export function statOrNothing(path: string): RawStat | undefined {
  try {
    return rawStat(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether the system refuses to say what has the name: a folder on the way is closed, or the path too long. */
export function isHidden(path: string): boolean {
  try {
    rawStat(path);
    return false;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}
