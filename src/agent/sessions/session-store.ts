import { type Failure, fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { randomId } from '../../platform/random/index.ts';
import {
  attemptDatabase,
  type Database,
  type DatabaseErrorCode,
  type Row,
} from '../../platform/sqlite/index.ts';
import type { Message } from './message.ts';
import { decodeMessage, encodeMessage } from './message-row.ts';
import { type RepairOptions, repairMessages } from './repair-messages.ts';
import {
  FIRST_WORDS_SOURCE_LENGTH,
  oneLine,
  type Session,
  type SessionSummary,
  type StoredMessage,
  sessionOf,
  summaryOf,
  type TurnMessage,
  toMs,
  toSeconds,
} from './session.ts';

/** Why something with a session failed. `corrupt_message`: a row of the file cannot be read as a message. */
export type SessionErrorCode = DatabaseErrorCode | 'no_such_session' | 'no_such_turn' | 'corrupt_message';

export interface NewSession {
  /** The surface it is started from. */
  readonly source: string;
  /** Absolute. */
  readonly cwd: string;
  readonly model?: string;
  readonly title?: string;
  /** The session that delegates to this one. */
  readonly parentSessionId?: string;
}

export interface ListOptions {
  /** Only sessions of this folder. */
  readonly cwd?: string;
  /** By default 50. */
  readonly limit?: number;
  /** Also delegated sessions, and those that were continued in another. */
  readonly everything?: boolean;
}

/** A file in which sessions continue each other in a circle must not keep us for ever. */
const MAX_CHAIN = 10_000;
const LIVE = 'retired_by IS NULL';
const SHOWN = `end_reason IS NOT 'compression' AND (parent_session_id IS NULL OR root_session_id <> id)`;

/**
 * The conversations of `state.db`. Made by `openSessionStore`.
 *
 * A method that changes something has it on the disk, safe from a power cut, when it returns; it changes all of what
 * it says, or nothing. Expected failures are returned: a session or turn that is not there, a file that is damaged,
 * locked, on a full disk, or closed.
 */
export class SessionStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** A new session without messages, the first of its lineage. */
  create(session: NewSession): Result<Session, SessionErrorCode> {
    return this.#attempt(() => {
      const id = randomId('ses');
      this.#insertSession({ ...session, id, rootSessionId: id });
      return this.#find(id);
    });
  }

  get(sessionId: string): Result<Session, SessionErrorCode> {
    return this.#attempt(() => this.#find(sessionId));
  }

  /** The last used first. */
  list(options: ListOptions = {}): Result<readonly SessionSummary[], SessionErrorCode> {
    const { cwd = null, limit = 50, everything = false } = options;
    return this.#attempt(() => {
      const rows = this.#database.all(
        `SELECT *, (
           SELECT substr(content, 1, ${FIRST_WORDS_SOURCE_LENGTH}) FROM messages
           WHERE session_id = sessions.id AND role = 'user' AND synthetic IS NULL AND ${LIVE} ORDER BY id LIMIT 1
         ) AS first_words
         FROM sessions WHERE (?1 IS NULL OR cwd = ?1) AND (?2 OR (${SHOWN}))
         ORDER BY last_active_at DESC, rowid DESC LIMIT ?3`,
        [cwd, everything, limit],
      );
      return succeed(rows.map(summaryOf));
    });
  }

  /**
   * The session with the newest message of those that {@link list} shows, whatever the clock said then; undefined when
   * there is none.
   */
  latest(options: Pick<ListOptions, 'cwd'> = {}): Result<Session | undefined, SessionErrorCode> {
    return this.#attempt(() => {
      const row = this.#database.get(
        `SELECT * FROM sessions WHERE (?1 IS NULL OR cwd = ?1) AND message_count > 0 AND ${SHOWN}
         ORDER BY (SELECT max(id) FROM messages WHERE session_id = sessions.id) DESC LIMIT 1`,
        [options.cwd],
      );
      return succeed(row && sessionOf(row));
    });
  }

  /** The sessions that a session delegated to from a moment on (milliseconds since 1970), in the order of their start. */
  childrenOf(sessionId: string, sinceMs: number): Result<readonly Session[], SessionErrorCode> {
    return this.#attempt(() => {
      const rows = this.#database.all(
        'SELECT * FROM sessions WHERE parent_session_id = ? AND root_session_id = id AND started_at >= ? ORDER BY rowid',
        [sessionId, sinceMs / 1000],
      );
      return succeed(rows.map(sessionOf));
    });
  }

  /** Where a session goes on: after compressions their last, otherwise itself. */
  currentOf(sessionId: string): Result<Session, SessionErrorCode> {
    return this.#attempt(() => {
      const row = this.#database.get(
        `WITH RECURSIVE chain (id, step) AS (
           SELECT ?1, 0
           UNION ALL
           SELECT next.id, step + 1
           FROM chain JOIN sessions AS old ON old.id = chain.id JOIN sessions AS next ON next.parent_session_id = old.id
           WHERE old.end_reason = 'compression' AND next.root_session_id = old.root_session_id AND step < ${MAX_CHAIN}
         )
         SELECT chain.id FROM chain JOIN sessions USING (id) ORDER BY step DESC, sessions.rowid DESC LIMIT 1`,
        [sessionId],
      );
      return this.#find(typeof row?.['id'] === 'string' ? row['id'] : sessionId);
    });
  }

  /**
   * Stores one message at the end of a session, which is open again if it had ended. The cost does not depend on how
   * long the session is.
   *
   * An assistant message must be stored before the first of its calls runs, each result as soon as it is there, in
   * whatever order they come: {@link repairMessages} puts them in place.
   */
  append(sessionId: string, message: Message, turnId: string): Result<void, SessionErrorCode> {
    return this.#attempt(() =>
      this.#database.transaction(() => {
        const now = toSeconds(this.#clock.now());
        const { changes } = this.#database.run(
          `UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ?,
             last_active_at = ?, ended_at = NULL, end_reason = NULL WHERE id = ?`,
          [callCount(message), now, sessionId],
        );
        if (changes === 0) return noSuchSession(sessionId);
        this.#insertMessage(sessionId, { message, turnId });
        return succeed(undefined);
      }),
    );
  }

  /** The messages of a session in order, as they were stored: not repaired. */
  load(sessionId: string): Result<readonly StoredMessage[], SessionErrorCode> {
    return this.#attempt(() => this.#load(sessionId));
  }

  /**
   * The messages of a session as they can be sent to a model, see {@link repairMessages}. What had to be changed is
   * stored that way; the rows it replaces are kept, retired.
   */
  repair(sessionId: string, options: RepairOptions): Result<readonly StoredMessage[], SessionErrorCode> {
    return this.#attempt(() =>
      this.#database.transaction(() => {
        const loaded = this.#load(sessionId);
        if (!loaded.ok) return loaded;
        const stored = loaded.value;
        const repaired = repairMessages(
          stored.map(({ message }) => message),
          options,
        );
        const kept = repaired.findIndex((message, index) => message !== stored[index]?.message);
        if (kept === -1 && repaired.length === stored.length) return loaded;
        const from = kept === -1 ? repaired.length : kept;
        this.#retireFrom(sessionId, stored[from]?.id, 'repair');
        for (const entry of withTurns(repaired, stored).slice(from)) this.#insertMessage(sessionId, entry);
        this.#recount(sessionId);
        return this.#load(sessionId);
      }),
    );
  }

  /** Gives a session a title, on one line; an empty one takes it away. */
  rename(sessionId: string, title: string): Result<void, SessionErrorCode> {
    return this.#update(sessionId, 'title = ?', [titleOf(title)]);
  }

  /** Marks a session as ended. The next message opens it again. */
  end(sessionId: string, reason: string): Result<void, SessionErrorCode> {
    return this.#update(sessionId, 'ended_at = ?, end_reason = ?', [toSeconds(this.#clock.now()), reason]);
  }

  /**
   * Ends a session and begins another of the same lineage that starts with `messages`, all at once. The old one keeps
   * its messages.
   */
  startContinuation(
    sessionId: string,
    options: { readonly reason: 'compression'; readonly messages: readonly TurnMessage[] },
  ): Result<Session, SessionErrorCode> {
    return this.#attempt(() =>
      this.#database.transaction(() => {
        const found = this.#find(sessionId);
        if (!found.ok) return found;
        const id = randomId('ses');
        this.#insertSession({ ...found.value, id, parentSessionId: sessionId });
        for (const entry of options.messages) this.#insertMessage(id, entry);
        this.#recount(id);
        this.#database.run('UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?', [
          toSeconds(this.#clock.now()),
          options.reason,
          sessionId,
        ]);
        return this.#find(id);
      }),
    );
  }

  /**
   * Takes a turn and all that came after it out of a session: what stays is what the model knew before that turn. The
   * rows are kept, retired. Fails with `no_such_turn` for a turn that is not in this session (any more).
   */
  rewindToTurn(
    sessionId: string,
    turnId: string,
  ): Result<{ readonly removedMessages: number }, SessionErrorCode> {
    return this.#attempt(() =>
      this.#database.transaction(() => {
        const found = this.#find(sessionId);
        if (!found.ok) return found;
        const first = this.#database.get(
          `SELECT min(id) AS id FROM messages WHERE session_id = ? AND turn_id = ? AND ${LIVE}`,
          [sessionId, turnId],
        )?.['id'];
        if (typeof first !== 'number') return noSuchTurn(sessionId, turnId);
        const removedMessages = this.#retireFrom(sessionId, first, 'rewind');
        this.#recount(sessionId);
        return succeed({ removedMessages });
      }),
    );
  }

  /** Closes the file. A second call does nothing. */
  close(): void {
    this.#database.close();
  }

  #attempt<Value>(work: () => Result<Value, SessionErrorCode>): Result<Value, SessionErrorCode> {
    const outcome = attemptDatabase(work);
    return outcome.ok ? outcome.value : outcome;
  }

  #find(sessionId: string): Result<Session, SessionErrorCode> {
    const row = this.#database.get('SELECT * FROM sessions WHERE id = ?', [sessionId]);
    return row === undefined ? noSuchSession(sessionId) : succeed(sessionOf(row));
  }

  #update(
    sessionId: string,
    assignments: string,
    values: readonly (string | number | null)[],
  ): Result<void, SessionErrorCode> {
    return this.#attempt(() => {
      const { changes } = this.#database.run(`UPDATE sessions SET ${assignments} WHERE id = ?`, [
        ...values,
        sessionId,
      ]);
      return changes === 0 ? noSuchSession(sessionId) : succeed(undefined);
    });
  }

  #insertSession(session: NewSession & { readonly id: string; readonly rootSessionId: string }): void {
    const now = toSeconds(this.#clock.now());
    this.#database.run(
      `INSERT INTO sessions (id, root_session_id, parent_session_id, source, model, title, cwd, started_at, last_active_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        session.id,
        session.rootSessionId,
        session.parentSessionId,
        session.source,
        session.model,
        titleOf(session.title),
        session.cwd,
        now,
        now,
      ],
    );
  }

  #insertMessage(sessionId: string, { message, turnId, timestampMs }: TurnMessage): void {
    const columns = encodeMessage(message);
    this.#database.run(
      `INSERT INTO messages (session_id, turn_id, timestamp, role, content, tool_calls, tool_call_id, tool_name, status,
         synthetic, context, pushed_back, exact)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        sessionId,
        turnId,
        toSeconds(timestampMs ?? this.#clock.now()),
        columns.role,
        columns.content,
        columns.tool_calls,
        columns.tool_call_id,
        columns.tool_name,
        columns.status,
        columns.synthetic,
        columns.context,
        columns.pushed_back,
        columns.exact,
      ],
    );
  }

  #load(sessionId: string): Result<readonly LoadedMessage[], SessionErrorCode> {
    const found = this.#find(sessionId);
    if (!found.ok) return found;
    const rows = this.#database.all(`SELECT * FROM messages WHERE session_id = ? AND ${LIVE} ORDER BY id`, [
      sessionId,
    ]);
    const loaded: LoadedMessage[] = [];
    for (const row of rows) {
      const message = decodeMessage(row);
      if (!message.ok) return corruptMessage(this.#database.path, row, message.message);
      loaded.push({
        id: Number(row['id']),
        message: message.value,
        turnId: typeof row['turn_id'] === 'string' ? row['turn_id'] : '',
        timestampMs: toMs(row['timestamp']),
      });
    }
    return succeed(loaded);
  }

  /** How many messages that was; none when there is no `firstId`. */
  #retireFrom(sessionId: string, firstId: number | undefined, by: 'rewind' | 'repair'): number {
    if (firstId === undefined) return 0;
    return this.#database.run(
      `UPDATE messages SET retired_by = ? WHERE session_id = ? AND id >= ? AND ${LIVE}`,
      [by, sessionId, firstId],
    ).changes;
  }

  #recount(sessionId: string): void {
    this.#database.run(
      `UPDATE sessions SET (message_count, tool_call_count) = (
         SELECT count(*), coalesce(sum(CASE WHEN json_valid(tool_calls) THEN json_array_length(tool_calls) END), 0)
         FROM messages WHERE session_id = sessions.id AND ${LIVE}
       ) WHERE id = ?`,
      [sessionId],
    );
  }
}

