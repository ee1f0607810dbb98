import type { Failure, Result } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import {
  attemptDatabase,
  type Database,
  type DatabaseErrorCode,
  type OpenDatabaseErrorCode,
  openDatabase,
} from '../../platform/sqlite/index.ts';
import { SESSION_MIGRATIONS } from './session-schema.ts';
import { SessionStore } from './session-store.ts';

export interface OpenSessionStoreOptions {
  /** The file, usually `state.db` in Herma's home; made, with mode 0600, when it is not there. */
  readonly path: string;
  readonly clock: Clock;
}

/**
 * Opens the conversations kept in `path`.
 *
 * Every change is written with `synchronous = FULL`: a call must not run before the message that asks for it is safe
 * from a power cut, and one rule for all rows is cheaper to trust than two. Fails, with the path and what to do, on a
 * file that is damaged, written by a newer version, locked, or cannot be written; such a file is left as it is. Damage
 * deep inside is found by the method that comes upon it, which then fails in the same way.
 */
export function openSessionStore(
  options: OpenSessionStoreOptions,
): Result<SessionStore, OpenDatabaseErrorCode> {
  const opened = openDatabase(options.path, { synchronous: 'FULL', migrations: SESSION_MIGRATIONS });
  if (!opened.ok) return opened;
  const damage = damageOf(opened.value);
  if (damage === undefined) return { ok: true, value: new SessionStore(opened.value, options.clock) };
  opened.value.close();
  return damage;
}

/** Walks each tree of the file once, from its root to its last leaf. */
function damageOf(database: Database): Failure<DatabaseErrorCode> | undefined {
  const walked = attemptDatabase(() => {
    database.get('SELECT * FROM sessions ORDER BY rowid DESC LIMIT 1');
    database.get('SELECT id FROM sessions ORDER BY id DESC LIMIT 1');
    database.get('SELECT id FROM sessions ORDER BY last_active_at DESC LIMIT 1');
    database.get('SELECT id FROM sessions ORDER BY parent_session_id DESC LIMIT 1');
    database.get('SELECT id, timestamp FROM messages ORDER BY id DESC LIMIT 1');
    database.get('SELECT id FROM messages ORDER BY session_id DESC, id DESC LIMIT 1');
  });
  return walked.ok ? undefined : walked;
}
