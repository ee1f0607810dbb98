import type { Page } from './markdown.ts';

/** A command line of the program that a page shows. */
export interface MentionedCommand {
  readonly text: string;
  /** What follows `herma`, without what belongs to the shell. */
  readonly words: readonly string[];
}

const SHELL_LANGUAGES = new Set(['', 'console', 'bash', 'text']);
const COMMAND = /(?<=^|[\s(`;|&])herma((?: +(?:'[^']*'|"[^"]*"|[^\s'"`;&<>)]+))+)/g;

/** Every command line of the program in code spans and in blocks for a shell. */
export function mentionedCommands({ blocks, spans }: Page): readonly MentionedCommand[] {
  const shell = blocks.filter(({ language }) => SHELL_LANGUAGES.has(language)).map(({ text }) => text);
  const lines = shell.flatMap((text) => text.split('\n')).filter((line) => !line.startsWith('#'));
  return [...lines, ...spans].flatMap((line) =>
    [...line.matchAll(COMMAND)].map(([text, rest = '']) => ({ text, words: wordsOf(rest) })),
  );
}

/** `before|after` stays one word; ` | ` ends the command. */
function wordsOf(rest: string): readonly string[] {
  const words = rest.trim().split(/ +/);
  const end = words.findIndex((word) => word === '|' || word.startsWith('#'));
  return end === -1 ? words : words.slice(0, end);
}
