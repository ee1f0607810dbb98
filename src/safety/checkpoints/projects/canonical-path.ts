import { dirname, resolve } from 'node:path';
import { decodeFileName, errnoOf } from '../../../platform/paths/index.ts';
import { rawKindOf, rawLink, rawStat } from '../../../platform/raw-files/index.ts';

/** As many links as Linux follows on one way; see path_resolution(7). */
const MAX_LINKS = 40;

/**
 * The path without links, `.` and `..`, as far as it exists; what does not exist, may not be looked at or leads in a
 * circle is appended as written. `..` is the folder above the one a link leads to, as the system sees it. Absolute in,
 * absolute out.
 *
 * @throws InvalidPathError for a path that no file can have.
 */
export function canonicalPath(path: string): string {
  const pending = partsOf(path).toReversed();
  let links = 0;
  let folder = '/';
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const next = part === '..' ? dirname(folder) : below(folder, part);
    const target = part === '..' ? undefined : linkAt(next);
    if (target === undefined) {
      folder = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return resolve(next, ...pending.toReversed());
    pending.push(...partsOf(target).toReversed());
    if (target.startsWith('/')) folder = '/';
  }
  return folder;
}

/** An entry of a folder, both absolute. */
export function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Where the link at `path` leads; undefined when there is none, or it may not be read. */
function linkAt(path: string): string | undefined {
  try {
    const stat = rawStat(path);
    if (stat === undefined || rawKindOf(stat) !== 'link') return undefined;
    return decodeFileName(rawLink(path));
  } catch (error) {
    // Whoever may not look at it cannot be led astray by it either.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
