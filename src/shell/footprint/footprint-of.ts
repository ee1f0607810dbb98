import { parseShell } from '../parser/parse-shell.ts';
import { newFindings } from './findings.ts';
import { walkScript } from './walk-command.ts';

/** What is known, without running it, of what a shell command can change. */
export interface CommandFootprint {
  /**
   * Proven to change no file: every program in it is known to only read, nothing is written to a file other than `/dev/null`,
   * `/dev/stdout` and `/dev/stderr`, and nothing goes on after it has answered. In doubt false. Programs are taken to be those of the
   * system that have the name, and the configuration of a repository is not looked into (a filter or monitor of git is a program too).
   */
  readonly isReadOnly: boolean;
  /**
   * Literal words that may name files: arguments and targets of redirections, of nested commands too, after quote removal, without
   * repeats, at most 200. Those of a redirection come first. Behind `cd x &&` they are joined to `x`. Not resolved: a relative one
   * is seen from where the command starts. An option such as `--file=x` gives `x`. Names that follow from the words are among them
   * (the copy that `sed -i.bak` keeps, the directories above that `mkdir -p` makes).
   */
  readonly words: readonly string[];
  /**
   * Nothing is changed but what `words` name or what lies below it. A word can name a symbolic link, and there can be links below
   * it: then what they lead to is meant as well. In doubt false.
   */
  readonly isComplete: boolean;
  /** May go on after it has answered. Of a program that is not known it is not assumed; of a text that is not understood it is. */
  readonly isDetached: boolean;
}

/**
 * Reads a command as bash would, without start-up files and aliases. Never throws; what is not understood counts as able to change
 * anything: `{ isReadOnly: false, isComplete: false, isDetached: true }`.
 */
export function footprintOf(command: string): CommandFootprint {
  const parsed = parseShell(command);
  if (!parsed.ok) return { isReadOnly: false, words: [], isComplete: false, isDetached: true };
  const findings = newFindings();
  walkScript(parsed.script, findings);
  const { isReadOnly, isComplete, isDetached, words } = findings;
  return { isReadOnly: isReadOnly && !isDetached, words: [...words], isComplete, isDetached };
}