interface LoadedMessage extends StoredMessage {
  /** Of its row. */
  readonly id: number;
}

/**
 * Each repaired message with the turn and time of its own row. A result belongs to the turn of its call, wherever it
 * was found; what is new belongs to the turn of the message before it.
 */
function withTurns(repaired: readonly Message[], stored: readonly LoadedMessage[]): readonly TurnMessage[] {
  const known = new Map(stored.map((entry) => [entry.message, entry]));
  let turnId = stored[0]?.turnId ?? '';
  return repaired.map((message): TurnMessage => {
    const entry = known.get(message);
    if (message.role !== 'tool') turnId = entry?.turnId ?? turnId;
    return { message, turnId, ...(entry !== undefined && { timestampMs: entry.timestampMs }) };
  });
}

function titleOf(title: string | undefined): string | null {
  const line = oneLine(title ?? '');
  return line === '' ? null : line;
}

function callCount(message: Message): number {
  return message.role === 'assistant' ? message.calls.length : 0;
}

function noSuchSession(sessionId: string): Failure<'no_such_session'> {
  return fail(
    'no_such_session',
    `There is no session ${JSON.stringify(sessionId)}.`,
    'herma sessions list shows them.',
  );
}

function noSuchTurn(sessionId: string, turnId: string): Failure<'no_such_turn'> {
  return fail(
    'no_such_turn',
    `Session ${JSON.stringify(sessionId)} has no turn ${JSON.stringify(turnId)}.`,
    'The turn may have been rewound already, or be part of an earlier session of the same lineage.',
  );
}

function corruptMessage(path: string, row: Row, reason: string): Failure<'corrupt_message'> {
  return fail(
    'corrupt_message',
    `Message ${String(row['id'])} in ${path} cannot be read: ${reason}.`,
    'The file is left as it is; begin a new session, or mend the row with sqlite3.',
  );
}
