import { basename } from 'node:path';
import type { SearchPlace } from './consent-subject.ts';
import type { FileInspector } from './file-inspector.ts';
import { findProgram } from './find-program.ts';

const WRAPPER = /^(env|nice|ionice|nohup|timeout|sudo|doas|setsid|stdbuf|time|xargs|flock|chrt|taskset)$/;
/** Options, assignments, and numbers with a unit as `timeout` and `nice` take them. */
const NO_PROGRAM = /^-|^[A-Za-z_]\w*=|^\d+(\.\d+)?[smhd]?$/;

/** Whether a program runs the command that its arguments are, as `env` and `timeout` do. */
export function isWrapper(program: string): boolean {
  return WRAPPER.test(basename(program));
}

/**
 * The path of the program that runs a command: the first word, or, behind `env`, `timeout` and their like, the first word that
 * names a program. Undefined when the first word names none.
 */
export async function programOf(
  words: readonly string[],
  place: SearchPlace,
  inspector: FileInspector,
): Promise<string | undefined> {
  const [first = '', ...rest] = words;
  if (isWrapper(first)) {
    for (const [index, word] of rest.entries()) {
      if (NO_PROGRAM.test(word)) continue;
      const path = await findProgram(word, place, inspector);
      if (path === undefined || !(await inspector.look(path)).ok) continue;
      return programOf(rest.slice(index), place, inspector);
    }
  }
  return findProgram(first, place, inspector);
}
