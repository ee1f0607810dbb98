import type { Oid, PathEntry } from '../model/path-state.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { TreeItem } from '../objects/tree-object.ts';

const LINK_MODE = 0o120_000;

/**
 * Writes a git tree that holds the content of files and links, so that it stays alive and `git show` finds it. It has no
 * folders, which would be an object each: the name of an entry is its whole path, with `%2F` for `/` and `%25` for `%`.
 * States without content are left out. Undefined when nothing is left.
 */
export function writeContentTree(writer: ObjectWriter, entries: readonly PathEntry[]): Oid | undefined {
  const items = entries.flatMap(({ path, state }): readonly TreeItem[] => {
    const name = path.replaceAll('%', '%25').replaceAll('/', '%2F');
    if (state.kind === 'link') return [{ name, mode: LINK_MODE, oid: state.oid }];
    if (state.kind !== 'file') return [];
    return [{ name, mode: (state.mode & 0o111) === 0 ? 0o100_644 : 0o100_755, oid: state.oid }];
  });
  return items.length === 0 ? undefined : writer.tree(items);
}
