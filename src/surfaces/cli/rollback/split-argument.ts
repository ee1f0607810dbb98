import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';

/** A word of a line that was typed into the chat. */
export interface Word {
  readonly text: string;
  /** Where it stands in the line. */
  readonly start: number;
  readonly end: number;
  /** Whether it was quoted, or a character of it was: it is exactly what it says. */
  readonly isQuoted: boolean;
}

const SPACE = /\s/;

/**
 * Splits a line into words. `'…'` is taken as it is, in `"…"` a backslash stands before `"` and `\`, elsewhere before a
 * space, a quote and a backslash. A quote inside of a word is a part of it, as in `it's`. Fails for one that is not closed.
 */
export function splitArgument(line: string): Result<readonly Word[], 'usage'> {
  const words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    if (SPACE.test(line.charAt(at))) {
      at += 1;
      continue;
    }
    const word = readWord(line, at);
    if (word === undefined)
      return fail(
        'usage',
        `a quote is not closed: ${JSON.stringify(line.slice(at))}`,
        'close it, or put a backslash before it',
      );
    words.push(word);
    at = word.end;
  }
  return succeed(words);
}

/** Undefined when a quote is not closed. */
function readWord(line: string, start: number): Word | undefined {
  let [at, text, isQuoted] = [start, '', false];
  while (at < line.length && !SPACE.test(line.charAt(at))) {
    const character = line.charAt(at);
    if (isQuote(character) && (at === start || isQuoted)) {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) return undefined;
      [text, at, isQuoted] = [text + quoted.text, quoted.end, true];
    } else if (character === '\\' && /[\s'"\\]/.test(line.charAt(at + 1))) {
      [text, at, isQuoted] = [text + line.charAt(at + 1), at + 2, true];
    } else {
      [text, at] = [text + character, at + 1];
    }
  }
  return { text, start, end: at, isQuoted };
}

function readQuoted(
  line: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  const quote = line.charAt(start);
  let [at, text] = [start + 1, ''];
  while (at < line.length) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at + 1 };
    const isEscape = quote === '"' && character === '\\' && /["\\]/.test(line.charAt(at + 1));
    if (isEscape) at += 1;
    text += line.charAt(at);
    at += 1;
  }
  return undefined;
}

function isQuote(character: string): boolean {
  return character === "'" || character === '"';
}
