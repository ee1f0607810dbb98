import { basename, dirname, join, resolve } from 'node:path';
import type { FileFact } from '../../model/foreseen.ts';
import { contentFact, linkFact } from '../file-facts.ts';
import { operandsOf } from './operands.ts';
import type { Effect, Plan } from './plan.ts';

/** What the programs that make, move and remove files leave behind. Options that are not known make a call unforeseeable. */
export const FILE_EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['mkdir', makeFolders],
  ['touch', touch],
  ['rm', remove],
  ['rmdir', removeFolders],
  ['cp', copy],
  ['mv', move],
  ['ln', link],
]);

async function makeFolders(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, { flags: ['p', 'v', 'parents', 'verbose'], valued: ['m', 'mode'] });
  const withParents = read?.options.has('p') === true || read?.options.has('parents') === true;
  return ofEach(read?.operands, async (operand) => {
    const path = resolve(cwd, operand);
    const current = await plan.files.current(path);
    if (current === undefined) return plan.files.giveUp(path);
    if (current.type !== 'absent') return withParents && current.type === 'folder';
    return withParents ? makeMissing(path, plan) : makeOne(path, plan);
  });
}

async function makeOne(path: string, { files }: Plan): Promise<boolean> {
  return (await files.hasFolderOf(path)) && files.change(path, { type: 'folder' });
}

async function makeMissing(path: string, plan: Plan): Promise<boolean> {
  const parent = dirname(path);
  if ((await plan.files.current(parent))?.type === 'absent' && !(await makeMissing(parent, plan)))
    return false;
  return makeOne(path, plan);
}

async function touch(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  return ofEach(operandsOf(args, { flags: ['a', 'm'] })?.operands, async (operand) => {
    const path = resolve(cwd, operand);
    const current = await plan.files.current(path);
    if (current === undefined) return plan.files.giveUp(path);
    if (current.type !== 'absent') return true;
    return (await plan.files.hasFolderOf(path)) && plan.files.change(path, contentFact(''));
  });
}

const RECURSIVE = ['r', 'R', 'recursive'];

async function remove(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, { flags: [...RECURSIVE, 'f', 'force', 'v', 'verbose'] });
  const isRecursive = RECURSIVE.some((name) => read?.options.has(name));
  return ofEach(read?.operands, async (operand) => {
    const path = resolve(cwd, operand);
    const current = await plan.files.current(path);
    if (current === undefined) return plan.files.giveUp(path);
    if (current.type !== 'folder') return plan.files.change(path, { type: 'absent' });
    return isRecursive && plan.files.removeTree(path);
  });
}

async function removeFolders(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  return ofEach(operandsOf(args, { flags: ['v', 'verbose'] })?.operands, async (operand) => {
    const path = resolve(cwd, operand);
    const current = await plan.files.current(path);
    return current?.type === 'folder' && plan.files.change(path, { type: 'absent' });
  });
}

async function copy(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, {
    flags: [...RECURSIVE, 'a', 'archive', 'p', 'f', 'force', 'v', 'verbose'],
  });
  const isRecursive = [...RECURSIVE, 'a', 'archive'].some((name) => read?.options.has(name));
  return ofEachTarget(read?.operands, { plan, cwd }, async ({ fact, path, there }) => {
    if (fact.type === 'folder') {
      if (!isRecursive || there.type !== 'absent') return false;
      const isNoted = await plan.files.change(path, undefined);
      plan.files.upturn(path);
      return isNoted;
    }
    if (there.type !== 'absent' && there.type !== 'file') return false;
    return plan.files.change(path, fact.type === 'file' ? fact : undefined);
  });
}

async function move(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, { flags: ['f', 'force', 'v', 'verbose'] });
  return ofEachTarget(read?.operands, { plan, cwd }, async ({ source, fact, path, there }) => {
    if (source === path) return false;
    if (there.type !== 'absent' && (fact.type === 'folder' || there.type !== 'file')) return false;
    const arrives = await plan.files.change(path, fact);
    const leaves = await plan.files.change(source, { type: 'absent' });
    if (fact.type === 'folder') {
      plan.files.upturn(path);
      plan.files.upturn(source);
    }
    return arrives && leaves;
  });
}

async function link(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, { flags: ['s', 'symbolic', 'f', 'force', 'n', 'v', 'verbose'] });
  const [target, given, ...more] = read?.operands ?? [];
  if (read === undefined || target === undefined || given === undefined || more.length > 0) return false;
  const there = await plan.files.current(resolve(cwd, given));
  const path = resolve(cwd, there?.type === 'folder' ? join(given, basename(target)) : given);
  if ((await plan.files.current(path)) === undefined) return plan.files.giveUp(path);
  if (read.options.has('s') || read.options.has('symbolic')) return plan.files.change(path, linkFact(target));
  const fact = await plan.files.current(resolve(cwd, target));
  if (fact?.type !== 'file') return plan.files.giveUp(path);
  const isNoted = await plan.files.change(path, fact);
  // From now on, a change of one is a change of the other.
  plan.files.upturn(path);
  plan.files.upturn(resolve(cwd, target));
  return isNoted;
}

interface Transfer {
  readonly source: string;
  /** What is copied or moved. */
  readonly fact: FileFact;
  /** Where it goes; absolute. */
  readonly path: string;
  /** What is there. */
  readonly there: FileFact;
}

/** Finds out what goes where when the last operand is the destination, or the folder for all of them. */
async function ofEachTarget(
  operands: readonly string[] | undefined,
  { plan, cwd }: { readonly plan: Plan; readonly cwd: string },
  transfer: (each: Transfer) => Promise<boolean>,
): Promise<boolean> {
  const given = operands?.at(-1);
  const sources = operands?.slice(0, -1) ?? [];
  if (given === undefined || sources.length === 0) return false;
  const destination = resolve(cwd, given);
  const isFolder = (await plan.files.current(destination))?.type === 'folder';
  if (!isFolder && (sources.length > 1 || given.endsWith('/'))) return false;
  return ofEach(sources, async (operand) => {
    const source = resolve(cwd, operand);
    const path = isFolder ? join(destination, basename(source)) : destination;
    const [fact, there] = [await plan.files.current(source), await plan.files.current(path)];
    if (there === undefined || fact === undefined) return plan.files.giveUp(path);
    if (fact.type === 'absent') return false;
    // `cp -r a/. b` copies what is in it.
    if (/(?:^|\/)\.{0,2}$/.test(operand)) return false;
    return transfer({ source, fact, path, there });
  });
}

/** All of them, also when one could not be foreseen. False when there are none. */
async function ofEach(
  operands: readonly string[] | undefined,
  foresee: (operand: string) => Promise<boolean>,
): Promise<boolean> {
  let isWhole = operands !== undefined && operands.length > 0;
  for (const operand of operands ?? []) if (!(await foresee(operand))) isWhole = false;
  return isWhole;
}
