import { type Failure, fail, type Result } from '../../../kernel/errors/index.ts';

/** One line of a hunk, without its sign. */
export interface HunkLine {
  readonly kind: 'context' | 'remove' | 'add';
  readonly text: string;
}

/** One place of a file and what becomes of it. */
export interface Hunk {
  /** Where it stands in the patch, from 1. */
  readonly patchLine: number;
  /** The texts after `@@`: lines to find, one after the other, before the hunk is looked for. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Whether `*** End of File` says that the hunk ends where the file does. */
  readonly isAtEnd: boolean;
}

/** What a patch does to one file. */
export type FileSection =
  | {
      readonly type: 'add';
      readonly path: string;
      readonly patchLine: number;
      readonly lines: readonly string[];
    }
  | { readonly type: 'delete'; readonly path: string; readonly patchLine: number }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly patchLine: number;
      readonly moveTo?: string;
      readonly hunks: readonly Hunk[];
    };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const FILE_HEADER = /^\*\*\* (Add|Update|Delete) File:(.*)$/;
const MOVE_HEADER = /^\*\*\* Move to:(.*)$/;

/** `@@ -12,3 +12,4 @@ text`, the header of a unified diff. Its numbers are not used: they are rarely right. */
const UNIFIED_HEADER = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

const REMEDIES = {
  envelope: `A patch begins with "${BEGIN}" and ends with "${END}", each on a line of its own.`,
  section: 'Begin each file with "*** Update File: path", "*** Add File: path" or "*** Delete File: path".',
  hunkLine: 'Begin each line with a space (kept), "-" (removed) or "+" (added); "@@ text" leads to a place.',
  addLine: 'Begin each line of a new file with "+".',
  path: 'Name the file after the colon.',
} as const;

/**
 * Reads a patch in the V4A format:
 *
 * ```
 * *** Begin Patch
 * *** Update File: src/greet.ts
 * *** Move to: src/greeting.ts
 * @@ export function greet
 *    const name = ask();
 * -  print(name);
 * +  print(`hello ${name}`);
 * *** Add File: notes.txt
 * +first line
 * *** Delete File: old.txt
 * *** End Patch
 * ```
 *
 * `Move to` is optional. A hunk is introduced by one or more `@@` lines, which the first hunk of a file can do without;
 * `*** End of File` ties it to the end. An empty line in a hunk is an empty line of the file. On failure the message
 * names the line of the patch, from 1.
 */
export function parseV4a(patch: string): Result<readonly FileSection[], 'bad_patch'> {
  return new PatchReader(patch).read();
}

/**
 * All files a patch names, those it moves files to included, in order. Works on a patch that cannot be read as a whole
 * too, so that a guard sees every path the patch could be about.
 */
export function pathsOfV4a(patch: string): readonly string[] {
  const paths = linesOf(patch).flatMap((line) => {
    const path = (FILE_HEADER.exec(line)?.[2] ?? MOVE_HEADER.exec(line)?.[1])?.trim();
    return path === undefined || path === '' ? [] : [path];
  });
  return [...new Set(paths)];
}

function linesOf(patch: string): readonly string[] {
  return patch.split(/\r?\n/);
}

/** Carries the failure out of the reader's depth; caught in {@link PatchReader.read}. */
class Unreadable extends Error {
  readonly failure: Failure<'bad_patch'>;

  constructor(line: number, what: string, remedy: string) {
    super(what);
    this.failure = fail('bad_patch', `The patch cannot be read: line ${String(line)}: ${what}.`, remedy);
  }
}

class PatchReader {
  readonly #lines: readonly string[];
  /** For every line, where the first line from there on is that is not empty. */
  readonly #nextFilled: Int32Array;
  #index = 0;

