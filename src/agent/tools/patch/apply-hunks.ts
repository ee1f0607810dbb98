import { fail, type Result } from '../../../kernel/errors/index.ts';
import { findAll, itemsOf, type Occurrences } from './find-all.ts';
import type { Hunk } from './parse-v4a.ts';
import { similarLine } from './similar-line.ts';
import { joinLines, splitLines, type TextLine, usualEnding } from './text-lines.ts';

export interface PatchedText {
  readonly text: string;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export type HunkErrorCode = 'not_found' | 'ambiguous';

const BYTE_ORDER_MARK = '\uFEFF';

/** How many places are named when there are several. */
const MAX_NAMED = 5;

/**
 * Applies the hunks of one file in their order, each after the place of the one before.
 *
 * The lines a hunk keeps and removes must stand in the file one below the other, exactly or but for white space at
 * their ends, and in one place only unless an `@@` line leads there (then the first place after it counts). Lines that
 * are kept stay byte for byte what they were. Added lines get the line ending the file mostly has; whether the file
 * ends with a newline does not change.
 *
 * @param path for messages.
 */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  path: string,
): Result<PatchedText, HunkErrorCode> {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const file = splitLines(text.slice(mark.length));
  const ending = usualEnding(text);
  const patched: TextLine[] = [];
  let position = 0;
  let linesAdded = 0;
  let linesRemoved = 0;
  for (const hunk of hunks) {
    const place = findPlace(file, hunk, position, path);
    if (!place.ok) return place;
    append(patched, file.slice(position, place.value));
    position = place.value;
    for (const line of hunk.lines) {
      const current = file[position];
      if (line.kind === 'add') {
        patched.push({ text: line.text, ending });
        linesAdded += 1;
        continue;
      }
      if (line.kind === 'context' && current !== undefined) patched.push(current);
      if (line.kind === 'remove') linesRemoved += 1;
      position += 1;
    }
  }
  append(patched, file.slice(position));
  const endsWithNewline = file.length === 0 || text.endsWith('\n');
  const result = joinLines(withLastEnding(patched, endsWithNewline, ending));
  return { ok: true, value: { text: mark + result, linesAdded, linesRemoved } };
}

/** Not `push(...lines)`: a file can have more lines than a call takes arguments. */
function append(lines: TextLine[], more: readonly TextLine[]): void {
  for (const line of more) lines.push(line);
}

/** Gives every line an ending, but the last one none where the file is to end without. */
function withLastEnding(
  lines: readonly TextLine[],
  endsWithNewline: boolean,
  ending: '\n' | '\r\n',
): readonly TextLine[] {
  return lines.map((line, index) => {
    if (index === lines.length - 1 && !endsWithNewline) return { ...line, ending: '' };
    return line.ending === '' ? { ...line, ending } : line;
  });
}

/** The index of the line a hunk begins at. */
function findPlace(
  file: readonly TextLine[],
  hunk: Hunk,
  from: number,
  path: string,
): Result<number, HunkErrorCode> {
  const start = findAnchors(file, hunk, from, path);
  if (!start.ok) return start;
  const wanted = hunk.lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
  if (wanted.length === 0) return insertionPlace(file, hunk, start.value, path);
  for (const normalise of [asIs, withoutTrailingSpace]) {
    const places = placesOf(file, { wanted, from: start.value, isAtEnd: hunk.isAtEnd }, normalise);
    const [first] = places.positions;
    if (first === undefined) continue;
    const isAmbiguous = places.count > 1 || places.overlap;
    if (isAmbiguous && hunk.anchors.length === 0) return ambiguous(hunk, places, path);
    return { ok: true, value: first };
  }
  return notFound(file, { hunk, wanted, from: start.value, path });
}

interface Wanted {
  readonly wanted: readonly string[];
  readonly from: number;
  readonly isAtEnd: boolean;
}

function placesOf(
  file: readonly TextLine[],
  { wanted, from, isAtEnd }: Wanted,
  normalise: (text: string) => string,
): Occurrences {
  const start = isAtEnd ? Math.max(from, file.length - wanted.length) : from;
  const lines = file.slice(start).map(({ text }) => normalise(text));
  const places = findAll(itemsOf(lines), itemsOf(wanted.map(normalise)));
  return { ...places, positions: places.positions.map((position) => position + start) };
}

function asIs(text: string): string {
  return text;
}

function withoutTrailingSpace(text: string): string {
  return text.trimEnd();
}

