import { readTextFile, statPath } from '../platform/files/index.ts';
import { resolveInside, resolvePath } from '../platform/paths/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const NAME = 'AGENTS.md';
const MAX_BYTES = 256 * 1024;

/**
 * The instructions of the project in `cwd`, undefined when it has none. A file that cannot be used is left out with a
 * warning; so is one that leads out of the project: a cloned one could point it at a private file, which would go to the
 * provider of the model.
 */
export async function readProjectInstructions({
  cwd,
  onWarning,
}: Pick<RuntimeOptions, 'cwd' | 'onWarning'>): Promise<string | undefined> {
  const there = await statPath(resolvePath(cwd, NAME));
  if (there.ok && there.value === undefined) return undefined;
  const inside = resolveInside(cwd, NAME);
  const read = inside.ok ? await readTextFile(inside.value.realPath, { maxBytes: MAX_BYTES }) : inside;
  if (read.ok) return read.value.text;
  onWarning(`The instructions of this project are left out: ${read.message}.`);
  return undefined;
}
