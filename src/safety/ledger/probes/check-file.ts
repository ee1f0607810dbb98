import { relative } from 'node:path';
import { isInside } from '../../../platform/paths/index.ts';
import type { FileFact, ForeseenFile } from '../model/foreseen.ts';
import type { Check } from './check.ts';
import { factLike, isSameFact } from './file-facts.ts';

/** What stands for all a call changes that could not be foreseen: a path of which nothing is known. */
export const UNFORESEEN: ForeseenFile = { path: '/' };

/** Compares one path with what was foreseen of it. */
export async function checkFile(
  { path, before, after }: ForeseenFile,
  cwd: string,
  signal: AbortSignal,
): Promise<Check> {
  const known = after ?? before;
  if (known === undefined) return { state: 'unknown', what: 'the rest of the call' };
  const now = await factLike(known, path, signal);
  if (now === undefined) return { state: 'unknown', what: shownPath(path, cwd) };
  const what = `${shownPath(path, cwd)}${suffixOf(now)}`;
  if (after === undefined) return { state: isSameFact(now, known) ? 'not_done' : 'changed', what };
  if (isSameFact(now, after)) return { state: 'done', what };
  if (before === undefined) return { state: 'other', what };
  const then = await factLike(before, path, signal);
  return { state: then !== undefined && isSameFact(then, before) ? 'not_done' : 'other', what };
}

/** A path for a person: as seen from the working directory where it lies in there. */
export function shownPath(path: string, cwd: string): string {
  return path !== cwd && isInside(cwd, path) ? relative(cwd, path) : path;
}

function suffixOf(now: FileFact): string {
  if (now.type === 'absent') return ' (not there)';
  return now.type === 'folder' ? ' (a folder)' : '';
}
