import type { StartOptions } from '../../../platform/process/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command (`$1`) in a subshell, so that no `exit`, `exec` or trap of its keeps us from taking down how it ended,
 * with `$PPID` what it would be without. stderr goes where stdout goes, in the order of writing. Where a file is named
 * (`$2`), the exit code is left there, whole or not at all.
 */
const WRAPPER = `exec 2>&1
( eval "set --; $1" )
code=$?
if [ -n "$2" ]; then
  ( umask 077; printf '%s\\n' "$code" >"$2.tmp" && command -p mv -f -- "$2.tmp" "$2" ) 2>/dev/null
fi
exit "$code"`;

/** Variables by which an environment changes what bash does before or while it runs a command. */
const STEERING_VARIABLES: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'SHELLOPTS',
  'BASHOPTS',
  'BASH_XTRACEFD',
  'BASH_LOADABLES_PATH',
  'PS4',
  'IFS',
  'CDPATH',
  'GLOBIGNORE',
  'POSIXLY_CORRECT',
]);

/** How functions exported by bash are called in the environment. */
const EXPORTED_FUNCTION = /^BASH_FUNC_/;

/**
 * How a command is run: bash without start-up files, options or functions from outside.
 *
 * @param exitFile where its exit code is left, by whoever is still there: this process need not be.
 */
export function shellInvocation(
  command: string,
  environment: Environment,
  exitFile?: string,
): Pick<StartOptions, 'command' | 'args' | 'env'> {
  const env = Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !STEERING_VARIABLES.has(name) && !EXPORTED_FUNCTION.test(name),
    ),
  );
  return {
    command: 'bash',
    args: ['--noprofile', '--norc', '-c', WRAPPER, 'bash', command, exitFile ?? ''],
    env,
  };
}
