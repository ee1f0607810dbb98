import type { Result } from '../../../kernel/errors/index.ts';
import { getString, isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { type Database, numberColumn, type Row } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import { baseOf, type ChainHead, digestOf, ISSUE_COLUMNS, STATE_COLUMNS } from '../store/chain.ts';
import type { LedgerAccess } from '../store/ledger-file.ts';
import { type ChainedFields, chainHash, hexOf } from '../store/seal.ts';
import { selectEvents, selectRows } from '../store/select-rows.ts';
import { ranges } from './ranges.ts';

export type LedgerFlawKind =
  /** An entry of the chain does not follow from the one before: it, or one before it, was edited, reordered or removed. */
  | 'broken_chain'
  /** Entries are missing from the end, or the whole file was replaced by an older or another one. */
  | 'truncated'
  /** A row says something else than when it was sealed. */
  | 'edited_row'
  /** A row that was sealed is not there any more. */
  | 'deleted_row'
  /** A row that never was sealed. */
  | 'added_row'
  /** Rows that were sealed with another key than the one there is: whether they were edited cannot be told. */
  | 'lost_key';

export interface LedgerFlaw {
  readonly kind: LedgerFlawKind;
  /** Of the entry of the chain, or the row. */
  readonly at: string;
  readonly message: string;
}

export interface LedgerVerification {
  readonly rows: number;
  readonly entries: number;
  readonly head: ChainHead | undefined;
  /** In the order of the chain; rows that were deleted together are one flaw. */
  readonly flaws: readonly LedgerFlaw[];
}

/** Heads of the chain that were noted elsewhere. */
export type Anchors = readonly ChainHead[];

/** Rows and entries that are looked at in one go. */
const PAGE = 2000;

/** Checks every entry of the chain, and every row against its entries. Names the first entry from which the chain does not hold. */
export async function verifyLedger(ledger: Ledger, anchors: Anchors): Promise<Result<LedgerVerification>> {
  return ledger.look((access) => verify(access, anchors));
}

function verify(access: LedgerAccess, anchors: Anchors): LedgerVerification {
  const { database } = access;
  const base = baseOf(database);
  const walk: Walk = {
    last: new Map(),
    flaws: [],
    anchors: new Map(anchors.map(({ seq, hash }) => [seq, hash])),
    previous: base,
    entries: 0,
    isBroken: false,
    keyNumber: 0,
  };
  for (const row of pages(database, 'event', 'seq', base.seq)) followEntry(walk, row);
  const { previous } = walk;
  const head = walk.entries === 0 ? undefined : { seq: previous.seq, hash: hexOf(previous.hash) };
  const newest = Math.max(0, ...anchors.map(({ seq }) => seq));
  if (newest > previous.seq)
    walk.flaws.push({
      kind: 'truncated',
      at: `entry ${String(previous.seq + 1)}`,
      message: `entries ${String(previous.seq + 1)} to ${String(newest)} were there once and are not there any more`,
    });
  if (base.seq > 0 && !isKnownBase(database, base))
    walk.flaws.unshift({
      kind: 'truncated',
      at: `entry ${String(base.seq)}`,
      message: `everything up to entry ${String(base.seq)} was removed by hand`,
    });
  const rows = checkRows(access, walk);
  return { rows, entries: walk.entries, head, flaws: walk.flaws };
}

/** Whether the journal itself cut its beginning there. */
function isKnownBase(
  database: Database,
  { seq, hash }: { readonly seq: number; readonly hash: Uint8Array },
): boolean {
  const named = `${String(seq)} ${hexOf(hash)}`;
  return database
    .all("SELECT detail FROM event WHERE kind = 'pruned'")
    .some((row) => baseIn(row['detail']) === named);
}

function baseIn(detail: Row[string] | undefined): string | undefined {
  return memberIn(detail, 'base');
}

/** A member of what an entry says of itself. */
function memberIn(detail: Row[string] | undefined, name: string): string | undefined {
  const parsed = typeof detail === 'string' ? parseJson(detail) : undefined;
  return parsed?.ok === true && isJsonObject(parsed.value) ? getString(parsed.value, name) : undefined;
}

interface Sealed {
  issue: KeyedDigest | undefined;
  state: KeyedDigest | undefined;
  isErased: boolean;
}

interface KeyedDigest {
  readonly digest: Uint8Array;
  /** Counts the keys that were in use one after the other. */
  readonly keyNumber: number;
}

interface Walk {
  /** What the entries say of each row. */
  readonly last: Map<number, Sealed>;
  readonly flaws: LedgerFlaw[];
  readonly anchors: ReadonlyMap<number, string>;
  previous: { readonly seq: number; readonly hash: Uint8Array };
  entries: number;
  isBroken: boolean;
  keyNumber: number;
}

function followEntry(walk: Walk, row: Row): void {
  const fields = fieldsOf(row);
  const stored = bytesOf(row['hash']);
  walk.entries += 1;
  const isNext = fields.seq === walk.previous.seq + 1;
  const isSound = isNext && hexOf(chainHash(walk.previous.hash, fields)) === hexOf(stored);
  if (!isSound && !walk.isBroken) {
    walk.isBroken = true;
    walk.flaws.push({
      kind: 'broken_chain',
      at: `entry ${String(isNext ? fields.seq : walk.previous.seq + 1)}`,
      message: isNext
        ? `entry ${String(fields.seq)} (${fields.kind}${fields.ledgerId === null ? '' : ` of call #${String(fields.ledgerId)}`}) was edited, or stands where another one stood`
        : `entries ${String(walk.previous.seq + 1)} to ${String(fields.seq - 1)} were removed`,
    });
  }
  const anchored = walk.anchors.get(fields.seq);
  if (anchored !== undefined && anchored !== hexOf(stored) && !walk.isBroken) {
    walk.isBroken = true;
    walk.flaws.push({
      kind: 'truncated',
      at: `entry ${String(fields.seq)}`,
      message: `entry ${String(fields.seq)} is not the one that was noted outside the journal: the file was replaced, or written anew`,
    });
  }
  walk.previous = { seq: fields.seq, hash: stored };
  if (fields.kind === 'started' && memberIn(fields.detail, 'key') !== undefined) walk.keyNumber += 1;
  if (fields.ledgerId !== null) noteSealed(walk, fields.ledgerId, fields);
}

function noteSealed({ last, keyNumber }: Walk, id: number, { kind, digest }: ChainedFields): void {
  const sealed = last.get(id) ?? { issue: undefined, state: undefined, isErased: false };
  const keyed = digest === null ? undefined : { digest, keyNumber };
  if (kind === 'issued') sealed.issue = keyed;
  else sealed.state = keyed;
  if (kind === 'erased') sealed.isErased = true;
  last.set(id, sealed);
}

function checkRows(access: LedgerAccess, { last, flaws, keyNumber }: Walk): number {
  const { database } = access;
  const pruned = prunedRanges(database);
  let [rows, unknown] = [0, 0];
  for (const row of pages(database, 'ledger', 'id', 0)) {
    rows += 1;
    const id = numberColumn(row, 'id');
    const sealed = last.get(id);
    const problem = problemOf(access, row, { sealed, keyNumber });
    if (problem !== undefined) flaws.push(problem);
    else if (isOfOtherKey(sealed, keyNumber)) unknown += 1;
    last.delete(id);
  }
  if (unknown > 0)
    flaws.push({
      kind: 'lost_key',
      at: 'the key',
      message: `whether ${unknown === 1 ? '1 call was' : `${String(unknown)} calls were`} edited cannot be told: the key they were sealed with is not there any more`,
    });
  const missing = [...last.keys()].filter((id) => !pruned.some(([from, to]) => id >= from && id <= to));
  for (const [from, to] of ranges(missing.toSorted((a, b) => a - b))) {
    const which = from === to ? `call #${String(from)} was` : `calls #${String(from)} to #${String(to)} were`;
    flaws.push({ kind: 'deleted_row', at: `row ${String(from)}`, message: `${which} deleted by hand` });
  }
  return rows;
}

function isOfOtherKey(sealed: Sealed | undefined, keyNumber: number): boolean {
  return [sealed?.issue, sealed?.state].some((each) => each !== undefined && each.keyNumber !== keyNumber);
}

function problemOf(
  { seal }: LedgerAccess,
  row: Row,
  { sealed, keyNumber }: { readonly sealed: Sealed | undefined; readonly keyNumber: number },
): LedgerFlaw | undefined {
  const id = numberColumn(row, 'id');
  const flaw = (kind: LedgerFlawKind, message: string): LedgerFlaw => ({
    kind,
    at: `row ${String(id)}`,
    message,
  });
  const name = `call #${String(id)} (${String(row['tool_name'])})`;
  if (sealed === undefined) return flaw('added_row', `${name} was added by hand`);
  const { issue, state, isErased } = sealed;
  const differs = (each: KeyedDigest | undefined, columns: readonly string[], from: Row): boolean =>
    each?.keyNumber === keyNumber && hexOf(digestOf(seal, from, columns)) !== hexOf(each.digest);
  if (!isErased && differs(issue, ISSUE_COLUMNS, row))
    return flaw('edited_row', `what ${name} was called with was edited by hand`);
  const expected = state ?? { digest: digestOf(seal, freshState(row), STATE_COLUMNS), keyNumber };
  if (differs(expected, STATE_COLUMNS, row))
    return flaw('edited_row', `how ${name} ended was edited by hand`);
  return undefined;
}

/** The state of a row nothing has happened to yet. */
function freshState(row: Row): Row {
  const nulls = Object.fromEntries(STATE_COLUMNS.map((column) => [column, null]));
  return {
    ...nulls,
    id: row['id'] ?? null,
    status: 'PENDING',
    effect: 'unknown',
    awaiting_approval: row['awaiting_approval'] ?? null,
    report_count: 0,
  };
}

function fieldsOf(row: Row): ChainedFields {
  const ledgerId = row['ledger_id'];
  const [digest, detail] = [row['digest'], row['detail']];
  return {
    seq: numberColumn(row, 'seq'),
    ledgerId: typeof ledgerId === 'number' ? ledgerId : null,
    kind: String(row['kind']),
    at: String(row['at']),
    digest: digest instanceof Uint8Array ? digest : null,
    detail: typeof detail === 'string' ? detail : null,
  };
}

function bytesOf(value: Row[string] | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function* pages(
  database: Database,
  table: 'event' | 'ledger',
  key: 'seq' | 'id',
  after: number,
): Iterable<Row> {
  for (let last = after; ; ) {
    const select = table === 'event' ? selectEvents : selectRows;
    const rows = select(database, `${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${String(PAGE)}`, [last]);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = numberColumn(end, key);
  }
}

/** Rows the journal itself removed: from, to. */
function prunedRanges(database: Database): readonly (readonly [number, number])[] {
  return database
    .all("SELECT detail FROM event WHERE kind = 'pruned' ORDER BY seq")
    .flatMap((row) => rangesIn(row['detail']));
}

const RANGE = /(\d+)-(\d+)/g;

function rangesIn(detail: Row[string] | undefined): readonly (readonly [number, number])[] {
  const rows = memberIn(detail, 'rows') ?? '';
  return [...rows.matchAll(RANGE)].map(([, from, to]) => [Number(from), Number(to)]);
}
