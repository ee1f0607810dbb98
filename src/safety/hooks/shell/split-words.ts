import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';

const WHITESPACE = new Set([' ', '\t', '\r', '\n']);
const QUOTES = new Set(['"', "'"]);

/** `between` words, `inWord`, or inside the quotes of a word. */
type Place = 'between' | 'inWord' | '"' | "'";

/**
 * The words of a command line, exactly as Python's `shlex.split(text, comments=False, posix=True)` sees them: quotes group
 * and vanish, a backslash takes the next character as it is (inside double quotes only before `"` and `\`, inside single
 * quotes never). Nothing is expanded.
 *
 * Fails for a quote that is not closed and for a backslash with nothing behind it.
 */
export function splitWords(text: string): Result<readonly string[], 'unclosed_quote' | 'lone_backslash'> {
  const words: string[] = [];
  let place: Place = 'between';
  let word = '';
  const characters = Array.from(text);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (character === '\\' && place !== "'") {
      index += 1;
      const escaped = characters[index];
      if (escaped === undefined)
        return fail('lone_backslash', `${text} ends in a backslash with nothing behind it.`, 'Remove it.');
      word += place === '"' && escaped !== '"' && escaped !== '\\' ? `\\${escaped}` : escaped;
      if (place === 'between') place = 'inWord';
    } else if (place === '"' || place === "'") {
      if (character === place) place = 'inWord';
      else word += character;
    } else if (isQuote(character)) {
      place = character;
    } else if (!WHITESPACE.has(character)) {
      word += character;
      place = 'inWord';
    } else if (place === 'inWord') {
      words.push(word);
      word = '';
      place = 'between';
    }
  }
  if (place === '"' || place === "'")
    return fail('unclosed_quote', `${text} has a ${place} that is not closed.`, 'Close it.');
  return succeed(place === 'inWord' ? [...words, word] : words);
}

function isQuote(character: string): character is '"' | "'" {
  return QUOTES.has(character);
}
