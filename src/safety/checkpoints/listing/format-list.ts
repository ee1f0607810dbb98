import { printable } from '../../../kernel/tool-call/index.ts';
import type { Oid } from '../model/path-state.ts';
import { type Line, lineText, span } from './line.ts';

/** What a line of the list shows. */
export interface ShownEntry {
  readonly n: number;
  readonly id: Oid;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly reason: string;
  readonly files: number;
  readonly folders?: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly holes: number;
}

export interface ListFormat {
  /** What a person types to roll back: `/rollback`, `herma rollback`. */
  readonly command: string;
  /** Local time, as {@link localMinute} writes it. */
  readonly times: (ms: number) => string;
  /** Width of the terminal: reasons are cut to it. */
  readonly columns?: number;
  /** Columns a text takes; counts characters when absent. */
  readonly widthOf?: (text: string) => number;
}

const SHORTEST_ID = 7;
const SHORTEST_REASON = 10;
const HINT_WIDTH = 26;

/** The list of a project's checkpoints as a person sees it, with the hints below it. */
export function formatList(
  directory: string,
  entries: readonly ShownEntry[],
  format: ListFormat,
): readonly Line[] {
  if (entries.length === 0) return [[span('heading', `No checkpoints for ${printable(directory)}.`)]];
  const ids = shortIds(entries.map(({ id }) => id));
  const digits = Math.max(...entries.map(({ n }) => String(n).length));
  return [
    [span('heading', `📸 Checkpoints for ${printable(directory)}:`)],
    [],
    ...entries.map((entry) => entryLine(entry, { format, digits, id: ids.get(entry.id) ?? entry.id })),
    [],
    ...hints(format.command),
  ];
}

/** A moment in local time: `2026-03-16 04:36`. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The beginnings of ids that tell them apart, at least 7 digits. */
export function shortIds(ids: readonly Oid[]): ReadonlyMap<Oid, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, index) => {
      const common = Math.max(commonLength(id, sorted[index - 1]), commonLength(id, sorted[index + 1]));
      return [id, id.slice(0, Math.max(SHORTEST_ID, common + 1))];
    }),
  );
}

function commonLength(one: string, other: string | undefined): number {
  let length = 0;
  while (length < one.length && one[length] === other?.[length]) length += 1;
  return length;
}

interface LineParts {
  readonly format: ListFormat;
  readonly digits: number;
  readonly id: string;
}

function entryLine(entry: ShownEntry, { format, digits, id }: LineParts): Line {
  const before = [
    span('number', `  ${String(entry.n).padStart(digits)}. `),
    span('id', id),
    span('time', `  ${format.times(entry.at)}`),
    span('plain', '  '),
  ];
  const change = changeText(entry);
  const holes = entry.holes > 0 ? `  [${plural(entry.holes, 'path')} not captured]` : '';
  const after = [span('change', change), span('holes', holes)].filter(({ text }) => text !== '');
  const width = format.widthOf ?? characters;
  const taken = width(lineText([...before, ...after]));
  const room = format.columns === undefined ? Number.POSITIVE_INFINITY : format.columns - taken;
  const reason = cut(printable(entry.reason), Math.max(SHORTEST_REASON, room), width);
  return [...before, span('reason', reason), ...after];
}

function changeText({ files, folders = 0, insertions, deletions }: ShownEntry): string {
  if (files > 0) return `  (${plural(files, 'file')}, +${String(insertions)}/-${String(deletions)})`;
  return folders > 0 ? `  (${plural(folders, 'folder')})` : '';
}

function hints(command: string): readonly Line[] {
  const rows = [
    [' <N>', 'restore to checkpoint N'],
    [' diff <N>', 'preview changes since checkpoint N'],
    [' <N> <file>', 'restore a single file from checkpoint N'],
  ] as const;
  const width = Math.max(HINT_WIDTH, command.length + ' <N> <file>'.length + 2);
  return rows.map(([usage, text]) => [span('hint', `  ${`${command}${usage}`.padEnd(width)}${text}`)]);
}

/** Cuts between characters as a person sees them; `…` stands for the rest. */
function cut(text: string, columns: number, widthOf: (text: string) => number): string {
  if (columns === Number.POSITIVE_INFINITY || widthOf(text) <= columns) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(`${kept}${segment}…`) > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

function characters(text: string): number {
  return Array.from(text).length;
}

function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
