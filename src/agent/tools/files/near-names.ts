import { basename, dirname, extname, join } from 'node:path';
import { suggest } from '../../../kernel/errors/index.ts';
import { listDirectory } from '../../../platform/files/index.ts';
import { toDisplayed } from './displayed-path.ts';

const MAX_COMPARED = 5000;
const MAX_NAMED = 4;

/** One sentence on what is there in place of a file that is not: similar names, or the folder that is missing. */
export async function nearNames(path: string): Promise<string> {
  const parent = dirname(path);
  const entries = await listDirectory(parent);
  if (!entries.ok) {
    if (parent === path || (entries.code !== 'not_found' && entries.code !== 'not_a_directory'))
      return 'Check the path.';
    return `Its folder ${toDisplayed(parent)} does not exist either.`;
  }
  const names = entries.value.slice(0, MAX_COMPARED).map(({ name }) => name);
  const similar = similarNames(basename(path), names);
  if (similar.length === 0)
    return `List its folder with search_files (target "files", path ${JSON.stringify(toDisplayed(parent))}).`;
  return `Did you mean ${similar.map((name) => toDisplayed(join(parent, name))).join(' or ')}?`;
}

/** Names that differ in case, in a few letters or in their extension only, or that contain the one that was given. */
function similarNames(wanted: string, names: readonly string[]): readonly string[] {
  const lower = wanted.toLowerCase();
  const stem = lower.slice(0, lower.length - extname(lower).length);
  const close = suggest(wanted, names);
  const related = names.filter((name) => {
    const other = name.toLowerCase();
    return (
      other === lower ||
      other.includes(lower) ||
      other.slice(0, other.length - extname(other).length) === stem
    );
  });
  return [...new Set([...(close === undefined ? [] : [close]), ...related])].slice(0, MAX_NAMED);
}
