import { decodeFileName, isFileError, resolvePath } from '../../../platform/paths/index.ts';
import { rawKindOf, rawLink, rawStat } from '../../../platform/raw-files/index.ts';

/** The depth at which Linux gives up following links, see path_resolution(7). */
const MAX_LINKS = 40;

/** {@link followLinks} for a moment in which nothing changes: what was looked at once is not looked at again. */
export function linkFollower(): (path: string) => string {
  const links = new Map<string, string | undefined>();
  const lookOnce = (path: string): string | undefined => {
    if (!links.has(path)) links.set(path, linkAt(path));
    return links.get(path);
  };
  return (path) => follow(path, lookOnce);
}

/**
 * Where an absolute path leads when it is opened: every link followed, also one to something that is not there yet, and `..` taken
 * from where the links before it led. Never throws: what cannot be looked at is taken as no link.
 */
export function followLinks(path: string): string {
  return follow(path, linkAt);
}

function follow(path: string, linkOf: (path: string) => string | undefined): string {
  const pending = path.split('/').reverse();
  let at = '/';
  let links = 0;
  while (pending.length > 0) {
    const name = pending.pop() ?? '';
    if (name === '' || name === '.') continue;
    const next = resolvePath(at, name === '..' ? '..' : `./${name}`);
    const target = name === '..' || links >= MAX_LINKS ? undefined : linkOf(next);
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
