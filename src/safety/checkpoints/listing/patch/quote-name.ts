import { printable } from '../../../../kernel/tool-call/index.ts';
import { fileSystemPath } from '../../../../platform/paths/index.ts';

/** Escapes that have a letter of their own in git's quoted names (`quote.c`); the others are octal. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/**
 * A path as git writes it in a patch: as it is, or in double quotes with escapes when it holds control characters, quotes
 * or backslashes, bytes that are not UTF-8, or characters that cannot be seen. Other UTF-8 stays readable, as with
 * `core.quotePath=false`.
 */
export function quoteName(path: string): string {
  const escaped = Array.from(path, escapeCharacter).join('');
  return escaped === path ? path : `"${escaped}"`;
}

function escapeCharacter(character: string): string {
  const letter = LETTERS.get(character);
  if (letter !== undefined) return letter;
  if (character.isWellFormed() && printable(character) === character) return character;
  return Array.from(Buffer.from(fileSystemPath(character)), octal).join('');
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}
