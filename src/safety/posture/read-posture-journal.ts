import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonValue, parseJson } from '../../kernel/json/index.ts';
import { displayPath } from '../../platform/paths/index.ts';
import {
  attemptDatabase,
  type Database,
  numberColumn,
  openDatabase,
  optionalNumberColumn,
  optionalTextColumn,
  type Row,
  textColumn,
} from '../../platform/sqlite/index.ts';
import type { LedgerRow, RecordedLedgerDecision } from '../ledger/index.ts';
import type { PostureRow, RowVerdict } from './model/posture-row.ts';

/** What a journal holds of calls and of decisions of the policy. */
export interface PostureJournal {
  readonly rows: readonly PostureRow[];
  readonly decisions: readonly RecordedLedgerDecision[];
}

/** Of the schema of the journal. */
const VERSION = 1;

/**
 * Reads a journal and changes nothing: neither the file nor what is damaged in it. `path` is absolute. Fails when it is missing, damaged,
 * of another version or not a journal.
 */
export function readPostureJournal(path: string): Result<PostureJournal> {
  const migrations = [{ version: VERSION, up: '' }];
  const opened = openDatabase(path, { synchronous: 'FULL', readOnly: true, migrations });
  if (!opened.ok) return opened;
  const database = opened.value;
  try {
    const read = attemptDatabase(() => readTables(database));
    if (!read.ok) return unreadable(path, read.message);
    const { damage, journal } = read.value;
    return damage === undefined ? succeed(journal) : unreadable(path, damage);
  } catch (error) {
    // A column that holds something else than the journal writes into it.
    if (!(error instanceof TypeError)) throw error;
    return unreadable(path, error.message);
  } finally {
    database.close();
  }
}

function readTables(database: Database): {
  readonly damage: string | undefined;
  readonly journal: PostureJournal;
} {
  const [first] = Object.values(database.get('PRAGMA quick_check(1)') ?? {});
  const tables = database.all(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('ledger', 'decision')",
  );
  if (tables.length < 2) throw new TypeError('it is not a journal of Herma');
  const journal = {
    rows: database.all('SELECT * FROM ledger ORDER BY id').map(decodeRow),
    decisions: database.all('SELECT * FROM decision ORDER BY id').map(decodeDecision),
  };
  return { damage: first === 'ok' ? undefined : `it is damaged (${String(first)})`, journal };
}

function unreadable(path: string, why: string): Result<never> {
  return fail(
    'unreadable',
    `the journal ${displayPath(path)} cannot be read: ${why}`,
    'give the `ledger.db` of Herma with --db, or look at `herma ledger verify`',
  );
}

function decodeRow(row: Row): PostureRow {
  return {
    id: numberColumn(row, 'id'),
    ts: timeColumn(row),
    toolName: textColumn(row, 'tool_name'),
    status: textColumn(row, 'status'),
    argsJson: optionalTextColumn(row, 'args_json') ?? null,
    argsSha256: textColumn(row, 'args_sha256'),
    sessionId: textColumn(row, 'session_id'),
    rootSessionId: textColumn(row, 'root_session_id'),
    parentSessionId: optionalTextColumn(row, 'parent_session_id') ?? null,
    turnId: textColumn(row, 'turn_id'),
    callId: textColumn(row, 'tool_call_id'),
    agent: textColumn(row, 'agent'),
    cwd: textColumn(row, 'cwd'),
    issuedUptimeMs: numberColumn(row, 'issued_uptime_ms'),
    beatUptimeMs: optionalNumberColumn(row, 'beat_uptime_ms') ?? null,
    awaitsApproval: numberColumn(row, 'awaiting_approval') === 1,
    graceMs: numberColumn(row, 'grace_s') * 1000,
    effect: EFFECTS.find((effect) => effect === row['effect']) ?? 'unknown',
    effectClass: textColumn(row, 'effect_class'),
    probe: probeOf(row),
    commandClass: optionalTextColumn(row, 'command_class') ?? null,
    ackedAt: optionalTextColumn(row, 'acked_at') ?? null,
    verdicts: verdictsOf(row),
  };
}

function verdictsOf(row: Row): readonly RowVerdict[] {
  const text = optionalTextColumn(row, 'verdicts_json');
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !Array.isArray(parsed.value)) return [];
  return parsed.value.flatMap((item: JsonValue) => {
    if (!isJsonObject(item)) return [];
    const [by, verdict] = [getString(item, 'by'), getString(item, 'verdict')];
    return by === undefined || verdict === undefined ? [] : [{ by, verdict }];
  });
}

const EFFECTS: readonly LedgerRow['effect'][] = ['none', 'unknown', 'applied', 'not_applied', 'partial'];
const VERDICTS: readonly NonNullable<LedgerRow['probe']>['verdict'][] = [
  'LANDED',
  'NOT_LANDED',
  'PARTIAL',
  'UNKNOWN',
];

function probeOf(row: Row): LedgerRow['probe'] {
  const parsed = parseJson(optionalTextColumn(row, 'probe_json') ?? 'null');
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const value = getOwn(parsed.value, 'verdict');
  const verdict = VERDICTS.find((each) => each === value);
  return verdict === undefined ? undefined : { verdict, evidence: getString(parsed.value, 'evidence') ?? '' };
}

function decodeDecision(row: Row): RecordedLedgerDecision {
  return {
    id: numberColumn(row, 'id'),
    atMs: Date.parse(timeColumn(row)),
    call: {
      sessionId: textColumn(row, 'session_id'),
      rootSessionId: textColumn(row, 'root_session_id'),
      turnId: textColumn(row, 'turn_id'),
      callId: textColumn(row, 'tool_call_id'),
      tool: textColumn(row, 'tool_name'),
    },
    mode: textColumn(row, 'mode'),
    raw: textColumn(row, 'raw_verdict'),
    effective: textColumn(row, 'effective_verdict'),
    rule: textColumn(row, 'rule'),
    class: optionalTextColumn(row, 'class'),
    severity: optionalTextColumn(row, 'severity'),
    subject: textColumn(row, 'subject'),
  };
}

/** A moment nobody can place would be in no window, and its call unseen. */
function timeColumn(row: Row): string {
  const text = textColumn(row, 'ts');
  return Number.isNaN(Date.parse(text)) ? new Date(0).toISOString() : text;
}
