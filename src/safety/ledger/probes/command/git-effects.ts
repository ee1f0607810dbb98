import { basename, join, resolve } from 'node:path';
import { gitFoldersAbove, gitFoldersAt, hasBranch, headOf } from '../git-state.ts';
import { operandsOf } from './operands.ts';
import type { Effect, Plan } from './plan.ts';

/** What git leaves behind: new repositories, commits and branches. */
export const gitEffect: Effect = async (args, plan, cwd) => {
  const [first, second, ...others] = args;
  const isElsewhere = first === '-C' && second !== undefined;
  const folder = isElsewhere ? resolve(cwd, second) : cwd;
  const [verb, ...rest] = isElsewhere ? others : args;
  return (await VERBS.get(verb ?? '')?.(rest, plan, folder)) ?? false;
};

const VERBS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['init', init],
  ['clone', clone],
  ['commit', commit],
  ['branch', branch],
  ['checkout', (args, plan, cwd) => checkout(args, { plan, cwd, option: '-b' })],
  ['switch', (args, plan, cwd) => checkout(args, { plan, cwd, option: '-c' })],
  // It only prepares a commit, and doing it again does no harm.
  ['add', () => Promise.resolve(true)],
]);

async function init(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, { flags: ['q', 'quiet'], valued: ['b', 'initial-branch'] });
  if (read === undefined || read.operands.length > 1) return false;
  const path = resolve(cwd, read.operands[0] ?? '.');
  if ((await gitFoldersAt(path)) === undefined) plan.repositories.push({ path, head: '', act: 'init' });
  return true;
}

async function clone(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const read = operandsOf(args, {
    flags: ['q', 'quiet', 'v', 'verbose', 'progress', 'single-branch', 'no-tags', 'no-single-branch', 'l'],
    valued: ['b', 'branch', 'depth', 'o', 'origin', 'filter', 'shallow-since'],
  });
  const [source, folder, ...more] = read?.operands ?? [];
  if (source === undefined || more.length > 0) return false;
  const name = folder ?? nameOf(source);
  if (name === '') return false;
  const path = resolve(cwd, name);
  // It fails where something is; an empty folder will do.
  if ((await plan.files.current(join(path, '.git')))?.type !== 'absent') return false;
  plan.repositories.push({ path, head: '', act: 'clone' });
  plan.files.upturn(path);
  return true;
}

/** The folder git makes for what it clones. */
function nameOf(source: string): string {
  const path = source.replace(/\/+$/, '').replace(/\/\.git$/, '');
  return basename(path.slice(path.lastIndexOf(':') + 1)).replace(/\.(?:git|bundle)$/, '');
}

async function commit(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  if (args.some((arg) => arg === '--dry-run' || arg === '-h' || arg === '--help')) return false;
  const folders = await gitFoldersAbove(cwd);
  if (folders === undefined) return false;
  const head = await headOf(folders);
  if (head === undefined) return false;
  const path = folders.workTree;
  if (!plan.repositories.some((each) => each.act === 'commit' && each.path === path))
    plan.repositories.push({ path, head, act: 'commit' });
  return true;
}

async function branch(args: readonly string[], plan: Plan, cwd: string): Promise<boolean> {
  const [name, ...start] = args;
  if (name === undefined || start.length > 1 || args.some((arg) => arg.startsWith('-'))) return false;
  return newBranch(name, plan, cwd);
}

async function checkout(
  args: readonly string[],
  { plan, cwd, option }: { readonly plan: Plan; readonly cwd: string; readonly option: string },
): Promise<boolean> {
  const words = args.filter((arg) => arg !== '-q');
  const [given, name, ...start] = words;
  if (given !== option || name === undefined || start.length > 1) return false;
  // With a place to start at, files change as well.
  return (await newBranch(name, plan, cwd)) && start.length === 0;
}

async function newBranch(name: string, plan: Plan, cwd: string): Promise<boolean> {
  const folders = await gitFoldersAbove(cwd);
  if (folders === undefined || name.startsWith('-') || (await hasBranch(folders, name))) return false;
  const head = await headOf(folders);
  if (head === undefined || head === '') return false;
  plan.repositories.push({ path: folders.workTree, head, act: 'branch', branch: name });
  return true;
}
