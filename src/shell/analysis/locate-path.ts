import type { CommandPlace } from './command-analysis.ts';
import type { Content } from './content.ts';
import { type Field, fieldPattern } from './field.ts';
import { splitPattern } from './match-pattern.ts';
import type { ShellState } from './shell-state.ts';

/** Where an argument that names files leads. */
export interface Located {
  /** Absolute and without `.` and `..`; undefined when it is a pattern. */
  readonly path: string | undefined;
  /** As an absolute pattern, when it is one. */
  readonly pattern: string | undefined;
  /** Written with a slash at its end: a link is followed. */
  readonly isDirectory: boolean;
}

/**
 * An argument seen from a directory; undefined when it cannot be known where it leads. `keepsLink`: the last name is meant itself, not
 * what it links to.
 */
export function locate(
  field: Content & Pick<Field, 'shown'>,
  directory: string | undefined,
  place: CommandPlace,
): Located | undefined {
  if (field.isDynamic || field.text === '') return undefined;
  if (field.text !== undefined) {
    const whole = inDirectory(field.text, directory);
    if (whole === undefined) return undefined;
    return {
      path: resolvePath(whole, place),
      pattern: undefined,
      isDirectory: /(?:^|\/)\.?\.?$/.test(field.text),
    };
  }
  const pattern = inDirectory(field.pattern, directory);
  if (pattern === undefined) return undefined;
  const { base, rest } = splitPattern(pattern);
  const resolved = resolvePath(base, place);
  const names = rest.filter((name, index) => name !== '.' && (name !== '' || index === 0));
  // Behind a pattern, `..` leads to the directory that the names are in.
  if (names.includes('..'))
    return { path: undefined, pattern: `${resolved === '/' ? '' : resolved}/*`, isDirectory: true };
  if (names.length === 0) return { path: resolved, pattern: undefined, isDirectory: false };
  return {
    path: undefined,
    pattern: `${resolved === '/' ? '' : resolved}/${names.join('/')}`,
    isDirectory: false,
  };
}

function inDirectory(path: string, directory: string | undefined): string | undefined {
  if (path.startsWith('/')) return path;
  return directory === undefined ? undefined : `${directory}/${path}`;
}

/** Without `.` and `..`; where `..` follows a link it leads from where the link leads to. */
export function resolvePath(path: string, { realPath }: CommandPlace): string {
  if (!/\/\.{0,2}(?:\/|$)/.test(path)) return path;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (realPath === undefined || names.length === 0) names.pop();
    else names.splice(0, names.length, ...namesOf(realPath(`/${names.join('/')}`)).slice(0, -1));
  }
  return `/${names.join('/')}`;
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Where the links in it lead. */
export function followLinks(path: string, { realPath }: CommandPlace): string {
  return realPath === undefined ? path : realPath(path);
}

/** Where the links in front of its last name lead: what is removed when the path is. */
export function followParents(path: string, place: CommandPlace): string {
  const end = path.lastIndexOf('/');
  if (end <= 0 || place.realPath === undefined) return path;
  const parent = place.realPath(path.slice(0, end));
  return `${parent === '/' ? '' : parent}${path.slice(end)}`;
}

/** The same pattern, seen from where the links in front of it lead. */
export function followBase(pattern: string, place: CommandPlace): string {
  const { base, rest } = splitPattern(pattern);
  if (rest.length === 0 || place.realPath === undefined) return pattern;
  const followed = place.realPath(base);
  return followed === base ? pattern : `${followed === '/' ? '' : followed}/${rest.join('/')}`;
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/** Every place where an argument can lead, when a `cd` may have failed. */
export function locateAll(
  field: Field,
  state: ShellState,
  place: CommandPlace,
): readonly (Located | undefined)[] {
  const pattern = fieldPattern(field);
  const directories = pattern.startsWith('/')
    ? [state.directory]
    : [state.directory, ...state.otherDirectories];
  return directories.map((directory) => locate(field, directory, place));
}
