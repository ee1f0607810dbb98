import { fail, type Result } from '../../../kernel/errors/index.ts';
import { charactersOf, findAll, itemsOf, type Occurrences } from './find-all.ts';
import { similarLine } from './similar-line.ts';
import { usualEnding } from './text-lines.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  /** Whether every place is meant, and not the only one. */
  readonly replaceAll: boolean;
}

export interface ReplacedText {
  readonly text: string;
  /** Places that were replaced. */
  readonly count: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export type ReplaceErrorCode = 'no_change' | 'not_found' | 'ambiguous';

/** How many places are named when there are several. */
const MAX_NAMED = 8;

const COPY_EXACTLY = 'Read the file and copy the text exactly, white space included.';

/**
 * Replaces the one place where `oldText` (not empty) stands, or every place.
 *
 * Texts with `\n` also fit files with `\r\n`, and what is put in gets the line endings of its surroundings. Everything
 * else must be the same to the character. Takes time in proportion to the lengths of the texts.
 *
 * @param path for messages.
 */
export function replaceText(
  text: string,
  replacement: Replacement,
  path: string,
): Result<ReplacedText, ReplaceErrorCode> {
  const { oldText, newText, replaceAll } = replacement;
  if (oldText === newText) {
    return fail(
      'no_change',
      'old_string and new_string are the same.',
      'Give the text as it is to become in new_string.',
    );
  }
  for (const [wanted, replaced] of variantsOf(text, oldText, newText)) {
    const places = findAll(charactersOf(text), charactersOf(wanted));
    if (places.count === 0) continue;
    if (!replaceAll && (places.count > 1 || places.overlap)) return ambiguous(text, places, path);
    const { added, removed } = changedLines(wanted, replaced);
    return {
      ok: true,
      value: {
        text: rebuild(text, places.positions, wanted.length, replaced),
        count: places.count,
        linesAdded: added * places.count,
        linesRemoved: removed * places.count,
      },
    };
  }
  return notFound(text, oldText, path);
}

/** What to look for and what to put there: as given, and with the other line endings. */
function variantsOf(text: string, oldText: string, newText: string): readonly (readonly [string, string])[] {
  const isWindows = usualEnding(text) === '\r\n';
  const isForUnixLines = oldText.includes('\n') && !oldText.includes('\r\n');
  return [
    [oldText, isWindows && !isForUnixLines ? toWindows(newText) : newText],
    [toWindows(oldText), toWindows(newText)],
    [toUnix(oldText), toUnix(newText)],
  ];
}

function toUnix(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function toWindows(text: string): string {
  return toUnix(text).replaceAll('\n', '\r\n');
}

function rebuild(text: string, positions: readonly number[], length: number, replaced: string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const position of positions) {
    pieces.push(text.slice(end, position), replaced);
    end = position + length;
  }
  pieces.push(text.slice(end));
  return pieces.join('');
}

/** Lines that differ, beyond those that both texts begin and end with. */
function changedLines(before: string, after: string): { readonly added: number; readonly removed: number } {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let same = 0;
  while (same < shorter && old[same] === now[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && old.at(-1 - sameAtEnd) === now.at(-1 - sameAtEnd)) sameAtEnd += 1;
  return { added: now.length - same - sameAtEnd, removed: old.length - same - sameAtEnd };
}

function ambiguous(
  text: string,
  { positions, count, overlap }: Occurrences,
  path: string,
): Result<never, 'ambiguous'> {
  const lines = lineNumbersOf(text, positions.slice(0, MAX_NAMED));
  const named = [...new Set(lines)].map(String).join(', ');
  const more = count > MAX_NAMED ? `, …` : '';
  const times = overlap ? `${String(count)} times and more, overlapping` : `${String(count)} times`;
  return fail(
    'ambiguous',
    `old_string is in ${path} ${times}: at lines ${named}${more}.`,
    'Add lines around it until it is there once, or set replace_all to true.',
  );
}

/** From 1, for positions in ascending order. */
function lineNumbersOf(text: string, positions: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return positions.map((position) => {
    while (next >= 0 && next < position) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  });
}

function notFound(text: string, oldText: string, path: string): Result<never, 'not_found'> {
  const what = `old_string is not in ${path}`;
  const lines = text.split(/\r?\n/);
  const wanted = withoutBlankEdges(toUnix(oldText).split('\n'));
  const [first] = wanted;
  if (first === undefined) return fail('not_found', `${what}.`, COPY_EXACTLY);
  const trimmed = findAll(itemsOf(lines.map(trim)), itemsOf(wanted.map(trim))).positions[0];
  if (trimmed !== undefined) {
    const found = JSON.stringify((lines[trimmed] ?? '').slice(0, 120));
    return fail(
      'not_found',
      `${what}, but at line ${String(trimmed + 1)} it is with other white space: ${found}.`,
      COPY_EXACTLY,
    );
  }
  const similar = similarLine(lines, first);
  if (similar === undefined) return fail('not_found', `${what}, nor anything like it.`, COPY_EXACTLY);
  const alike = JSON.stringify(similar.text.slice(0, 120));
  return fail(
    'not_found',
    `${what}. Most like its beginning is line ${String(similar.line)}: ${alike}.`,
    COPY_EXACTLY,
  );
}

function trim(line: string): string {
  return line.trim();
}

function withoutBlankEdges(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}
