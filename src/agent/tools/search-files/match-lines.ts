/** Characters of a line that are searched. */
const MAX_SEARCHED_LENGTH = 10_000;
/** Characters of a line that are shown. */
const MAX_SHOWN_LENGTH = 400;

export interface MatchedLine {
  /** From 0. */
  readonly index: number;
  /** Where in the line the match begins. */
  readonly column: number;
}

export interface LineMatches {
  readonly matches: readonly MatchedLine[];
  /** Whether a line was searched in its first {@link MAX_SEARCHED_LENGTH} characters only. */
  readonly isCut: boolean;
}

/** The lines that match, one by one; the first alone when that is enough. */
export function matchLines(lines: readonly string[], pattern: RegExp, firstOnly: boolean): LineMatches {
  const matches: MatchedLine[] = [];
  let isCut = false;
  for (const [index, line] of lines.entries()) {
    const isLong = line.length > MAX_SEARCHED_LENGTH;
    if (isLong) isCut = true;
    const match = pattern.exec(isLong ? line.slice(0, MAX_SEARCHED_LENGTH) : line);
    if (match === null) continue;
    matches.push({ index, column: match.index });
    if (firstOnly) break;
  }
  return { matches, isCut };
}

/** The line, or the part of a long one around a column. */
export function excerpt(line: string, column: number): string {
  if (line.length <= MAX_SHOWN_LENGTH) return line;
  const start = Math.max(0, Math.min(column - MAX_SHOWN_LENGTH / 4, line.length - MAX_SHOWN_LENGTH));
  const end = start + MAX_SHOWN_LENGTH;
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
}
