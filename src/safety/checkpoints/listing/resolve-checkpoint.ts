import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { CheckpointRecord, OpenRecord } from '../model/record.ts';
import { type Entry, entryFrom, groupEntries } from './entries.ts';

/** Another project of the store. */
export interface OtherProject {
  /** Absolute. */
  readonly directory: string;
  readonly records: readonly CheckpointRecord[];
}

export interface ResolveRequest {
  /** What the person named: a number of the list, or the first 4 to 40 digits of an id. */
  readonly ref: string;
  /** Of the project, absolute. */
  readonly directory: string;
  readonly records: readonly CheckpointRecord[];
  /** Whether the numbers are those of the list with one line for each call. */
  readonly allCalls?: boolean;
  /** How many lines the list shows: a number beyond it names nothing. Ids do, as long as the record is there. */
  readonly limit?: number;
  /** Asked only for a better error message. */
  readonly otherProjects: () => Iterable<OtherProject>;
}

export type ResolveErrorCode =
  | 'bad_ref'
  | 'no_such_checkpoint'
  | 'ambiguous_checkpoint'
  | 'other_project'
  | 'no_checkpoints';

const NUMBER = /^(?:0|[1-9][0-9]*)$/;
const ID_PREFIX = /^[0-9a-f]{4,40}$/i;
const LIST_HINT = 'List them with `rollback`, without a number.';
const MAX_SHOWN = 5;
const MAX_SHOWN_REF = 80;
const SHOWN_ID = 7;

/**
 * The checkpoint a person means. Digits are a number of the list when it has that many lines, else the beginning of an
 * id. The id of a later call of a turn gives the part of the entry that begins with that call.
 */
export function resolveCheckpoint(request: ResolveRequest): Result<Entry, ResolveErrorCode> {
  const { ref, directory, records, allCalls = false, limit = Number.POSITIVE_INFINITY } = request;
  const isNumber = NUMBER.test(ref);
  const isId = ID_PREFIX.test(ref);
  if (!isNumber && !isId) return badRef(ref);
  const entries = groupEntries(records, { allCalls });
  const listed = entries.slice(0, limit);
  const byNumber = isNumber ? listed[Number(ref) - 1] : undefined;
  if (byNumber !== undefined) return succeed(byNumber);
  const matches = isId ? callsWith(records, ref) : [];
  const [match] = matches;
  if (matches.length > 1) return ambiguous(ref, matches);
  if (match !== undefined) return succeed(entryWith(entries, match));
  const elsewhere = isId ? projectsWith(request, ref) : [];
  if (elsewhere.length > 0) return otherProject(ref, elsewhere);
  if (listed.length === 0) return noCheckpoints(directory, request.otherProjects());
  return noSuchCheckpoint({ ref, isNumber, directory, count: listed.length });
}

function callsWith(records: readonly CheckpointRecord[], prefix: string): readonly OpenRecord[] {
  const start = prefix.toLowerCase();
  return records.filter((record) => record.type === 'open').filter(({ id }) => id.startsWith(start));
}

function entryWith(entries: readonly Entry[], { seq }: OpenRecord): Entry {
  for (const entry of entries) {
    if (entry.seq === seq) return entry;
    const part = entry.calls.some(({ open }) => open.seq === seq) ? entryFrom(entry, seq) : undefined;
    if (part !== undefined) return part;
  }
  throw new Error(`record ${String(seq)} is in no entry`);
}

function projectsWith({ otherProjects }: ResolveRequest, prefix: string): readonly string[] {
  const directories: string[] = [];
  for (const { directory, records } of otherProjects())
    if (callsWith(records, prefix).length > 0) directories.push(directory);
  return directories;
}

function badRef(ref: string): Result<Entry, ResolveErrorCode> {
  const remedy = 'Give a number of the list, or the first 4 to 40 digits of an id.';
  if (ref === '') return fail('bad_ref', 'No checkpoint was named.', remedy);
  return fail('bad_ref', `${shownRef(ref)} names no checkpoint.`, remedy);
}

function ambiguous(ref: string, matches: readonly OpenRecord[]): Result<Entry, ResolveErrorCode> {
  const candidates = matches
    .toSorted((one, other) => other.seq - one.seq)
    .map(({ id, reason }) => `${id.slice(0, longEnough(id, matches))} (${printable(reason)})`);
  return fail(
    'ambiguous_checkpoint',
    `${shownRef(ref)} fits ${String(matches.length)} checkpoints: ${enumerate(candidates)}.`,
    'Give more digits of the id.',
  );
}

/** How many digits tell an id from all the others. */
function longEnough(id: Oid, matches: readonly OpenRecord[]): number {
  const others = matches.filter((match) => match.id !== id);
  let length = SHOWN_ID;
  while (length < id.length && others.some((other) => other.id.startsWith(id.slice(0, length)))) length += 1;
  return length;
}

function otherProject(ref: string, directories: readonly string[]): Result<Entry, ResolveErrorCode> {
  const [first = ''] = directories;
  return fail(
    'other_project',
    `${shownRef(ref)} is a checkpoint of ${enumerate(directories.map(printable))}, not of this project.`,
    `Name the project: --dir ${printable(first)}`,
  );
}

function noCheckpoints(directory: string, others: Iterable<OtherProject>): Result<Entry, ResolveErrorCode> {
  const known: string[] = [];
  for (const other of others) {
    const { length } = groupEntries(other.records);
    if (length > 0) known.push(`${printable(other.directory)} (${String(length)})`);
  }
  return fail(
    'no_checkpoints',
    `There are no checkpoints for ${printable(directory)}.`,
    known.length > 0
      ? `There are some for ${enumerate(known)}: use --dir.`
      : 'They are taken when checkpoints are on: `checkpoints.enabled: true`, or `--checkpoints`.',
  );
}

function noSuchCheckpoint(
  request: { readonly ref: string; readonly isNumber: boolean } & {
    readonly directory: string;
    readonly count: number;
  },
): Result<Entry, ResolveErrorCode> {
  const { ref, isNumber, directory, count } = request;
  const there = count === 1 ? 'there is 1' : `there are ${String(count)}`;
  const message = isNumber
    ? `There is no checkpoint ${shownRef(ref)} for ${printable(directory)}: ${there}.`
    : `No checkpoint of ${printable(directory)} has an id that begins with ${shownRef(ref)}; ${there}.`;
  return fail('no_such_checkpoint', message, ref === '0' ? `1 is the newest. ${LIST_HINT}` : LIST_HINT);
}

function enumerate(items: readonly string[]): string {
  const shown = items.slice(0, MAX_SHOWN).join(', ');
  return items.length > MAX_SHOWN ? `${shown} and ${String(items.length - MAX_SHOWN)} more` : shown;
}

/** Numbers and ids as they are, everything else in quotes, on one line and not endless. */
function shownRef(ref: string): string {
  if (/^[0-9a-f]{1,40}$/i.test(ref)) return ref;
  const text = ref.length > MAX_SHOWN_REF ? `${ref.slice(0, MAX_SHOWN_REF).toWellFormed()}…` : ref;
  return `"${printable(text)}"`;
}
