import { basename, dirname } from 'node:path';
import { decodeFileName, errnoOf } from '../../../platform/paths/index.ts';
import { type RawKind, rawKindOf, rawLink, rawStat } from '../../../platform/raw-files/index.ts';
import { below, canonicalPath } from '../projects/canonical-path.ts';

/** A path and the project it belongs to. */
export interface NamedPath {
  /** Of the project. */
  readonly root: string;
  /** Relative to it. */
  readonly path: string;
}

/** As many links as Linux follows on one way; see path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Everything that a write to `path` (absolute) can make or change: what has this name, and when it is a link also what it
 * leads to, link by link; and the folders on the way that are missing. The way to each of them has no links.
 *
 * @param rootOf the root of the project of a folder, given by its canonical path.
 * @throws InvalidPathError for a path that no file can have.
 */
export function namedPaths(path: string, rootOf: (folder: string) => string): readonly NamedPath[] {
  const named: NamedPath[] = [];
  let next: string | undefined = path;
  for (let links = 0; next !== undefined && links <= MAX_LINKS; links += 1) {
    const place = placeOf(next);
    if (place === '/') break;
    const root = rootOf(dirname(place));
    for (const folder of missingFolders(dirname(place), root))
      named.push({ root, path: within(root, folder) });
    named.push({ root, path: within(root, place) });
    next = targetOf(place);
  }
  return named;
}

/** Where the last part of a path is: its folder without links, the part itself as it is. */
function placeOf(path: string): string {
  const name = basename(path);
  if (name === '' || name === '.' || name === '..') return canonicalPath(path);
  return below(canonicalPath(dirname(path)), name);
}

/** The folders from `folder` upwards that are none yet, or something else. */
function missingFolders(folder: string, root: string): readonly string[] {
  const missing: string[] = [];
  for (let candidate = folder; candidate !== root && candidate !== '/'; candidate = dirname(candidate)) {
    if (kindAt(candidate) === 'directory') break;
    missing.unshift(candidate);
  }
  return missing;
}

function targetOf(place: string): string | undefined {
  if (kindAt(place) !== 'link') return undefined;
  const target = decodeFileName(rawLink(place));
  return target.startsWith('/') ? target : `${dirname(place)}/${target}`;
}

/** What has the name; `unknown` when that may not be asked. */
export function kindAt(path: string): RawKind | 'absent' | 'unknown' {
  try {
    const stat = rawStat(path);
    return stat === undefined ? 'absent' : rawKindOf(stat);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return 'unknown';
  }
}

function within(root: string, path: string): string {
  return root === '/' ? path.slice(1) : path.slice(root.length + 1);
}
