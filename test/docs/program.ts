import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
const launcher = `${root}bin/herma.js`;

/** Runs the program as a person does. */
export function herma(args: readonly string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8', input });
}

/** What `--help` says of a command: its subcommands and its long options. */
export interface Help {
  readonly subcommands: ReadonlySet<string>;
  readonly options: ReadonlySet<string>;
}

const read = new Map<string, Help>();

/** Fails for a command that there is not. */
export function helpOf(path: readonly string[]): Help {
  const key = path.join(' ');
  const known = read.get(key);
  if (known !== undefined) return known;
  const { stdout, stderr, status } = herma([...path, '--help']);
  if (status !== 0) throw new Error(stderr);
  const listed = /^Commands:\n((?: .*\n)+)/m.exec(stdout)?.[1] ?? '';
  const help = {
    subcommands: new Set([...listed.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name)),
    options: new Set([...stdout.matchAll(/(?<=^ {2}.*)--[\w-]+/gm)].map(([name]) => name)),
  };
  read.set(key, help);
  return help;
}

/** Whether a program that a page needs is on this machine. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
