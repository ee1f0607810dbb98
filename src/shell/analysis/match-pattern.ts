const MAX_PATTERN = 1024;

/** Whether a path can be one of those that a pattern of the shell gives. `**` as a whole name stands for any number of names. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  const names = pattern.split('/');
  const first = names.indexOf('**');
  const last = names.lastIndexOf('**');
  // Between two of them anything can be; taken to match, so that the time stays bounded.
  const patterns = first === last ? names : [...names.slice(0, first), ...names.slice(last)];
  return matchNames(patterns, path.split('/'), 0, 0);
}

function matchNames(
  patterns: readonly string[],
  names: readonly string[],
  at: number,
  name: number,
): boolean {
  for (let index = at, position = name; ; index += 1, position += 1) {
    const pattern = patterns[index];
    if (pattern === undefined) return position >= names.length;
    if (pattern === '**') return matchAnywhere(patterns, names, index, position);
    const text = names[position];
    if (text === undefined || !matchesName(pattern, text)) return false;
  }
}

function matchAnywhere(
  patterns: readonly string[],
  names: readonly string[],
  at: number,
  name: number,
): boolean {
  const rest = patterns.length - at - 1;
  if (rest === 0) return true;
  for (let position = name; position <= names.length; position += 1)
    if (matchNames(patterns, names, at + 1, position)) return true;
  return false;
}

/** One name against one pattern, linear but for the last `*`. A dot at the beginning is only matched by a dot. */
export function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith('.') && /^[*?[]/.test(pattern)) return false;
  let at = 0;
  let position = 0;
  let star = -1;
  let mark = 0;
  while (position < name.length) {
    const width = at < pattern.length ? letterWidth(pattern, at, name.charAt(position)) : 0;
    if (pattern.charAt(at) === '*') {
      star = at;
      mark = position;
      at += 1;
    } else if (width > 0) {
      at += width;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      position = mark;
    } else return false;
  }
  while (pattern.charAt(at) === '*') at += 1;
  return at >= pattern.length;
}

/** How much of the pattern stands for this letter, 0 when it does not match. */
function letterWidth(pattern: string, at: number, letter: string): number {
  const sign = pattern.charAt(at);
  if (sign === '?') return 1;
  if (sign === '\\') return pattern.charAt(at + 1) === letter ? 2 : 0;
  if (sign !== '[') return sign === letter ? 1 : 0;
  const end = pattern.indexOf(']', at + 2);
  if (end === -1) return sign === letter ? 1 : 0;
  const isNegated = /[!^]/.test(pattern.charAt(at + 1));
  const set = pattern.slice(at + (isNegated ? 2 : 1), end);
  return inSet(set, letter) !== isNegated ? end - at + 1 : 0;
}

function inSet(set: string, letter: string): boolean {
  // A class by name is taken to hold everything.
  if (set.includes('[:') || set.includes('\\')) return true;
  for (let at = 0; at < set.length; at += 1) {
    if (set.charAt(at + 1) === '-' && at + 2 < set.length) {
      if (set.charAt(at) <= letter && letter <= set.charAt(at + 2)) return true;
      at += 2;
    } else if (set.charAt(at) === letter) return true;
  }
  return false;
}

/** The directory in front of the first name that is a pattern, and what follows. */
export function splitPattern(pattern: string): { readonly base: string; readonly rest: readonly string[] } {
  const names = pattern.split('/');
  const first = names.findIndex((name) => /(?<!\\)[*?[]/.test(name));
  if (first === -1) return { base: unescapePattern(pattern), rest: [] };
  const base = names.slice(0, first).join('/');
  const isRoot = base === '' && pattern.startsWith('/');
  return { base: isRoot ? '/' : unescapePattern(base), rest: names.slice(first) };
}

function unescapePattern(pattern: string): string {
  return pattern.includes('\\') ? pattern.replaceAll(/\\(.)/gs, '$1') : pattern;
}

/** `*`, `.*`, `?*` and the like: as good as everything in the directory. */
export function matchesEverything(name: string): boolean {
  return /^(?:\.?\??\*+|\*\.\*|\.\[[!^]\.\]\*|\.\?\?\*|\[[!^]?[^\]]{0,4}\]\*)$/.test(name);
}

/** One expression for a fixed list of patterns in which only `*` and `**` occur. */
export function pathExpression(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) =>
    pattern
      .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll(/\*\*\/|\/\*\*|\*/g, (star) =>
        star === '**/' ? '(?:.*/)?' : star === '/**' ? '(?:/.*)?' : '[^/]*',
      ),
  );
  return new RegExp(`^(?:${sources.join('|')})$`, 's');
}
