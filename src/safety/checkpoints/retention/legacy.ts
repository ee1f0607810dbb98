import { join } from 'node:path';
import { type FileResult, removeTree } from '../../../platform/files/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import { measureFolder, namesIn } from './measure-folder.ts';

/** Begins the names of archived stores, `legacy-<YYYYmmdd-HHMMSS>`. */
export const LEGACY_PREFIX = 'legacy-';

export interface LegacyArchive {
  readonly name: string;
  readonly bytes: number;
}

/** The archives of stores of another layout, sorted by name. They are walked. */
export function listLegacy(base: string): readonly LegacyArchive[] {
  return legacyNames(base).map((name) => ({ name, bytes: measureFolder(join(base, name)) }));
}

/** Removes every archive. Returns what was removed, and one line for each that could not be. */
export async function clearLegacy(
  base: string,
): Promise<{ readonly removed: readonly LegacyArchive[]; readonly errors: readonly string[] }> {
  return removeArchives(base, listLegacy(base));
}

/** Removes the archives that nobody has changed since `before`, in milliseconds since 1970. */
export async function removeOldLegacy(
  base: string,
  before: number,
): Promise<{ readonly removed: readonly LegacyArchive[]; readonly errors: readonly string[] }> {
  const old = legacyNames(base).filter((name) => (rawStat(join(base, name))?.mtimeMs ?? before) < before);
  return removeArchives(
    base,
    old.map((name) => ({ name, bytes: measureFolder(join(base, name)) })),
  );
}

async function removeArchives(
  base: string,
  archives: readonly LegacyArchive[],
): Promise<{ readonly removed: readonly LegacyArchive[]; readonly errors: readonly string[] }> {
  const removed: LegacyArchive[] = [];
  const errors: string[] = [];
  for (const archive of archives) {
    const result: FileResult<undefined> = await removeTree(join(base, archive.name));
    if (result.ok) removed.push(archive);
    else errors.push(result.message);
  }
  return { removed, errors };
}

function legacyNames(base: string): readonly string[] {
  return namesIn(base)
    .filter((name) => name.startsWith(LEGACY_PREFIX))
    .toSorted();
}
