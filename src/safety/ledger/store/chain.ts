import type { Database, Row } from '../../../platform/sqlite/index.ts';
import { numberColumn } from '../../../platform/sqlite/index.ts';
import { type ChainedFields, chainHash, hexOf, type Seal, type SealedValue } from './seal.ts';

/** What happened to a row, or to the journal itself. */
export type EventKind =
  | 'issued'
  | 'settled'
  | 'approved'
  | 'probed'
  | 'reported'
  | 'corrected'
  | 'acked'
  | 'revived'
  | 'erased'
  | 'pruned'
  | 'tampered'
  | 'started';

export interface EventDraft {
  readonly kind: EventKind;
  /** ISO 8601. */
  readonly at: string;
  readonly ledgerId?: number;
  readonly digest?: Uint8Array;
  /** JSON. */
  readonly detail?: string;
}

/** The last entry of the chain. */
export interface ChainHead {
  readonly seq: number;
  /** Hexadecimal. */
  readonly hash: string;
}

const BEFORE_ALL = new Uint8Array(32);

/** Adds one entry behind the last. Within a transaction. */
export function appendEvent(database: Database, draft: EventDraft): void {
  const last = database.get('SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1');
  const previous =
    last === undefined ? baseOf(database) : { seq: numberColumn(last, 'seq'), hash: hashIn(last) };
  const fields: ChainedFields = {
    seq: previous.seq + 1,
    ledgerId: draft.ledgerId ?? null,
    kind: draft.kind,
    at: draft.at,
    digest: draft.digest ?? null,
    detail: draft.detail ?? null,
  };
  database.run(
    'INSERT INTO event (seq, ledger_id, kind, at, digest, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [
      fields.seq,
      fields.ledgerId,
      fields.kind,
      fields.at,
      fields.digest,
      fields.detail,
      chainHash(previous.hash, fields),
    ],
  );
}

/** The last entry; undefined when there is none. */
export function chainHead(database: Database): ChainHead | undefined {
  const last = database.get('SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1');
  return last === undefined ? undefined : { seq: numberColumn(last, 'seq'), hash: hexOf(hashIn(last)) };
}

/** What the first entry that is left follows. */
export function baseOf(database: Database): { readonly seq: number; readonly hash: Uint8Array } {
  const row = database.get("SELECT value FROM meta WHERE name = 'base'");
  const value = row?.['value'];
  const match = typeof value === 'string' ? /^(\d+) ([0-9a-f]{64})$/.exec(value) : null;
  if (match === null) return { seq: 0, hash: BEFORE_ALL };
  return { seq: Number(match[1]), hash: Buffer.from(match[2] ?? '', 'hex') };
}

/** Where the chain begins from now on. */
export function setBase(database: Database, { seq, hash }: ChainHead): void {
  database.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('base', ?)", [`${String(seq)} ${hash}`]);
}

function hashIn(row: Row): Uint8Array {
  const hash = row['hash'];
  return hash instanceof Uint8Array ? hash : BEFORE_ALL;
}

/** Columns that are written once, with the intent. */
export const ISSUE_COLUMNS = [
  'id',
  'ts',
  'tool_name',
  'args_json',
  'args_sha256',
  'args_len',
  'session_id',
  'root_session_id',
  'parent_session_id',
  'turn_id',
  'tool_call_id',
  'ordinal',
  'agent',
  'cwd',
  'owner_pid',
  'owner_start',
  'boot_id',
  'pid_namespace',
  'is_own',
  'grace_s',
  'effect_class',
  'command_class',
  'foreseen_json',
  'checkpoint',
  'verdicts_json',
  'policy_rule',
  'policy_mode',
] as const;

/** Columns that change later. Not among them: `beat_uptime_ms`, which says only that somebody is alive. */
export const STATE_COLUMNS = [
  'id',
  'status',
  'result_digest',
  'result_sha256',
  'settled_at',
  'duration_ms',
  'effect',
  'awaiting_approval',
  'probe_json',
  'reported_at',
  'report_count',
  'revived_at',
  'corrected_at',
  'acked_at',
  'pairing',
] as const;

/** Digest of those columns of a row, as they are stored. */
export function digestOf(seal: Seal, row: Row, columns: readonly string[]): Buffer {
  return seal.digest(columns.map((column) => sealed(row[column])));
}

function sealed(value: Row[string] | undefined): SealedValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? hexOf(value) : value;
}
