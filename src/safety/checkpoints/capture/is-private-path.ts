import type { IgnoreRules } from '../../../kernel/gitignore/index.ts';
import { errnoOf } from '../../../platform/paths/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import { below } from '../projects/canonical-path.ts';
import { isLeftOutByName, isVersionControl, PERHAPS_ENVIRONMENT } from '../scan/built-in-rules.ts';
import { foldersUpToRepository, readRules, repositoryAt } from '../scan/git-repository.ts';

/** Rules of one file, and where the paths they are about begin. */
interface Level {
  readonly rules: IgnoreRules;
  /** Comes before the path of an entry, for rules of a folder above the root. */
  readonly lead: string;
  /** How many parts of the path lead to the folder of the file. */
  readonly depth: number;
}

/**
 * Whether a path (relative to the root of a project) is one that a scan leaves out by rule: by name, by .gitignore files
 * or as data of version control. What git tracks in spite of its rules is not told apart: such a path is private too,
 * which only shortens how long its content is kept.
 */
export function isPrivatePath(root: string, path: string): boolean {
  const parts = path.split('/');
  if (parts.some((part) => isVersionControl(part) || isLeftOutByName(part))) return true;
  const levels = outerLevels(root);
  let folder = root;
  for (const [depth, part] of parts.entries()) {
    const rules = rulesAt(below(folder, '.gitignore'));
    if (rules !== undefined) levels.push({ rules, lead: '', depth });
    if (isLeftOut(levels, parts.slice(0, depth + 1), depth < parts.length - 1)) return true;
    folder = below(folder, part);
    if (part === PERHAPS_ENVIRONMENT && isThere(below(folder, 'pyvenv.cfg'))) return true;
  }
  return false;
}

function isLeftOut(levels: readonly Level[], parts: readonly string[], isFolder: boolean): boolean {
  for (const { rules, lead, depth } of levels.toReversed()) {
    const answer = rules(lead + parts.slice(depth).join('/'), isFolder);
    if (answer !== undefined) return answer === 'ignored';
  }
  return false;
}

/** The rules of the repository that the root lies in, the farthest ones first. */
function outerLevels(root: string): Level[] {
  const levels: Level[] = [];
  const outer = isThere(below(root, '.git')) ? [] : foldersUpToRepository(root);
  const top = outer[0] ?? root;
  const exclude = repositoryAt(top)?.exclude;
  const add = (folder: string, rules: IgnoreRules | undefined): void => {
    if (rules !== undefined)
      levels.push({
        rules,
        lead: folder === root ? '' : `${root.slice(below(folder, '').length)}/`,
        depth: 0,
      });
  };
  if (exclude !== undefined) add(top, rulesAt(exclude));
  for (const folder of outer) add(folder, rulesAt(below(folder, '.gitignore')));
  return levels;
}

function rulesAt(file: string): IgnoreRules | undefined {
  // Asked for first, because an exception for each file that is not there costs more.
  return isThere(file) ? readRules(file) : undefined;
}

function isThere(path: string): boolean {
  try {
    return rawStat(path) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
