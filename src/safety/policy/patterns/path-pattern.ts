import { compileGlob } from '../../../kernel/gitignore/index.ts';
import { expandTilde, isInside } from '../../../platform/paths/index.ts';

/** Where the relative parts of a pattern stand. All absolute. */
export interface PathScope {
  readonly home: string;
  readonly workspace: string;
}

export interface PathPattern {
  /** Whether an absolute path fits. */
  fits(path: string, scope: PathScope): boolean;
  /** Whether something below `folder` (absolute) could fit: what happens when the whole folder is removed or moved. */
  reachesBelow(folder: string, scope: PathScope): boolean;
}

/**
 * Compiles a path glob: absolute, below the home with `~/`, anywhere with `**` in front, else seen from the workspace. The language
 * is that of `.gitignore` globs; `folder/**` also means the folder itself.
 */
export function compilePathPattern(glob: string): PathPattern {
  const base = glob.endsWith('/**') ? glob.slice(0, -3) : undefined;
  const globs = base === undefined || base === '' || base === '~' ? [glob] : [glob, base];
  const plain = globs.map(compileOne);
  return {
    fits: (path, scope) => plain.some((fits) => fits(path, scope)),
    reachesBelow: (folder, scope) => isInside(folder, literalBase(glob, scope)),
  };
}

function compileOne(glob: string): (path: string, scope: PathScope) => boolean {
  if (glob.startsWith('/')) {
    const fits = compileGlob(glob.slice(1));
    return (path) => fits(path.slice(1));
  }
  if (glob.startsWith('~/')) {
    const fits = compileGlob(glob.slice(2));
    return (path, { home }) => fitsBelow(fits, home, path);
  }
  if (glob.startsWith('**')) {
    const fits = compileGlob(glob);
    return (path) => fits(path.slice(1));
  }
  const fits = compileGlob(glob.replace(/^\.\//, ''));
  return (path, { workspace }) => fitsBelow(fits, workspace, path);
}

function fitsBelow(fits: (path: string) => boolean, folder: string, path: string): boolean {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return path.startsWith(prefix) && fits(path.slice(prefix.length));
}

/** The part of a glob in front of its first wildcard, as an absolute path. */
function literalBase(glob: string, { home, workspace }: PathScope): string {
  const parts = expandTilde(glob, home).split('/');
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  const literal = (wild < 0 ? parts : parts.slice(0, wild)).join('/');
  if (literal.startsWith('/') || (wild > 0 && parts[0] === '')) return literal === '' ? '/' : literal;
  return literal === '' ? workspace : `${workspace}/${literal}`;
}
