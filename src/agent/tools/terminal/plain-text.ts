const BELL = 0x07;
const BACKSPACE = 0x08;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;
const C1_CSI = 0x9b;
const C1_ST = 0x9c;

/** DCS, SOS, OSC, PM and APC: what follows is a text for the terminal and not for its reader. */
const STRING_INTRODUCERS: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
/** The same as single characters, U+0090 to U+009F. */
const C1_STRING_INTRODUCERS: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/**
 * What a person would read on a terminal, as plain lines: without control sequences (ECMA-48: CSI, OSC, DCS and the
 * others, also unfinished ones) and control characters. Of a line that was written over with `\r`, as progress bars
 * do, the last state is left; `\b` takes the character before it away. `\r\n` becomes `\n`.
 *
 * Takes time in proportion to the length of the text, whatever is in it. (`stripVTControlCharacters` of Node takes half a minute
 * for some texts of 400 KB, and leaves DCS texts.)
 */
export function plainText(text: string): string {
  return HAS_CONTROLS.test(text) ? withoutBackspaces(lastStates(withoutSequences(text))) : text;
}

const HAS_CONTROLS = /[^\P{Cc}\n\t]/u;

/** Everything but text, `\n`, `\t`, `\r` and `\b`. */
function withoutSequences(text: string): string {
  const pieces: string[] = [];
  let start = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (!isDropped(code)) {
      index += 1;
      continue;
    }
    pieces.push(text.slice(start, index));
    index = endOfControl(text, index);
    start = index;
  }
  pieces.push(text.slice(start));
  return pieces.join('');
}

function isDropped(code: number): boolean {
  if (code < 0x20) return code !== NEWLINE && code !== TAB && code !== RETURN && code !== BACKSPACE;
  return code >= DELETE && code <= 0x9f;
}

/** The index behind the control character or sequence that begins at `start`. */
function endOfControl(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === C1_CSI) return endOfCsi(text, start + 1);
  if (C1_STRING_INTRODUCERS.has(code)) return endOfString(text, start + 1);
  if (code !== ESCAPE) return start + 1;
  const next = text.charCodeAt(start + 1);
  if (next === 0x5b) return endOfCsi(text, start + 2);
  if (STRING_INTRODUCERS.has(next)) return endOfString(text, start + 2);
  return endOfEscape(text, start + 1);
}

/** Parameters 0x30 to 0x3f, intermediates 0x20 to 0x2f, then one final character 0x40 to 0x7e. */
function endOfCsi(text: string, start: number): number {
  let index = skipWhile(text, start, 0x30, 0x3f);
  index = skipWhile(text, index, 0x20, 0x2f);
  return isBetween(text.charCodeAt(index), 0x40, 0x7e) ? index + 1 : index;
}

/** Intermediates, then one final character 0x30 to 0x7e. */
function endOfEscape(text: string, start: number): number {
  const index = skipWhile(text, start, 0x20, 0x2f);
  return isBetween(text.charCodeAt(index), 0x30, 0x7e) ? index + 1 : index;
}

/** Up to its terminator. One that has none is taken to end with its line, so that it hides nothing but that. */
function endOfString(text: string, start: number): number {
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === NEWLINE) return index;
    if (code === BELL || code === C1_ST || code === CANCEL || code === SUBSTITUTE) return index + 1;
    if (code === ESCAPE) return text[index + 1] === '\\' ? index + 2 : index;
  }
  return text.length;
}

function skipWhile(text: string, start: number, from: number, to: number): number {
  let index = start;
  while (isBetween(text.charCodeAt(index), from, to)) index += 1;
  return index;
}

function isBetween(code: number, from: number, to: number): boolean {
  return code >= from && code <= to;
}

function lastStates(text: string): string {
  if (!text.includes('\r')) return text;
  return text.replaceAll('\r\n', '\n').split('\n').map(lastState).join('\n');
}

function lastState(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((state) => state !== '') ?? '';
}

function withoutBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character !== '\b') kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}
