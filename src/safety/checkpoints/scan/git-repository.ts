import { dirname, join, resolve } from 'node:path';
import { type IgnoreRules, parseIgnoreFile } from '../../../kernel/gitignore/index.ts';
import { errnoOf } from '../../../platform/paths/index.ts';
import { rawContent, rawKindOf } from '../../../platform/raw-files/index.ts';
import { statOrNothing } from './file-stamp.ts';
import { GitIndex } from './git-index.ts';

/** Where a repository keeps what a scan asks it for; see gitrepository-layout(5). All absolute. */
export interface GitRepository {
  readonly exclude: string;
  readonly index: string;
}

/** A file of rules that is longer is none. */
const MAX_RULES_BYTES = 1024 * 1024;
const MAX_POINTER_BYTES = 4096;

/** The repository whose top `folder` is; undefined when it is none. Worktrees and submodules too. */
export function repositoryAt(folder: string): GitRepository | undefined {
  const git = join(folder, '.git');
  const stat = statOrNothing(git);
  if (stat === undefined) return undefined;
  const kind = rawKindOf(stat);
  if (kind === 'directory') return { exclude: join(git, 'info', 'exclude'), index: join(git, 'index') };
  const target = kind === 'file' ? readPointer(git, /^gitdir: (.+)$/m) : undefined;
  if (target === undefined) return undefined;
  const own = resolve(folder, target);
  const common = resolve(own, readPointer(join(own, 'commondir'), /^(.+)$/m) ?? '.');
  return { exclude: join(common, 'info', 'exclude'), index: join(own, 'index') };
}

/** The folders above a folder, from the top of the repository it lies in down to its parent; none when it lies in none. */
export function foldersUpToRepository(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let outer = dirname(folder), last = folder; outer !== last; last = outer, outer = dirname(outer)) {
    folders.unshift(outer);
    if (statOrNothing(join(outer, '.git')) !== undefined) return folders;
  }
  return [];
}

/** Undefined when there is no such file, or none that can be understood. */
export function readIndex(file: string): GitIndex | undefined {
  const bytes = contentOrNothing(file);
  if (bytes === undefined) return undefined;
  return GitIndex.parse(bytes, (oid) => contentOrNothing(join(dirname(file), `sharedindex.${oid}`)));
}

/** Undefined when there is no such file, it is a link, which git does not follow, or it cannot be read. */
export function readRules(file: string): IgnoreRules | undefined {
  const bytes = contentOrNothing(file, MAX_RULES_BYTES);
  return bytes === undefined ? undefined : parseIgnoreFile(bytes.toString('utf8'));
}

function readPointer(file: string, pattern: RegExp): string | undefined {
  const text = contentOrNothing(file, MAX_POINTER_BYTES)?.toString('utf8');
  return text === undefined ? undefined : pattern.exec(text)?.[1]?.trim();
}

function contentOrNothing(file: string, maxBytes?: number): Buffer | undefined {
  try {
    return rawContent(file, maxBytes)?.bytes;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
