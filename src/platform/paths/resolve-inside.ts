import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fail, type Result } from '../../kernel/errors/index.ts';
import { describeFileError, errnoOf, isFileError } from './describe-file-error.ts';
import { displayPath } from './display-path.ts';
import { decodeFileName, fileSystemPath } from './file-name-bytes.ts';

/** A path that was found to be inside its base. */
export interface InsidePath {
  /** The absolute path, as it was written. */
  readonly path: string;
  /** The same file with every symbolic link on the way followed. */
  readonly realPath: string;
}

/**
 * Whether `path` is `base` or below it, by the text of both (made absolute, `..` removed). Says nothing about symbolic
 * links: see {@link resolveInside}.
 */
export function isInside(base: string, path: string): boolean {
  const way = relative(resolve(base), resolve(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Resolves `path` against `base`, and follows its symbolic links as far as it exists. Fails closed: `outside` when it
 * is not inside the base, by its text or by where its links lead; `unresolvable` when that cannot be found out (a
 * dangling link, a loop, a folder that may not be read, a base that does not exist).
 */
export function resolveInside(base: string, path: string): Result<InsidePath, 'outside' | 'unresolvable'> {
  const absolute = resolve(base, path);
  const outside = fail(
    'outside',
    `${displayPath(path)} is outside ${displayPath(resolve(base))}`,
    'name a path inside that folder',
  );
  if (!isInside(base, absolute)) return outside;
  const realBase = follow(resolve(base), realPathOf);
  if (!realBase.ok) return realBase;
  const realPath = follow(absolute, realPathAsFarAsItExists);
  if (!realPath.ok) return realPath;
  if (!isInside(realBase.value, realPath.value)) return outside;
  return { ok: true, value: { path: absolute, realPath: realPath.value } };
}

function follow(path: string, realPathFor: (path: string) => string): Result<string, 'unresolvable'> {
  try {
    return { ok: true, value: realPathFor(path) };
  } catch (error) {
    if (!isFileError(error)) throw error;
    const { message, remedy } = describeFileError(error, path, 'follow');
    return fail('unresolvable', message, remedy);
  }
}

function realPathAsFarAsItExists(path: string): string {
  try {
    return realPathOf(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path || isThere(path)) throw error;
    return join(realPathAsFarAsItExists(dirname(path)), basename(path));
  }
}

function realPathOf(path: string): string {
  return decodeFileName(realpathSync.native(fileSystemPath(path), { encoding: 'buffer' }));
}

/** Whether something has this very name, be it a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(fileSystemPath(path), { throwIfNoEntry: false }) !== undefined;
}
