/** Characters of one line that are shown. */
const MAX_LINE_LENGTH = 2000;
/** Characters of one answer. */
const MAX_SHOWN_LENGTH = 100_000;

const NUMBER_WIDTH = 6;

export interface NumberedLines {
  /** `     1|text`, one below the other. */
  readonly text: string;
  /** Number of the first line that is not shown; one more than there are lines when all are. */
  readonly next: number;
  /** Lines of which only the beginning is shown. */
  readonly shortened: number;
}

/**
 * Numbers the lines from `offset` on (from 1), `limit` at most, and fewer when they would be longer than
 * {@link MAX_SHOWN_LENGTH} together.
 */
export function numberLines(lines: readonly string[], offset: number, limit: number): NumberedLines {
  const shown: string[] = [];
  let length = 0;
  let shortened = 0;
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const isLong = line.length > MAX_LINE_LENGTH;
    const text = isLong ? beginningOf(line) : line;
    const numbered = `${String(offset + index).padStart(NUMBER_WIDTH)}|${text}`;
    if (shown.length > 0 && length + numbered.length > MAX_SHOWN_LENGTH) break;
    shown.push(numbered);
    length += numbered.length + 1;
    if (isLong) shortened += 1;
  }
  return { text: shown.join('\n'), next: offset + shown.length, shortened };
}

function beginningOf(line: string): string {
  const rest = line.length - MAX_LINE_LENGTH;
  return `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()} [… ${String(rest)} more characters]`;
}
