import { join } from 'node:path';
import { displayPath, isInside, resolveInside } from '../../../platform/paths/index.ts';

/** Why a tool may not change a file (absolute path); undefined when it may. */
export type Protection = (path: string) => string | undefined;

/** What Herma keeps in its home and decides by: files, and folders with everything in them. */
const PROTECTED = [
  'config.yaml',
  'approvals.json',
  'shell-hooks-allowlist.json',
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'hooks',
  'agent-hooks',
  'plugins',
  'plugin-data',
  'checkpoints',
  'proxy',
  'run',
] as const;

/**
 * Protects the files Herma itself goes by from the tools that write: a model that could change them could approve its own
 * calls. Holds for a home behind a symbolic link too, when asked with both readings of a path.
 *
 * @param home absolute; need not exist.
 */
export function protectHome(home: string): Protection {
  const real = resolveInside('/', home);
  const homes = [...new Set([home, ...(real.ok ? [real.value.realPath] : [])])];
  const places = homes.flatMap((folder) => PROTECTED.map((name) => join(folder, name)));
  return (path) => {
    const isProtected = homes.includes(path) || places.some((place) => isInside(place, path));
    return isProtected ? `${displayPath(path)} belongs to Herma itself` : undefined;
  };
}
