import { basename, join, relative } from 'node:path';
import type { Tool, ToolOutcome, ToolRun } from '../../../gate/index.ts';
import { fail, type Result } from '../../../kernel/errors/index.ts';
import type { PathMatcher } from '../../../kernel/gitignore/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { realPath } from '../../../platform/files/index.ts';
import { isInside } from '../../../platform/paths/index.ts';
import { createLimitedRunner } from '../../../platform/run-limited/index.ts';
import { numberArgument, textArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { toDisplayed } from '../files/displayed-path.ts';
import { locateExisting, type PathBase } from '../files/locate-file.ts';
import { cancelled, failed, succeeded } from '../outcomes.ts';
import { compilePattern } from './compile-pattern.ts';
import { compileFileFilter } from './file-filter.ts';
import { ResultPage } from './result-page.ts';
import { type ContentQuery, type OutputMode, type SearchTally, searchContent } from './search-content.ts';
import { type WalkStep, walkFiles } from './walk-files.ts';

/** What `search_files` is given. */
export interface SearchFilesPorts {
  /** What `~` stands for; absolute. */
  readonly home: string;
  readonly clock: Clock;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const MAX_CONTEXT = 20;
const TIME_LIMIT_MS = 30_000;

/**
 * `search_files`: files by name (`target` "files", the pattern is a glob) or by content (the pattern is a regular expression
 * of JavaScript, tried line by line).
 *
 * What git ignores (`.gitignore` at every level, `.git/info/exclude`), `.git` itself and binary files are left out; links
 * are named but not followed. The order is that of the names. The last line, in brackets, counts everything, also what is
 * not shown or could not be searched. A pattern that takes too long, and a search of more than 30 s, are stopped.
 *
 * Paths are relative to the working directory where they are below it. One that does not fit on a line, or is no UTF-8, has
 * escapes in it, which `read_file` understands.
 */
export function createSearchFilesTool(ports: SearchFilesPorts): Tool {
  return defineTool(
    {
      name: 'search_files',
      description:
        'Find files by content (regular expression, line by line) or, with target "files", by name (glob). Leaves out what git ignores and binary files.',
      parameters: {
        type: 'object',
        properties: {
          pattern: {
            type: 'string',
            description:
              'Target content: a regular expression, (?i) at its beginning ignores case. Target files: a glob such as *.ts or src/**/index.*',
          },
          target: { type: 'string', enum: ['content', 'files'], description: '"content" when absent.' },
          path: {
            type: 'string',
            description: 'Folder or file to search; the working directory when absent.',
          },
          file_glob: {
            type: 'string',
            description: 'Target content: only files that fit, such as *.{ts,tsx}',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `Results shown; ${String(DEFAULT_LIMIT)} when absent.`,
          },
          offset: { type: 'integer', minimum: 0, description: 'Results skipped; 0 when absent.' },
          output_mode: {
            type: 'string',
            enum: ['content', 'files_only', 'count'],
            description: 'Target content: lines ("content", when absent), paths, or matches per file.',
          },
          context: {
            type: 'integer',
            minimum: 0,
            maximum: MAX_CONTEXT,
            description: 'Target content: lines shown before and after each match.',
          },
        },
        required: ['pattern'],
      },
      effect: 'none',
      idempotent: true,
      pathArguments: ['path'],
    },
    async ({ call }, run) => {
      const root = await locateRoot(textArgument(call.args, 'path', '.'), {
        cwd: call.cwd,
        home: ports.home,
      });
      if (!root.ok) return failed(root);
      const search = new Search(root.value, ports.clock, run);
      const isForNames = textArgument(call.args, 'target') === 'files';
      return isForNames ? search.names(call.args) : search.contents(call.args);
    },
  );
}

/** Where a search begins, and how what is found there is called. */
interface SearchRoot {
  /** Absolute, links followed. */
  readonly realPath: string;
  readonly isFolder: boolean;
  /** The path of something found (absolute) as it is listed. */
  readonly show: (path: string) => string;
}

async function locateRoot(given: string, base: PathBase): Promise<Result<SearchRoot>> {
  const located = await locateExisting(given, base);
  if (!located.ok) return located;
  const { path, stat } = located.value;
  const real = await realPath(path);
  if (!real.ok) return real;
  const show = (found: string): string => {
    const shown = join(path, relative(real.value, found));
    return toDisplayed(isInside(base.cwd, shown) ? relative(base.cwd, shown) : shown);
  };
  return { ok: true, value: { realPath: real.value, isFolder: stat.kind === 'directory', show } };
}

class Search {
  readonly #root: SearchRoot;
  readonly #clock: Clock;
  readonly #run: ToolRun;
  readonly #startedAt: number;
  #isOutOfTime = false;

  constructor(root: SearchRoot, clock: Clock, run: ToolRun) {
    this.#root = root;
    this.#clock = clock;
    this.#run = run;
    this.#startedAt = clock.monotonicMs();
  }

  async names(args: JsonObject): Promise<ToolOutcome> {
    const glob = textArgument(args, 'pattern');
    const fits = filterOf(glob);
    if (!fits.ok) return failed(fits);
    const page = pageOf(args);
    let unreadable = 0;
    for await (const step of this.#steps()) {
      if (step.type === 'unreadable') unreadable += 1;
      else if (fits.value(this.#relative(step.path)) && page.take()) page.show(this.#root.show(step.path));
    }
    if (this.#run.signal.aborted) return cancelled('The search was cancelled.');
    const notes = this.#notes([[unreadable, 'unreadable folders']]);
    if (page.total === 0)
      return succeeded(bracketed([`No file fits ${JSON.stringify(glob)}`, ...hintFor(glob), ...notes]));
    return succeeded(
      `${page.text}\n${bracketed([plural(page.total, 'file'), page.describe(), ...notes])}`.trimStart(),
    );
  }

  async contents(args: JsonObject): Promise<ToolOutcome> {
    const pattern = compilePattern(textArgument(args, 'pattern'));
    if (!pattern.ok) return failed(pattern);
    const fits = filterOf(textArgument(args, 'file_glob', '*'));
    if (!fits.ok) return failed(fits);
    const page = pageOf(args);
    const query: ContentQuery = {
      pattern: pattern.value,
      mode: outputModeOf(args),
      context: numberArgument(args, 'context', 0),
      page,
      runLimited: createLimitedRunner(),
      signal: this.#run.signal,
    };
    const tally = newTally();
    for await (const step of this.#steps()) {
      if (step.type === 'unreadable') tally.unreadable += 1;
      if (step.type === 'unreadable' || step.kind !== 'file' || !fits.value(this.#relative(step.path)))
        continue;
      const searched = await searchContent(
        { path: step.path, shown: this.#root.show(step.path) },
        query,
        tally,
      );
      if (!searched.ok) return failed(searched);
    }
    if (this.#run.signal.aborted) return cancelled('The search was cancelled.');
    return succeeded(this.#summarise(page, tally, query));
  }

  #summarise(page: ResultPage, tally: SearchTally, { mode, pattern }: ContentQuery): string {
    const notes = this.#notes([
      [tally.binary, 'binary files'],
      [tally.tooLarge, 'files over 16 MiB'],
      [tally.unreadable, 'unreadable files or folders'],
    ]);
    if (tally.withLongLines > 0) {
      notes.push(
        `in ${plural(tally.withLongLines, 'file')} lines over 10,000 characters were searched in part`,
      );
    }
    if (tally.matches === 0) {
      const searched = `No matches for ${pattern.source.slice(0, 200)} in ${plural(tally.files, 'file')}`;
      return bracketed([searched, ...notes]);
    }
    const files = plural(tally.filesWithMatches, 'file');
    const found = mode === 'files_only' ? files : `${plural(tally.matches, 'match', 'matches')} in ${files}`;
    return `${page.text}\n${bracketed([found, page.describe(), ...notes])}`.trimStart();
  }

  /** One step at least, so that a file that was named is searched. */
  async *#steps(): AsyncGenerator<WalkStep> {
    const { isFolder, realPath: path } = this.#root;
    if (isFolder) yield* walkFiles(path, () => this.#shouldStop());
    else yield { type: 'file', path, kind: 'file' };
  }

  #shouldStop(): boolean {
    this.#isOutOfTime ||= this.#clock.monotonicMs() - this.#startedAt > TIME_LIMIT_MS;
    return this.#isOutOfTime || this.#run.signal.aborted;
  }

  /** What a glob is held against. */
  #relative(path: string): string {
    return this.#root.isFolder ? relative(this.#root.realPath, path) : basename(path);
  }

  #notes(skipped: readonly (readonly [number, string])[]): string[] {
    const left = skipped.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
    return [
      ...(left.length > 0 ? [`not searched: ${left.join(', ')}`] : []),
      ...(this.#isOutOfTime
        ? [`stopped after ${String(TIME_LIMIT_MS / 1000)} s: there may be more, name a smaller folder`]
        : []),
    ];
  }
}

function filterOf(glob: string): Result<PathMatcher> {
  const filter = compileFileFilter(glob);
  if (filter !== undefined) return { ok: true, value: filter };
  const shown = JSON.stringify(glob.slice(0, 200));
  return fail(
    'bad_glob',
    `The glob ${shown} is too long or stands for too many globs.`,
    'Use fewer {a,b} groups.',
  );
}

function hintFor(glob: string): readonly string[] {
  return /[*?[{]/.test(glob)
    ? []
    : [`it is the whole name that must fit: try ${JSON.stringify(`*${glob}*`)}`];
}

function pageOf(args: JsonObject): ResultPage {
  return new ResultPage({
    offset: numberArgument(args, 'offset', 0),
    limit: numberArgument(args, 'limit', DEFAULT_LIMIT),
  });
}

function outputModeOf(args: JsonObject): OutputMode {
  const mode = textArgument(args, 'output_mode');
  return mode === 'files_only' || mode === 'count' ? mode : 'content';
}

function newTally(): SearchTally {
  return {
    files: 0,
    matches: 0,
    filesWithMatches: 0,
    binary: 0,
    tooLarge: 0,
    unreadable: 0,
    withLongLines: 0,
  };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

function bracketed(parts: readonly (string | undefined)[]): string {
  return `[${parts.filter((part) => part !== undefined).join('; ')}]`;
}
