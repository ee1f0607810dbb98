/** One line of a file. Only the last one can have no ending. */
export interface TextLine {
  readonly text: string;
  readonly ending: '' | '\n' | '\r\n';
}

/** The lines of a text; a lone `\r` is part of its line. An empty text has none. */
export function splitLines(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    if (newline < 0) {
      lines.push({ text: text.slice(start), ending: '' });
      break;
    }
    const isWindows = newline > start && text[newline - 1] === '\r';
    lines.push({
      text: text.slice(start, isWindows ? newline - 1 : newline),
      ending: isWindows ? '\r\n' : '\n',
    });
    start = newline + 1;
  }
  return lines;
}

/** The inverse of {@link splitLines}. */
export function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text, ending }) => text + ending).join('');
}

/** The line ending most lines of a text have: `\n` where there is none, or a tie. */
export function usualEnding(text: string): '\n' | '\r\n' {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text[at - 1] === '\r') windows += 1;
  }
  return windows * 2 > all ? '\r\n' : '\n';
}

/** How many lines a text has; a newline at its end begins no further one. */
export function countLines(text: string): number {
  return text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
}
