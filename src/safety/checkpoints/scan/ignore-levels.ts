import type { IgnoreRules } from '../../../kernel/gitignore/index.ts';

/** The rules of one file, and those that count where it says nothing. */
export interface IgnoreLevel {
  /** Path below which the rules are about, relative to the root of the scan and with a slash at its end; empty for the root. Above the root: see `lead`. */
  readonly prefix: string;
  /** What comes before the path of an entry, for rules of a folder above the root: `packages/app/`. */
  readonly lead: string;
  readonly rules: IgnoreRules;
  readonly outer: IgnoreLevel | undefined;
}

/** Whether the nearest rule about a path (relative to the root of the scan) leaves it out. */
export function isIgnoredBy(level: IgnoreLevel | undefined, path: string, isFolder: boolean): boolean {
  for (let current = level; current !== undefined; current = current.outer) {
    const answer = current.rules(current.lead + path.slice(current.prefix.length), isFolder);
    if (answer !== undefined) return answer === 'ignored';
  }
  return false;
}