/** The line after the last anchor. */
function findAnchors(
  file: readonly TextLine[],
  hunk: Hunk,
  from: number,
  path: string,
): Result<number, HunkErrorCode> {
  let position = from;
  for (const anchor of hunk.anchors) {
    const found = findAnchor(file, anchor, position);
    if (found < 0) {
      const similar = similarLine(
        file.map(({ text }) => text),
        anchor,
      );
      return fail(
        'not_found',
        `${at(hunk, path)}: the line "@@ ${anchor.slice(0, 120)}" is not in the file after line ${String(position)}.`,
        similar === undefined
          ? 'Read the file and copy the line from it.'
          : `Most alike is ${quote(similar)}.`,
      );
    }
    position = found + 1;
  }
  return { ok: true, value: position };
}

/** A line that is the anchor, else one that is but for white space around it, else one that contains it. */
function findAnchor(file: readonly TextLine[], anchor: string, from: number): number {
  const trimmed = anchor.trim();
  const tests: readonly ((text: string) => boolean)[] = [
    (text) => text === anchor,
    (text) => text.trim() === trimmed,
    (text) => text.includes(trimmed),
  ];
  for (const test of tests) {
    const found = file.findIndex(({ text }, index) => index >= from && test(text));
    if (found >= 0) return found;
  }
  return -1;
}

function insertionPlace(
  file: readonly TextLine[],
  hunk: Hunk,
  from: number,
  path: string,
): Result<number, HunkErrorCode> {
  if (hunk.isAtEnd || file.length === 0) return { ok: true, value: file.length };
  if (hunk.anchors.length > 0) return { ok: true, value: from };
  return fail(
    'ambiguous',
    `${at(hunk, path)} only adds lines and does not say where.`,
    'Add a line of the file before or after them, an "@@ line of the file" before them, or "*** End of File" after them.',
  );
}

function ambiguous(hunk: Hunk, places: Occurrences, path: string): Result<number, HunkErrorCode> {
  return fail(
    'ambiguous',
    `${at(hunk, path)} fits in several places: ${describePlaces(places)}.`,
    'Add more lines of the file around the change, or an "@@ line of the file" before it.',
  );
}

function describePlaces({ positions, overlap }: Occurrences): string {
  const named = positions.slice(0, MAX_NAMED).map((place) => String(place + 1));
  const more = positions.length > MAX_NAMED ? ` and ${String(positions.length - MAX_NAMED)} more` : '';
  const overlapping = overlap ? ', and overlapping' : '';
  return `from line ${named.join(', ')}${more}${overlapping}`;
}

interface Missing {
  readonly hunk: Hunk;
  readonly wanted: readonly string[];
  readonly from: number;
  readonly path: string;
}

function notFound(
  file: readonly TextLine[],
  { hunk, wanted, from, path }: Missing,
): Result<number, HunkErrorCode> {
  const what = `${at(hunk, path)} does not fit: its lines are not in the file${from > 0 ? ` after line ${String(from)}` : ''}`;
  const anywhere: Wanted = { wanted, from: 0, isAtEnd: false };
  if (
    hunk.isAtEnd &&
    placesOf(file, anywhere, withoutTrailingSpace).positions.some((place) => place >= from)
  ) {
    return fail(
      'not_found',
      `${what.slice(0, what.indexOf(':'))}: its lines are not where the file ends.`,
      'Remove "*** End of File".',
    );
  }
  const earlier = from > 0 ? placesOf(file, anywhere, withoutTrailingSpace).positions[0] : undefined;
  if (earlier !== undefined) {
    return fail(
      'not_found',
      `${what}, but at line ${String(earlier + 1)}.`,
      'Give the hunks of a file in the order in which they come in it.',
    );
  }
  const [trimmed] = placesOf(file, anywhere, (text) => text.trim()).positions;
  if (trimmed !== undefined) {
    return fail(
      'not_found',
      `${what}; at line ${String(trimmed + 1)} they are, but indented otherwise.`,
      COPY_EXACTLY,
    );
  }
  const texts = file.map(({ text }) => text);
  const known = new Set(texts.map(withoutTrailingSpace));
  const missing = wanted.find((text) => !known.has(withoutTrailingSpace(text)));
  if (missing === undefined) {
    return fail(
      'not_found',
      `${what} one below the other.`,
      'Read the file: other lines stand between them.',
    );
  }
  const similar = similarLine(texts, missing);
  const alike = similar === undefined ? '' : ` Most alike is ${quote(similar)}.`;
  return fail(
    'not_found',
    `${what}. No line is ${JSON.stringify(missing.slice(0, 120))}.${alike}`,
    COPY_EXACTLY,
  );
}

const COPY_EXACTLY = 'Read the file and copy its lines exactly.';

function quote({ line, text }: { readonly line: number; readonly text: string }): string {
  return `line ${String(line)}: ${JSON.stringify(text.slice(0, 120))}`;
}

function at(hunk: Hunk, path: string): string {
  return `The hunk at line ${String(hunk.patchLine)} of the patch, for ${path},`;
}
