import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a worker, by its path below the sources without extension: `safety/checkpoints/worker`. The same in a
 * checkout and in a built package, where this very code may stand in another folder.
 *
 * @throws Error when there is no such file: the package is incomplete.
 */
export function entryOf(path: string): string {
  const here = fileURLToPath(import.meta.url);
  const name = `${path}${extname(here)}`;
  for (let folder = dirname(here); dirname(folder) !== folder; folder = dirname(folder)) {
    const candidate = join(folder, name);
    if (existsSync(candidate)) return candidate;
  }
  throw new Error(`${name} is missing from the installation`);
}