  constructor(patch: string) {
    this.#lines = linesOf(patch);
    this.#nextFilled = Int32Array.from(this.#lines.keys());
    for (let index = this.#lines.length - 1; index >= 0; index -= 1) {
      if (this.#lines[index] === '') this.#nextFilled[index] = this.#nextFilled[index + 1] ?? index + 1;
    }
  }

  read(): Result<readonly FileSection[], 'bad_patch'> {
    try {
      this.#skipBlankLines();
      this.#readBegin();
      const sections: FileSection[] = [];
      for (this.#skipBlankLines(); !this.#isAt(END); this.#skipBlankLines())
        sections.push(this.#readSection());
      if (sections.length === 0) throw this.#unreadable('the patch holds no file', REMEDIES.section);
      this.#index += 1;
      this.#skipBlankLines();
      if (this.#index < this.#lines.length) throw this.#unreadable(`text after "${END}"`, REMEDIES.envelope);
      return { ok: true, value: sections };
    } catch (error) {
      if (error instanceof Unreadable) return error.failure;
      throw error;
    }
  }

  #readBegin(): void {
    if (!this.#isAt(BEGIN)) throw this.#unexpected(`"${BEGIN}"`, REMEDIES.envelope);
    this.#index += 1;
  }

  #readSection(): FileSection {
    const [, kind, rest] = FILE_HEADER.exec(this.#current ?? '') ?? [];
    if (kind === undefined || rest === undefined) {
      throw this.#unexpected(
        'the header of a file',
        this.#current === undefined ? REMEDIES.envelope : REMEDIES.section,
      );
    }
    const patchLine = this.#index + 1;
    const path = this.#pathIn(rest);
    this.#index += 1;
    switch (kind) {
      case 'Add':
        return { type: 'add', path, patchLine, lines: this.#readAddedLines() };
      case 'Delete':
        return { type: 'delete', path, patchLine };
      default:
        return this.#readUpdate(path, patchLine);
    }
  }

  #readAddedLines(): readonly string[] {
    const lines: string[] = [];
    for (let line = this.#current; line !== undefined && !isHeader(line); line = this.#current) {
      if (this.#areBlankUntilHeader()) break;
      if (!line.startsWith('+')) throw this.#unexpected('a line of the new file', REMEDIES.addLine);
      lines.push(line.slice(1));
      this.#index += 1;
    }
    return lines;
  }

  #readUpdate(path: string, patchLine: number): FileSection {
    const move = MOVE_HEADER.exec(this.#current ?? '')?.[1];
    const moveTo = move === undefined ? undefined : this.#pathIn(move);
    if (moveTo !== undefined) this.#index += 1;
    const hunks: Hunk[] = [];
    for (this.#skipSpacing(); !this.#isAtSectionEnd(); this.#skipSpacing()) hunks.push(this.#readHunk());
    if (hunks.length === 0 && moveTo === undefined) {
      throw new Unreadable(patchLine, `nothing is changed in ${JSON.stringify(path)}`, REMEDIES.hunkLine);
    }
    return { type: 'update', path, patchLine, hunks, ...(moveTo === undefined ? {} : { moveTo }) };
  }

  #readHunk(): Hunk {
    const patchLine = this.#index + 1;
    const anchors = this.#readAnchors();
    const lines: HunkLine[] = [];
    for (let line = this.#current; isHunkLine(line) && !this.#areBlankUntilHeader(); line = this.#current) {
      lines.push(hunkLineOf(line));
      this.#index += 1;
    }
    const isAtEnd = this.#isAt(END_OF_FILE);
    if (isAtEnd) this.#index += 1;
    if (!isAtEnd && !endsHunk(this.#current) && !this.#areBlankUntilHeader())
      throw this.#unexpected('a line of the hunk', REMEDIES.hunkLine);
    if (lines.every(({ kind }) => kind === 'context')) {
      throw new Unreadable(patchLine, 'the hunk changes nothing', REMEDIES.hunkLine);
    }
    return { patchLine, anchors, lines, isAtEnd };
  }

  #readAnchors(): readonly string[] {
    const anchors: string[] = [];
    for (let line = this.#current; line?.startsWith('@@') === true; line = this.#current) {
      const anchor = UNIFIED_HEADER.test(line) ? '' : line.slice(2).replace(/^ /, '');
      if (anchor.trim() !== '') anchors.push(anchor);
      this.#index += 1;
    }
    return anchors;
  }

  #pathIn(text: string): string {
    const path = text.trim();
    if (path === '') throw this.#unreadable('no file is named', REMEDIES.path);
    return path;
  }

  #skipBlankLines(): void {
    while (this.#current?.trim() === '') this.#index += 1;
  }

  /** Empty lines before the header of a file, a hunk or the end are there for the eye. */
  #areBlankUntilHeader(): boolean {
    const next = this.#nextFilled[this.#index] ?? this.#index;
    return next > this.#index && endsHunk(this.#lines[next]);
  }

  #skipSpacing(): void {
    if (this.#areBlankUntilHeader()) this.#index = this.#nextFilled[this.#index] ?? this.#index;
  }

  #isAtSectionEnd(): boolean {
    return this.#current === undefined || isHeader(this.#current);
  }

  get #current(): string | undefined {
    return this.#lines[this.#index];
  }

  #isAt(marker: string): boolean {
    return this.#current?.trimEnd() === marker;
  }

  #unexpected(wanted: string, remedy: string): Unreadable {
    const line = this.#current;
    const found = line === undefined ? 'the end of the patch' : JSON.stringify(line.slice(0, 80));
    return this.#unreadable(`${wanted} is missing, found ${found}`, remedy);
  }

  #unreadable(what: string, remedy: string): Unreadable {
    return new Unreadable(Math.min(this.#index + 1, this.#lines.length), what, remedy);
  }
}

function isHeader(line: string): boolean {
  return line.startsWith('*** ') && line.trimEnd() !== END_OF_FILE;
}

function isHunkLine(line: string | undefined): line is string {
  return line === '' || (line !== undefined && /^[ +-]/.test(line));
}

/** What can follow the lines of a hunk: the next hunk, the next file, or the end. */
function endsHunk(line: string | undefined): boolean {
  return line === undefined || line.startsWith('@@') || isHeader(line);
}

function hunkLineOf(line: string): HunkLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'add', text };
  return line.startsWith('-') ? { kind: 'remove', text } : { kind: 'context', text };
}
