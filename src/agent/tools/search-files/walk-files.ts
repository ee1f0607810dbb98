import { join } from 'node:path';
import { type FileKind, listDirectory } from '../../../platform/files/index.ts';
import { type IgnoreLevels, isIgnored, levelsAbove, levelsIn } from './ignore-levels.ts';

export type WalkStep =
  | { readonly type: 'file' /** Absolute. */; readonly path: string; readonly kind: FileKind }
  /** A folder that could not be listed. */
  | { readonly type: 'unreadable'; readonly path: string };

interface PendingEntry {
  readonly path: string;
  readonly kind: FileKind;
  /** In force where it lies. */
  readonly levels: IgnoreLevels;
}

/**
 * Everything below a folder (absolute, its links followed) that is not a folder, without what git ignores and without
 * `.git`, in the order of the names, what is in a folder in the place of the folder.
 *
 * Symbolic links are named and not followed, so there are no loops and nothing comes twice. The folder itself is looked
 * into even when git ignores it: somebody asked for it.
 *
 * @param shouldStop asked before every step; ends the walk early.
 */
export async function* walkFiles(folder: string, shouldStop: () => boolean): AsyncGenerator<WalkStep> {
  const pending: PendingEntry[] = [{ path: folder, kind: 'directory', levels: await levelsAbove(folder) }];
  for (let entry = pending.pop(); entry !== undefined && !shouldStop(); entry = pending.pop()) {
    if (entry.kind !== 'directory') {
      yield { type: 'file', path: entry.path, kind: entry.kind };
      continue;
    }
    const listed = await listDirectory(entry.path);
    if (!listed.ok) {
      yield { type: 'unreadable', path: entry.path };
      continue;
    }
    const names = new Set(listed.value.map(({ name }) => name));
    const hasRules = names.has('.gitignore') || names.has('.git');
    const levels = hasRules ? await levelsIn(entry.path, entry.levels) : entry.levels;
    for (const { name, kind } of listed.value.toReversed()) {
      const path = join(entry.path, name);
      if (name !== '.git' && !isIgnored(path, kind === 'directory', levels))
        pending.push({ path, kind, levels });
    }
  }
}
