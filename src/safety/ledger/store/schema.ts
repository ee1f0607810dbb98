import type { Migration } from '../../../platform/sqlite/index.ts';

/**
 * `ledger` holds one row for each call, as it stands now. `event` is only ever added to, each entry sealed to the one before; see
 * `chain.ts`. `decision` holds what a policy would have done. `meta` holds `base`: the entry the chain begins behind, once old ones
 * were removed.
 */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: `
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ts TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  status TEXT NOT NULL,
  args_json TEXT,
  args_sha256 TEXT NOT NULL,
  args_len INTEGER NOT NULL,
  result_digest TEXT,
  result_sha256 TEXT,
  session_id TEXT NOT NULL,
  root_session_id TEXT NOT NULL,
  parent_session_id TEXT,
  turn_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  agent TEXT NOT NULL,
  cwd TEXT NOT NULL,
  owner_pid INTEGER,
  owner_start TEXT,
  boot_id TEXT,
  pid_namespace TEXT,
  is_own INTEGER NOT NULL,
  issued_uptime_ms REAL NOT NULL,
  beat_uptime_ms REAL,
  grace_s REAL NOT NULL,
  settled_at TEXT,
  duration_ms INTEGER,
  effect TEXT NOT NULL,
  effect_class TEXT NOT NULL,
  command_class TEXT,
  awaiting_approval INTEGER NOT NULL,
  foreseen_json TEXT,
  probe_json TEXT,
  checkpoint TEXT,
  verdicts_json TEXT,
  policy_rule TEXT,
  policy_mode TEXT,
  reported_at TEXT,
  report_count INTEGER NOT NULL DEFAULT 0,
  revived_at TEXT,
  corrected_at TEXT,
  acked_at TEXT,
  pairing TEXT
);
CREATE UNIQUE INDEX ledger_call ON ledger (root_session_id, turn_id, tool_call_id, ordinal);
CREATE INDEX ledger_open ON ledger (root_session_id)
  WHERE status = 'PENDING' OR (status = 'GHOST_REPORTED' AND acked_at IS NULL);
CREATE INDEX ledger_unknown ON ledger (root_session_id, args_sha256) WHERE effect = 'unknown';
CREATE INDEX ledger_revived ON ledger (root_session_id)
  WHERE revived_at IS NOT NULL AND corrected_at IS NULL AND report_count > 0;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY,
  ledger_id INTEGER,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  digest BLOB,
  detail TEXT,
  hash BLOB NOT NULL
);
CREATE TABLE decision (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ts TEXT NOT NULL,
  session_id TEXT NOT NULL,
  root_session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  mode TEXT NOT NULL,
  raw_verdict TEXT NOT NULL,
  effective_verdict TEXT NOT NULL,
  rule TEXT NOT NULL,
  class TEXT,
  severity TEXT,
  subject TEXT NOT NULL
);
CREATE INDEX decision_time ON decision (ts);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`,
  },
];
