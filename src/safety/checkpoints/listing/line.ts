/** A piece of a line and what it is, for whoever colours it. */
export interface Span {
  readonly text: string;
  readonly role:
    | 'plain'
    | 'heading'
    | 'number'
    | 'id'
    | 'time'
    | 'reason'
    | 'change'
    | 'holes'
    | 'hint'
    | 'header'
    | 'hunk'
    | 'added'
    | 'removed';
}

/** One line for a terminal, without its end. */
export type Line = readonly Span[];

/** The text of a line, without its end. */
export function lineText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** A piece of a line. */
export function span(role: Span['role'], text: string): Span {
  return { role, text };
}
