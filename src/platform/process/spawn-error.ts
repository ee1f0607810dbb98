import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { errnoOf } from './errno-of.ts';

/** What decides whether a program can be started. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type SpawnErrorCode =
  | 'command-not-found'
  | 'command-not-executable'
  | 'interpreter-not-found'
  | 'cwd-missing'
  | 'cwd-not-accessible'
  | 'arguments-too-long'
  | 'invalid-argument'
  | 'system-limit'
  | 'spawn-failed';

/** Why a program could not be started. Never holds an argument or the value of an environment variable. */
export interface SpawnError {
  readonly code: SpawnErrorCode;
  readonly message: string;
  readonly remedy: string;
  /** The name the operating system gave the failure (`ENOENT`), when it was asked at all. */
  readonly errno?: string | undefined;
}

const LOOKUP_FAILURES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG']);
const EXHAUSTIONS = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

type FileState = 'missing' | 'not-executable' | 'executable';

/** `hidden`: a folder on the way to it may not be entered. */
type PathKind = 'directory' | 'other' | 'missing' | 'hidden';

function kindOf(path: string): PathKind {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'other';
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'hidden' : 'missing';
  }
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function stateOf(path: string): FileState {
  if (!isAccessible(path, constants.F_OK)) return 'missing';
  return isAccessible(path, constants.X_OK) && kindOf(path) !== 'directory' ? 'executable' : 'not-executable';
}

/** The best state the command has in any place where it is looked for. */
function stateOfCommand({ command, cwd, env }: Invocation): FileState {
  const places = command.includes('/') ? [''] : (env['PATH'] ?? '/bin:/usr/bin').split(delimiter);
  const states = places.map((place) => stateOf(resolve(cwd, place, command)));
  return (
    states.find((state) => state === 'executable') ??
    states.find((state) => state === 'not-executable') ??
    'missing'
  );
}

/** The operating system cannot pass NUL characters, and takes an empty directory for the current one. */
export function findInvalidInvocation({ command, args, cwd, env }: Invocation): SpawnError | undefined {
  const invalid = (what: string, remedy: string): SpawnError => ({
    code: 'invalid-argument',
    message: what,
    remedy,
  });
  const removeNul = 'remove the NUL character';
  if (command === '') return invalid('the command is empty', 'name a program to run');
  if (cwd === '') return invalid('the working directory is empty', 'name a directory that exists');
  if (command.includes('\0')) return invalid('the command holds a NUL character', removeNul);
  if (cwd.includes('\0')) return invalid('the working directory holds a NUL character', removeNul);
  const badArgument = args.findIndex((argument) => argument.includes('\0'));
  if (badArgument >= 0) {
    return invalid(
      `argument ${badArgument + 1} of ${JSON.stringify(command)} holds a NUL character`,
      removeNul,
    );
  }
  const badVariable = Object.entries(env).find(
    ([name, value]) => name.includes('\0') || value?.includes('\0') === true,
  );
  if (badVariable === undefined) return undefined;
  return invalid(`environment variable ${JSON.stringify(badVariable[0])} holds a NUL character`, removeNul);
}

function explainWorkingDirectory(cwd: string): Omit<SpawnError, 'errno'> | undefined {
  const directory = JSON.stringify(cwd);
  const kind = kindOf(cwd);
  if (kind === 'missing' || kind === 'other') {
    return {
      code: 'cwd-missing',
      message: `working directory ${directory} ${kind === 'missing' ? 'does not exist' : 'is not a directory'}`,
      remedy: 'create it or choose another working directory',
    };
  }
  if (kind === 'directory' && isAccessible(cwd, constants.X_OK)) return undefined;
  return {
    code: 'cwd-not-accessible',
    message: `working directory ${directory} may not be entered`,
    remedy: 'change its permissions or choose another working directory',
  };
}

function explainCommand(invocation: Invocation): Omit<SpawnError, 'errno'> {
  const command = JSON.stringify(invocation.command);
  switch (stateOfCommand(invocation)) {
    case 'missing':
      return {
        code: 'command-not-found',
        message: `command ${command} not found`,
        remedy: invocation.command.includes('/') ? 'check the path' : 'install it or add its folder to PATH',
      };
    case 'not-executable':
      return {
        code: 'command-not-executable',
        message: `command ${command} is not an executable file`,
        remedy: 'chmod +x it, or name a program',
      };
    case 'executable':
      return {
        code: 'interpreter-not-found',
        message: `command ${command} exists, but the interpreter in its first line cannot be run`,
        remedy: 'correct its #! line (also look for Windows line endings) or install the interpreter',
      };
  }
}

/** Explains the error of a failed start: a missing working directory is told apart from a missing command. */
export function explainSpawnFailure(invocation: Invocation, error: unknown): SpawnError {
  const errno = errnoOf(error);
  const command = JSON.stringify(invocation.command);
  if (errno === undefined) throw error;
  if (LOOKUP_FAILURES.has(errno)) {
    return { ...(explainWorkingDirectory(invocation.cwd) ?? explainCommand(invocation)), errno };
  }
  if (errno === 'E2BIG') {
    return {
      code: 'arguments-too-long',
      message: `arguments and environment of ${command} are longer than the system accepts`,
      remedy: 'pass the data on standard input or in a file',
      errno,
    };
  }
  if (EXHAUSTIONS.has(errno)) {
    return {
      code: 'system-limit',
      message: `the system could not start ${command}: too many processes or open files, or no memory (${errno})`,
      remedy: 'end other programs or raise the limit (ulimit -u, ulimit -n)',
      errno,
    };
  }
  return {
    code: 'spawn-failed',
    message: `the system could not start ${command} (${errno})`,
    remedy: 'run the command by hand to see why',
    errno,
  };
}
