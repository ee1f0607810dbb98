import { resolve } from 'node:path';
import { fail, type Result } from '../../../kernel/errors/index.ts';
import { type FileFailure, type FileStat, statPath } from '../../../platform/files/index.ts';
import { expandTilde, resolveInside } from '../../../platform/paths/index.ts';
import { fromDisplayed, toDisplayed } from './displayed-path.ts';
import { nearNames } from './near-names.ts';

/** Where the paths of a call begin. */
export interface PathBase {
  /** The working directory of the call; absolute. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** Something that exists. */
export interface LocatedPath {
  /** Absolute. */
  readonly path: string;
  /** Symbolic links followed. */
  readonly stat: FileStat;
}

/** The absolute path of a path as the model gave it. */
export function absolutePath(given: string, { cwd, home }: PathBase): string {
  return resolve(cwd, expandTilde(given, home));
}

/**
 * Finds what a path names, for a tool that only reads. A path that `search_files` listed with escapes, because its name
 * has a line break in it or bytes that are no UTF-8, is understood too; when that and the plain reading both exist, it
 * is refused as ambiguous. When there is nothing, the message names what is there instead.
 */
export async function locateExisting(given: string, base: PathBase): Promise<Result<LocatedPath>> {
  if (given === '') return fail('invalid_path', 'The path is empty.', 'Name a file.');
  const plain = await lookAt(given, base);
  const unescaped = given.includes('\\') ? fromDisplayed(given) : undefined;
  if (unescaped === undefined) return plain;
  const meant = await lookAt(unescaped, base);
  if (!meant.ok) return plain;
  if (!plain.ok) return meant;
  return fail(
    'ambiguous_path',
    `${JSON.stringify(given)} can mean two files, with the backslash as a character of the name and as an escape.`,
    `Write ${JSON.stringify(toDisplayed(given))} for the first; rename one of them for the second.`,
  );
}

/**
 * The file a tool that writes is about: absolute, with every symbolic link on the way followed; it need not exist. Escapes
 * are not understood here, so that a path is what guards take it for.
 */
export function locateTarget(
  given: string,
  base: PathBase,
): Result<{ readonly path: string; readonly realPath: string }> {
  if (given === '') return fail('invalid_path', 'The path is empty.', 'Name a file.');
  if (given.endsWith('/'))
    return fail('not_a_file', `${toDisplayed(given)} names a folder.`, 'Name a file in it.');
  return resolveInside('/', absolutePath(given, base));
}

async function lookAt(given: string, base: PathBase): Promise<Result<LocatedPath> | FileFailure> {
  const path = absolutePath(given, base);
  const stat = await statPath(path);
  if (!stat.ok) return stat;
  if (stat.value !== undefined) return { ok: true, value: { path, stat: stat.value } };
  return fail('not_found', `There is no ${toDisplayed(given)}.`, await nearNames(path));
}
