import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { rawKindOf, rawNames, rawStat } from '../../../platform/raw-files/index.ts';

/** The bytes of everything in a folder, the folders themselves included; 0 when it is not there. What vanishes is left out. */
export function measureFolder(folder: string): number {
  let bytes = 0;
  for (const { stat } of walkFolder(folder)) bytes += stat.size;
  return bytes + (rawStat(folder)?.size ?? 0);
}

export interface WalkedFile {
  readonly path: string;
  readonly name: string;
  readonly stat: NonNullable<ReturnType<typeof rawStat>>;
}

/** Everything below a folder, each folder before what it holds; links are not followed. What vanishes is left out. */
export function* walkFolder(folder: string): Generator<WalkedFile> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const stat = rawStat(path);
    if (stat === undefined) continue;
    yield { path, name, stat };
    if (rawKindOf(stat) === 'directory') yield* walkFolder(path);
  }
}

/** The names in a folder; none when it is not there. */
export function namesIn(folder: string): readonly string[] {
  try {
    return rawNames(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
