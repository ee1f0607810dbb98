import type { Argument } from './argument.ts';
import { readsOnlyWithGit } from './git.ts';
import { hasNone } from './has-none.ts';
import { readsOnlyWithSed } from './sed.ts';
import { isHarmlessTest } from './test-command.ts';

type Check = (args: readonly Argument[]) => boolean;

const always: Check = () => true;
const operandsOf = (args: readonly Argument[]): number =>
  args.filter(({ value }) => value === undefined || value === '-' || !value.startsWith('-')).length;

/** They change no file, whatever their arguments. Builtins that only concern the shell itself are among them. */
const ALWAYS = (
  'ls cat head tail wc grep egrep fgrep pwd echo true false : sleep whoami id uname printenv which ' +
  'type stat du df ps diff cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum ' +
  'basename dirname realpath readlink cut tr nl od hexdump jq seq tac rev paste comm fold nproc ' +
  'uptime groups cd exit break continue'
).split(' ');

const CHECKED = new Map<string, Check>([
  ['rg', hasNone('', ['--pre', '--hostname-bin'])],
  ['find', isPlainFind],
  ['printf', isPlainPrintf],
  ['test', isHarmlessTest],
  ['[', (args) => args.at(-1)?.value === ']' && isHarmlessTest(args.slice(0, -1))],
  ['date', (args) => hasNone('s', ['--set'])(args.filter(({ value }) => value !== '-Iseconds'))],
  ['hostname', (args) => args.length === 0],
  ['wait', (args) => args.length === 0],
  ['file', hasNone('C', ['--compile'])],
  ['sort', hasNone('o', ['--output', '--compress-program'])],
  ['uniq', (args) => isKnown(args) && operandsOf(args) <= 1],
  ['xxd', (args) => isKnown(args) && operandsOf(args) <= 1 && !args.some(isReverse)],
  ['tree', hasNone('oR', ['--output'])],
  ['git', readsOnlyWithGit],
  ['sed', readsOnlyWithSed],
  ['set', (args) => args.length > 0 && args.every(isHarmlessSetting)],
  ['read', (args) => args.every(({ value }) => value === '-r' || isOrdinaryVariable(value))],
]);

/** Whether a program of this name, found by bash in its usual places, changes no file with these arguments. In doubt false. */
export function isReadOnlyCall(name: string, args: readonly Argument[]): boolean {
  return CHECKED.get(name)?.(args) ?? UNCONDITIONAL.has(name);
}

export function isReadOnlyProgram(name: string): boolean {
  return CHECKED.has(name) || UNCONDITIONAL.has(name);
}

const UNCONDITIONAL = new Map(ALWAYS.map((name) => [name, always]));

/** Variables whose values mean nothing to bash or to programs, by the convention that those that do are upper case. */
export function isOrdinaryVariable(name: string | undefined): boolean {
  return name !== undefined && /^[a-z_][a-z0-9_]*$/.test(name);
}

const isKnown = (args: readonly Argument[]): boolean => args.every(({ value }) => value !== undefined);
const isReverse = ({ value }: Argument): boolean => /^--?r/.test(value ?? '-r');

/** Words it runs or writes with begin like these; none of them can be shortened. */
function isPlainFind(args: readonly Argument[]): boolean {
  const acts = /^-(?:delete|exec|ok|fprint|fls)/;
  return args.every(({ value, prefix }) =>
    value === undefined ? prefix !== '' && !prefix.startsWith('-') : !acts.test(value),
  );
}

/** `-v` puts text into a variable, and so does `%n` in the format. */
function isPlainPrintf(args: readonly Argument[]): boolean {
  const format = args[0]?.value === '--' ? args[1] : args[0];
  if (format?.value === undefined || format.value.startsWith('-')) return false;
  return !/%[^%a-zA-Z]*[hlLjztq]*n/.test(format.value);
}

function isHarmlessSetting({ value }: Argument): boolean {
  return value !== undefined && /^(?:[-+][eufx]*o?|pipefail|errexit|nounset|noglob)$/.test(value);
}
