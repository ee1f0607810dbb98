import { dirname, join, resolve } from 'node:path';
import { type IgnoreRules, parseIgnoreFile } from '../../../kernel/gitignore/index.ts';
import { readTextFile, statPath } from '../../../platform/files/index.ts';

/** The rules that come from one folder, which are about everything below it. */
interface IgnoreLevel {
  /** Absolute, with a slash at its end. */
  readonly prefix: string;
  readonly rules: IgnoreRules;
}

/** The rules in force in a folder, the nearest ones first. */
export type IgnoreLevels = readonly IgnoreLevel[];

/** An ignore file that is longer is no ignore file. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/**
 * Whether git would leave out an entry (absolute path) of a folder with these rules. The nearest file that has a rule
 * about it decides.
 */
export function isIgnored(path: string, isFolder: boolean, levels: IgnoreLevels): boolean {
  for (const { prefix, rules } of levels) {
    const answer = rules(path.slice(prefix.length), isFolder);
    if (answer !== undefined) return answer === 'ignored';
  }
  return false;
}

/** The rules in force in a folder, given those of the folder above. */
export async function levelsIn(folder: string, above: IgnoreLevels): Promise<IgnoreLevels> {
  const own = await readRules(folder, join(folder, '.gitignore'));
  const exclude = await excludeFileOf(folder);
  const excluded = exclude === undefined ? [] : await readRules(folder, exclude);
  return [...own, ...excluded, ...above];
}

/** The rules that the folders above a folder add, up to the root of its repository; none outside of one. */
export async function levelsAbove(folder: string): Promise<IgnoreLevels> {
  const folders = await foldersUpToRepository(folder);
  let levels: IgnoreLevels = [];
  for (const outer of folders) levels = await levelsIn(outer, levels);
  return levels;
}

/** The folders above `folder`, the root of the repository first. */
async function foldersUpToRepository(folder: string): Promise<readonly string[]> {
  if (await hasGit(folder)) return [];
  const folders: string[] = [];
  for (let outer = dirname(folder); outer !== (folders[0] ?? folder); outer = dirname(outer)) {
    folders.unshift(outer);
    if (await hasGit(outer)) return folders;
  }
  return [];
}

async function hasGit(folder: string): Promise<boolean> {
  const stat = await statPath(join(folder, '.git'));
  return stat.ok && stat.value !== undefined;
}

/** No rules where there is no such file, or none that can be read. */
async function readRules(folder: string, file: string): Promise<IgnoreLevels> {
  const read = await readTextFile(file, { maxBytes: MAX_IGNORE_BYTES });
  if (!read.ok) return [];
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return [{ prefix, rules: parseIgnoreFile(read.value.text) }];
}

/** `info/exclude` of the repository whose root `folder` is; see gitrepository-layout(5) for worktrees and submodules. */
async function excludeFileOf(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const stat = await statPath(git);
  if (!stat.ok || stat.value === undefined) return undefined;
  if (stat.value.kind === 'directory') return join(git, 'info', 'exclude');
  const target = await readPointer(git, /^gitdir: (.+)$/m);
  if (target === undefined) return undefined;
  const gitFolder = resolve(folder, target);
  const common = await readPointer(join(gitFolder, 'commondir'), /^(.+)$/m);
  return join(resolve(gitFolder, common ?? '.'), 'info', 'exclude');
}

async function readPointer(file: string, pattern: RegExp): Promise<string | undefined> {
  const read = await readTextFile(file, { maxBytes: 4096 });
  return read.ok ? pattern.exec(read.value.text)?.[1]?.trim() : undefined;
}
