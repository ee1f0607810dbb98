import { join } from 'node:path';
import { fileStamp } from './file-stamp.ts';
import { foldersUpToRepository, readRules, repositoryAt } from './git-repository.ts';
import type { IgnoreLevel } from './ignore-levels.ts';
import { type IndexCache, OpenRepository } from './open-repository.ts';
import type { ScanClock } from './scan-clock.ts';

/** What lies above the root of a scan and has a say in it. */
export interface OuterRules {
  /** To be compared with `isSameStamp`. */
  readonly rulesStamp: string;
  readonly indexStamp: string;
  readonly repository: OpenRepository | undefined;
  readonly level: () => IgnoreLevel | undefined;
}

/** Looks at the folders above a root, up to the top of the repository it lies in. Nothing when the root is a top itself. */
export function outerRulesOf(root: string, clock: ScanClock, indexes: IndexCache): OuterRules {
  const folders = repositoryAt(root) === undefined ? foldersUpToRepository(root) : [];
  const [top] = folders;
  const location = top === undefined ? undefined : repositoryAt(top);
  const stamps = folders.map((folder) => `${folder}=${fileStamp(join(folder, '.gitignore'), clock)}`);
  if (location !== undefined) stamps.push(fileStamp(location.exclude, clock));
  const indexStamp = location === undefined ? '' : fileStamp(location.index, clock);
  const repository =
    top === undefined || location === undefined
      ? undefined
      : new OpenRepository(location, { prefix: '', lead: leadOf(root, top), stamp: indexStamp, indexes });
  return {
    rulesStamp: stamps.join('|'),
    indexStamp,
    repository,
    level: () => levelsOf(root, folders, repository),
  };
}

function levelsOf(
  root: string,
  folders: readonly string[],
  repository: OpenRepository | undefined,
): IgnoreLevel | undefined {
  let level: IgnoreLevel | undefined;
  folders.forEach((folder, index) => {
    const lead = leadOf(root, folder);
    const exclude = index === 0 ? repository?.excludeRules() : undefined;
    if (exclude !== undefined) level = { prefix: '', lead, rules: exclude, outer: level };
    const own = readRules(join(folder, '.gitignore'));
    if (own !== undefined) level = { prefix: '', lead, rules: own, outer: level };
  });
  return level;
}

/** The way from a folder down to the root, with a slash at its end. */
function leadOf(root: string, folder: string): string {
  return `${root.slice(folder === '/' ? 1 : folder.length + 1)}/`;
}
