/** How parts of a conversation look. With colours off every function gives its text back. */
export interface ChatTheme {
  readonly accent: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

export function createTheme(colours: boolean): ChatTheme {
  const style = (open: number, close: number) => (text: string) =>
    colours && text !== '' ? `\u001b[${String(open)}m${text}\u001b[${String(close)}m` : text;
  return {
    accent: style(36, 39),
    dim: style(2, 22),
    bold: style(1, 22),
    italic: style(3, 23),
    underline: style(4, 24),
    good: style(32, 39),
    warn: style(33, 39),
    bad: style(31, 39),
  };
}
