import { createHash } from 'node:crypto';
import { basename, extname } from 'node:path';
import { splitWords } from './split-words.ts';

const SCRIPT_EXTENSIONS: ReadonlySet<string> = new Set([
  '.sh',
  '.bash',
  '.zsh',
  '.fish',
  '.py',
  '.pyw',
  '.rb',
  '.pl',
  '.lua',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
]);

/**
 * How a hook is called in messages: `<file name>#<8 hex digits of the SHA-256 of its command>`. The command itself is never
 * shown to the model: people write tokens into command lines. A word that could be one (an assignment, an address, an option)
 * does not become the name either.
 */
export function hookLabel(command: string): string {
  const digest = createHash('sha256').update(command, 'utf8').digest('hex').slice(0, 8);
  return `${nameOf(command)}#${digest}`;
}

function nameOf(command: string): string {
  const split = splitWords(command);
  const words = (split.ok ? split.value : command.split(/\s+/)).filter(isPlainWord);
  const word =
    words.find((candidate) => SCRIPT_EXTENSIONS.has(extname(candidate))) ??
    words.find((candidate) => candidate.includes('/') || candidate.startsWith('~')) ??
    words[0];
  const name = basename(word ?? '');
  return /^[\w.@+ -]{1,64}$/u.test(name) ? name : 'hook';
}

function isPlainWord(word: string): boolean {
  return word !== '' && !/^-|=|:\/\//.test(word);
}
