import type { Argument } from './argument.ts';
import { hasNone } from './has-none.ts';

/** Options by which these subcommands write a file or run a program. */
const WRITES = hasNone('', ['--output', '--ext-diff', '--textconv', '--filters']);
const onlyOf =
  (...words: readonly string[]) =>
  (args: readonly Argument[]): boolean =>
    args.every(({ value }) => value !== undefined && words.includes(value));
const LISTS_BRANCHES = onlyOf(
  '-a',
  '-r',
  '-v',
  '-vv',
  '-l',
  '--list',
  '--all',
  '--remotes',
  '--show-current',
  '--no-color',
);

const READ_ONLY = new Map<string, (args: readonly Argument[]) => boolean>([
  ...[
    'status',
    'log',
    'diff',
    'show',
    'rev-parse',
    'ls-files',
    'blame',
    'describe',
    'rev-list',
    'ls-tree',
    'merge-base',
    'shortlog',
    'cat-file',
    'count-objects',
    'for-each-ref',
    'show-ref',
    'version',
  ].map((name) => [name, WRITES] as const),
  ['branch', LISTS_BRANCHES],
  ['remote', onlyOf('-v', '--verbose')],
  ['tag', (args) => args.length === 0 || onlyOf('-l', '--list')(args)],
  ['stash', ([verb, ...rest]) => verb?.value === 'list' && WRITES(rest)],
  ['worktree', ([verb, ...rest]) => verb?.value === 'list' && WRITES(rest)],
  ['config', isConfigQuery],
]);

/**
 * Whether git only reads. Programs that the configuration of the repository names (filters, monitors) are not looked at; what a
 * command itself configures (`-c`, `--exec-path`, another repository) never counts as reading.
 */
export function readsOnlyWithGit(args: readonly Argument[]): boolean {
  let at = 0;
  for (; at < args.length; at += 1) {
    const value = args[at]?.value;
    if (value === '-C') at += 1;
    else if (value !== '--no-pager' && value !== '-P' && value !== '--no-optional-locks') break;
  }
  const subcommand = args[at]?.value;
  if (subcommand === undefined) return false;
  if (subcommand === '--version' && args.length === at + 1) return true;
  return READ_ONLY.get(subcommand)?.(args.slice(at + 1)) === true;
}

function isConfigQuery(args: readonly Argument[]): boolean {
  const words = args.map(({ value }) => value);
  const options = words.filter((word) => word === undefined || word.startsWith('-'));
  const queries = ['--get', '--get-all', '--get-regexp', '--list', '-l'];
  const places = ['--global', '--local', '--system', '--show-origin', '--null', '-z'];
  return (
    options.every((word) => word !== undefined && [...queries, ...places].includes(word)) &&
    options.some((word) => word !== undefined && queries.includes(word))
  );
}
