import { getString, type JsonObject } from '../json/index.ts';

/** Arguments that tell the most about a call, the first one present is shown. */
const TELLING = ['command', 'path', 'pattern', 'goal', 'question', 'url', 'action', 'query', 'name'];

/**
 * Everything that would break a line or steer a terminal, and what looks like nothing or like a space and is none: two texts
 * that differ must not look the same to a person who approves one of them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/**
 * One line that tells a person what a call is about: `terminal: npm test`, `write_file: a.txt`. At most `maxChars`
 * long; control characters are shown escaped.
 */
export function describeCall(
  call: { readonly tool: string; readonly args: JsonObject },
  maxChars = 120,
): string {
  const telling = TELLING.map((name) => getString(call.args, name)).find(
    (value) => value !== undefined && value !== '',
  );
  const detail = telling ?? (Object.keys(call.args).length === 0 ? '' : JSON.stringify(call.args));
  const text = detail === '' ? call.tool : `${call.tool}: ${detail}`;
  // Nothing becomes shorter when it is made printable, so what lies beyond cannot be seen anyway.
  const line = printable(text.slice(0, maxChars + 1));
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** Text of unknown origin, safe to write to a terminal on one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '⏎';
    if (character === '\t') return ' ';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
