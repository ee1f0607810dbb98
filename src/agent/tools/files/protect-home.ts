import { displayPath, isInside, resolveInside } from '../../../platform/paths/index.ts';

/** Why a tool may not change a file (absolute path); undefined when it may. */
export type Protection = (path: string) => string | undefined;

/**
 * Protects Herma's home, whatever is in it, from the tools that write: a model that could change what Herma goes by could
 * approve its own calls. All of it, so that neither a file of a later version nor another spelling of a name (on a disk that
 * takes `Approvals.json` for `approvals.json`) is forgotten. Holds for a home behind a symbolic link too, when asked with
 * both readings of a path.
 *
 * @param home absolute; need not exist.
 */
export function protectHome(home: string): Protection {
  const real = resolveInside('/', home);
  const homes = [...new Set([home, ...(real.ok ? [real.value.realPath] : [])])];
  return (path) =>
    homes.some((folder) => isInside(folder, path))
      ? `${displayPath(path)} belongs to Herma itself`
      : undefined;
}
