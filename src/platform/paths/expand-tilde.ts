import { join } from 'node:path';

/** `path` with a leading `~` or `~/` replaced by `home`. `~name` is left as it is: it is a valid file name. */
export function expandTilde(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
