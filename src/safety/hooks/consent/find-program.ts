import { isAbsolute } from 'node:path';
import { isFileError } from '../../../platform/paths/index.ts';
import { rawStat } from '../../../platform/raw-files/index.ts';
import type { SearchPlace } from './consent-subject.ts';
import type { FileInspector } from './file-inspector.ts';

/** What execvp(3) takes where `PATH` is not set. */
const DEFAULT_SEARCH_PATH = '/bin:/usr/bin';

/** `word` as an absolute path. Not normalised: what `..` means after a link only the system knows. */
export function absolutePath(cwd: string, word: string): string {
  return isAbsolute(word) ? word : `${cwd}/${word}`;
}

/** Whether anything has this name, a link that leads nowhere too. */
export function isTaken(path: string): boolean {
  try {
    return rawStat(path) !== undefined;
  } catch (error) {
    // A folder that may not be entered, or a text that is no path (too long, with a NUL): nothing that could be run.
    if (!isFileError(error)) throw error;
    return false;
  }
}

/** The path of the program that would be run as `word`; with a slash in it, whether it is there or not. */
export async function findProgram(
  word: string,
  { cwd, searchPath = DEFAULT_SEARCH_PATH }: SearchPlace,
  inspector: FileInspector,
): Promise<string | undefined> {
  if (word === '') return undefined;
  if (word.includes('/')) return absolutePath(cwd, word);
  for (const folder of searchPath.split(':')) {
    const candidate = `${absolutePath(cwd, folder === '' ? '.' : folder)}/${word}`;
    if (!isTaken(candidate)) continue;
    const seen = await inspector.look(candidate);
    if (seen.ok && (seen.value.stat.mode & 0o111) !== 0) return candidate;
  }
  return undefined;
}
