import { dirname, join } from 'node:path';
import { decodeFileName, isFileError } from '../../platform/paths/index.ts';
import { rawKindOf, rawLink, rawStat } from '../../platform/raw-files/index.ts';

/** The depth at which Linux gives up following links, see path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Where an absolute path leads when it is opened, as the system sees it: every link followed, also one to something that is not
 * there yet; `..` is the parent of where the links before it led. Never throws: what cannot be looked at is taken as no link.
 */
export function followPath(path: string): string {
  const pending = path.split('/').reverse();
  let at = '/';
  let links = 0;
  while (pending.length > 0) {
    const name = pending.pop() ?? '';
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const target = links < MAX_LINKS ? linkAt(next) : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (target.startsWith('/')) at = '/';
    pending.push(...target.split('/').reverse());
  }
  return at;
}

function linkAt(path: string): string | undefined {
  try {
    const stat = rawStat(path);
    return stat !== undefined && rawKindOf(stat) === 'link' ? decodeFileName(rawLink(path)) : undefined;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
