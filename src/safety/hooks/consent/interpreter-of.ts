import { basename } from 'node:path';
import { fail } from '../../../kernel/errors/index.ts';
import type { SearchPlace } from './consent-subject.ts';
import type { FileInspector, Inspected } from './file-inspector.ts';
import { absolutePath } from './find-program.ts';
import { programOf } from './program-of.ts';

/** Beginnings of programs that no interpreter runs: ELF and the four of Mach-O. */
const BINARY_MAGICS = ['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe', 'feedfacf'];

export function isBinaryProgram(head: Buffer): boolean {
  return BINARY_MAGICS.includes(head.subarray(0, 4).toString('hex'));
}

/** What {@link interpreterOf} is asked about. */
export interface ScriptOfCommand {
  /** See `ScriptChoice`. */
  readonly isProgram: boolean;
  /** The first bytes of the script. */
  readonly head: Buffer;
}

/**
 * The path of the program that runs the script of a command: the program of the command, or, where the script is that program,
 * what its first line names (`#!/usr/bin/env python3` is `python3`), `/bin/sh` when it names nothing; undefined when the system
 * runs it without any. Fails with `missing` when there is no such program.
 */
export async function interpreterOf(
  words: readonly string[],
  { isProgram, head }: ScriptOfCommand,
  place: SearchPlace,
  inspector: FileInspector,
): Promise<Inspected<string | undefined>> {
  if (!isProgram) return found(words[0] ?? '', await programOf(words, place, inspector));
  if (isBinaryProgram(head)) return { ok: true, value: undefined };
  const line = shebangOf(head);
  if (line === undefined) return { ok: true, value: '/bin/sh' };
  const [named = '', ...rest] = line;
  if (basename(named) !== 'env') return found(named, absolutePath(place.cwd, named));
  const wanted = [named, ...rest.join(' ').split(/[\t ]+/)];
  const path = await programOf(wanted, place, inspector);
  // Only itself: what it was to run is not there.
  return found(wanted.join(' '), path === absolutePath(place.cwd, named) ? undefined : path);
}

/** The interpreter and its one argument, as execve(2) reads them. */
function shebangOf(head: Buffer): readonly string[] | undefined {
  if (head.subarray(0, 2).toString('latin1') !== '#!') return undefined;
  const [line = ''] = head.subarray(2).toString('utf8').split('\n', 1);
  const parts = /^[\t ]*([^\t ]+)[\t ]*(.*?)[\t ]*$/.exec(line);
  return parts === null ? undefined : [parts[1] ?? '', parts[2] ?? ''].filter((part) => part !== '');
}

function found(word: string, path: string | undefined): Inspected<string> {
  return path === undefined
    ? fail('missing', `there is no program ${JSON.stringify(word)}`, 'install it, or add its folder to PATH')
    : { ok: true, value: path };
}
