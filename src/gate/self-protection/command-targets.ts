import { resolve } from 'node:path';
import { footprintOf } from '../../shell/index.ts';

/** What the variables and the tilde of a command stand for. */
export interface CommandPlace {
  /** The folder it runs in; absolute. */
  readonly directory: string;
  /** What `~` and `$HOME` stand for; absolute. */
  readonly userHome: string;
  /** What `$HERMA_HOME` stands for; absolute. */
  readonly hermaHome: string;
}

/** A name in a command. */
export interface CommandTarget {
  /** Absolute; `*` and `?` stand for what they do in a pattern of the shell when `isPattern`. */
  readonly path: string;
  readonly isPattern: boolean;
  /** Whether all that is below it may be removed, moved or have its mode changed. */
  readonly isWhole: boolean;
}

/** Stand-ins that mean nothing to a shell, so that a word with them is a literal one. */
const USER_HOME = '/herma..user..home';
const HERMA_HOME = '/herma..herma..home';
const STAR = 'herma..star..';
const MARK = 'herma..mark..';

/** Behind these a command of its own begins. Quotes are not looked at: what comes of it is only looked at more closely. */
const COMMAND_ENDS = /&&|\|\||[;|\n&(){}`]/;
const PREFIXES = /^(?:(?:sudo|command|env|nohup|nice|time|exec|do|then|else|\w+=\S*)\s+)+/;
const REMOVES = /^(?:\/(?:usr\/)?bin\/)?(rm|mv|rmdir|chmod|chown|chgrp)\s/;
const IS_RECURSIVE = /\s(?:-[a-zA-Z]*[rR]|--recursive)/;

/**
 * The names in a command that may be changed by it, as far as they can be read off; none when it is proven to only read. The tilde,
 * `$HOME` and `$HERMA_HOME` are understood, and `*` and `?`; other expansions are not.
 */
export function targetsOf(command: string, place: CommandPlace): readonly CommandTarget[] {
  if (footprintOf(command).isReadOnly) return [];
  const readable = withStandIns(command);
  const whole = new Set(wholeTargets(readable));
  const words = new Set([...footprintOf(command).words, ...footprintOf(readable).words, ...whole]);
  return [...words].map((word) => ({
    path: pathOf(word, place),
    isPattern: word.includes(STAR) || word.includes(MARK),
    isWhole: whole.has(word),
  }));
}

function withStandIns(command: string): string {
  return command
    .replaceAll(/(^|[\s=:<>"'(;&|])~(?=\/|[\s;&|)]|$)/gm, `$1${USER_HOME}`)
    .replaceAll(/\$(?:HOME\b|\{HOME\})/g, USER_HOME)
    .replaceAll(/\$(?:HERMA_HOME\b|\{HERMA_HOME\})/g, HERMA_HOME)
    .replaceAll('*', STAR)
    .replaceAll('?', MARK);
}

function pathOf(word: string, { directory, userHome, hermaHome }: CommandPlace): string {
  const plain = word
    .replaceAll(USER_HOME, userHome)
    .replaceAll(HERMA_HOME, hermaHome)
    .replaceAll(STAR, '*')
    .replaceAll(MARK, '?');
  return resolve(directory, plain);
}

/** The operands of commands that take away folders with all that is in them; of `mv`, not where it moves them to. */
function wholeTargets(command: string): readonly string[] {
  return command.split(COMMAND_ENDS).flatMap((part) => {
    const plain = part.trim().replace(PREFIXES, '');
    const program = REMOVES.exec(plain)?.[1];
    if (program === undefined) return [];
    if (program === 'mv') return footprintOf(plain).words.slice(0, -1);
    return program === 'rmdir' || IS_RECURSIVE.test(plain) ? footprintOf(plain).words : [];
  });
}
