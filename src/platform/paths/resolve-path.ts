import { resolve } from 'node:path';

/** `path` as an absolute one, seen from `base` (absolute). Links are not followed. */
export function resolvePath(base: string, path: string): string {
  return resolve(base, path);
}
