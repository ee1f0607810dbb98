import { fail, type Result } from '../../../kernel/errors/index.ts';
import { looksBinary, readFileBytes } from '../../../platform/files/index.ts';
import type { RunLimited } from '../../../platform/run-limited/index.ts';
import { excerpt, type MatchedLine, matchLines } from './match-lines.ts';
import type { ResultPage } from './result-page.ts';

export type OutputMode = 'content' | 'files_only' | 'count';

export interface ContentQuery {
  readonly pattern: RegExp;
  readonly mode: OutputMode;
  /** Lines shown before and after each match. */
  readonly context: number;
  readonly page: ResultPage;
  readonly runLimited: RunLimited;
  readonly signal: AbortSignal;
}

/** What was searched and what was not. */
export interface SearchTally {
  files: number;
  matches: number;
  filesWithMatches: number;
  binary: number;
  tooLarge: number;
  unreadable: number;
  /** Files with lines that were searched in part. */
  withLongLines: number;
}

const MAX_SEARCHED_BYTES = 16 * 1024 * 1024;

/** How long one file may take. A good pattern takes a fraction of it for the largest file. */
const FILE_LIMIT_MS = 2000;

/**
 * Searches one file and adds what it finds to the page and the tally. Fails when the pattern takes too long: another file
 * would take it as long again.
 *
 * @param file.shown its path as it is listed.
 */
export async function searchContent(
  file: { readonly path: string; readonly shown: string },
  query: ContentQuery,
  tally: SearchTally,
): Promise<Result<undefined>> {
  const read = await readFileBytes(file.path, { maxBytes: MAX_SEARCHED_BYTES, signal: query.signal });
  if (!read.ok) {
    if (read.code === 'too_large') tally.tooLarge += 1;
    else tally.unreadable += 1;
    return { ok: true, value: undefined };
  }
  if (looksBinary(read.value.bytes)) {
    tally.binary += 1;
    return { ok: true, value: undefined };
  }
  tally.files += 1;
  const lines = linesOf(read.value.bytes.toString('utf8'));
  const found = query.runLimited(FILE_LIMIT_MS, () =>
    matchLines(lines, query.pattern, query.mode === 'files_only'),
  );
  if (!found.inTime) return tooSlow(query.pattern, file.shown);
  const { matches, isCut } = found.value;
  if (isCut) tally.withLongLines += 1;
  if (matches.length === 0) return { ok: true, value: undefined };
  tally.matches += matches.length;
  tally.filesWithMatches += 1;
  addToPage(file.shown, lines, matches, query);
  return { ok: true, value: undefined };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function tooSlow(pattern: RegExp, shown: string): Result<never> {
  return fail(
    'pattern_too_slow',
    `The pattern ${pattern.source.slice(0, 200)} took longer than ${String(FILE_LIMIT_MS / 1000)} s on ${shown} and was stopped.`,
    'Write it without a repetition inside a repetition, such as a+ instead of (a+)+.',
  );
}

function addToPage(
  shown: string,
  lines: readonly string[],
  matches: readonly MatchedLine[],
  query: ContentQuery,
): void {
  const { mode, page, context } = query;
  if (mode === 'content') {
    const block = new FileBlock(shown, lines, matches);
    for (const match of matches) {
      if (page.take()) page.show(block.render(match, context));
    }
  } else if (page.take()) {
    page.show(mode === 'count' ? `${shown}: ${String(matches.length)}` : shown);
  }
}

/** The lines of one file as they are listed: each once, `:` marks those that match and `-` those around them. */
class FileBlock {
  readonly #shown: string;
  readonly #lines: readonly string[];
  readonly #columns: ReadonlyMap<number, number>;
  #next = 0;

  constructor(shown: string, lines: readonly string[], matches: readonly MatchedLine[]) {
    this.#shown = shown;
    this.#lines = lines;
    this.#columns = new Map(matches.map(({ index, column }) => [index, column]));
  }

  render({ index }: MatchedLine, context: number): string {
    const from = Math.max(this.#next, index - context);
    const to = Math.min(this.#lines.length - 1, index + context);
    const listed = this.#lines.slice(from, to + 1).map((line, at) => this.#list(line, from + at));
    const isApart = context > 0 && this.#next > 0 && from > this.#next;
    this.#next = Math.max(this.#next, to + 1);
    return (isApart ? ['--', ...listed] : listed).join('\n');
  }

  #list(line: string, index: number): string {
    const column = this.#columns.get(index);
    const mark = column === undefined ? '-' : ':';
    return `${this.#shown}${mark}${String(index + 1)}${mark}${excerpt(line, column ?? 0)}`;
  }
}
