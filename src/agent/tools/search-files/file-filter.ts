import { compileGlob, type PathMatcher } from '../../../kernel/gitignore/index.ts';

const MAX_LENGTH = 1000;
const MAX_ALTERNATIVES = 200;

/**
 * The files a glob means, by their path relative to the folder that is searched: a glob without a slash is about the name,
 * one with a slash about the whole path. `{a,b}` stands for either, also nested; undefined when that makes more than
 * 200 globs, or the glob has more than 1000 characters.
 */
export function compileFileFilter(glob: string): PathMatcher | undefined {
  const alternatives = glob.length > MAX_LENGTH ? undefined : expandBraces(glob);
  if (alternatives === undefined) return undefined;
  const matchers = alternatives.map((alternative) => {
    const fits = compileGlob(alternative.replace(/^(?:\.?\/)+/, ''));
    return alternative.includes('/') ? fits : (path: string) => fits(path.slice(path.lastIndexOf('/') + 1));
  });
  return (path) => matchers.some((fits) => fits(path));
}

/** The globs a glob with braces stands for. Braces without a partner or without a comma are plain characters. */
function expandBraces(glob: string): readonly string[] | undefined {
  const done: string[] = [];
  const pending = [glob];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else pending.push(...group);
    if (done.length + pending.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

/** The glob with each of the alternatives of its first group in place; undefined when it has none. */
function firstGroup(glob: string): readonly string[] | undefined {
  for (let start = glob.indexOf('{'); start >= 0; start = glob.indexOf('{', start + 1)) {
    const cuts = cutsOf(glob, start);
    const end = cuts?.at(-1);
    if (cuts === undefined || end === undefined || cuts.length < 3) continue;
    return cuts
      .slice(1)
      .map(
        (cut, index) =>
          glob.slice(0, start) + glob.slice((cuts[index] ?? start) + 1, cut) + glob.slice(end + 1),
      );
  }
  return undefined;
}

/** Where a group begins, its commas, and where it ends; undefined without an end, or when `{` is escaped. */
function cutsOf(glob: string, start: number): readonly number[] | undefined {
  if (glob[start - 1] === '\\') return undefined;
  const cuts = [start];
  let depth = 0;
  for (let index = start; index < glob.length; index += 1) {
    const character = glob[index];
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) cuts.push(index);
    else if (character === '}') depth -= 1;
    if (character === '}' && depth === 0) return [...cuts, index];
  }
  return undefined;
}
