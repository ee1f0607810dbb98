/** A fenced block of code. */
export interface CodeBlock {
  /** Empty when none is named. */
  readonly language: string;
  readonly text: string;
}

/** What the tests look at of a page in Markdown. */
export interface Page {
  readonly blocks: readonly CodeBlock[];
  /** The text of every `code span`, outside of blocks. */
  readonly spans: readonly string[];
  /** Where links lead, as written. */
  readonly links: readonly string[];
  /** What a link to a heading says after `#`. */
  readonly anchors: readonly string[];
  /** Tables, their heads left out: rows of cells. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

const FENCE = /^```(\S*)\n([^]*?)^```$/gm;
const SPAN = /(?<!`)`([^`\n]+)`(?!`)/g;

/** Reads the part of Markdown that our pages use. */
export function readPage(markdown: string): Page {
  const prose = markdown.replaceAll(FENCE, '');
  const withoutCode = prose.replaceAll(SPAN, 'code');
  return {
    blocks: [...markdown.matchAll(FENCE)].map(([, language = '', text = '']) => ({ language, text })),
    spans: [...prose.matchAll(SPAN)].map(([, text = '']) => text),
    links: [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    anchors: [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title)),
    tables: prose
      .split(/\n{2,}/)
      .filter((part) => part.startsWith('|'))
      .map((part) => part.trim().split('\n').slice(2).map(cellsOf)),
  };
}

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
