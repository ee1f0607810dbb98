import type { Migration } from '../../platform/sqlite/index.ts';

/**
 * The tables of `state.db`. Names are those of Hermes Agent, and so are units: times are seconds since 1970. Ids of
 * messages grow, so they order the messages of a session.
 *
 * `messages.retired_by` is NULL for messages that count; others were taken out by a `rewind` or a `repair` and are kept
 * for the record only. The meaning of the other columns stands at `MessageColumns` and `Session`.
 */
export const SESSION_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: `
      CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL,
        root_session_id TEXT NOT NULL,
        parent_session_id TEXT,
        source TEXT NOT NULL,
        model TEXT,
        title TEXT,
        cwd TEXT NOT NULL,
        started_at REAL NOT NULL,
        last_active_at REAL NOT NULL,
        ended_at REAL,
        end_reason TEXT,
        message_count INTEGER NOT NULL DEFAULT 0,
        tool_call_count INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX sessions_by_activity ON sessions (last_active_at);
      CREATE INDEX sessions_by_parent ON sessions (parent_session_id);
      CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions (id),
        turn_id TEXT NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        tool_calls TEXT,
        tool_call_id TEXT,
        tool_name TEXT,
        status TEXT,
        synthetic TEXT,
        context TEXT,
        pushed_back INTEGER,
        exact TEXT,
        retired_by TEXT,
        timestamp REAL NOT NULL
      ) STRICT;
      CREATE INDEX messages_by_session ON messages (session_id, id);
    `,
  },
];
