import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { expandTilde } from '../../../platform/paths/index.ts';
import { splitWords } from './split-words.ts';

/** A program and its arguments, as they are handed to the system. */
export interface CommandWords {
  /** Looked up in the PATH, or, when it holds a slash, relative to the working directory of the hook. */
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The words of a hook's command, each with its leading `~` replaced by `userHome`. No shell is involved: pipes, `$NAME` and
 * `&&` are words like any other.
 */
export function commandWords(
  command: string,
  userHome: string,
): Result<CommandWords, 'unclosed_quote' | 'lone_backslash' | 'empty_command'> {
  const split = splitWords(command);
  if (!split.ok) return split;
  const [program, ...args] = split.value.map((word) => expandTilde(word, userHome));
  if (program === undefined || program === '')
    return fail('empty_command', 'the command of the hook is empty', 'Name a program to run.');
  return succeed({ program, args });
}
