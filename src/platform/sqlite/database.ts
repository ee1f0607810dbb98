import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { displayPath, fileSystemPath } from '../paths/index.ts';
import { DatabaseError, toDatabaseError } from './database-error.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { type Row, type SqlParameters, type SqlValue, toSqlValue } from './sql-value.ts';

const MAX_CACHED_STATEMENTS = 200;
/** A WAL longer than this is emptied by {@link Database.close} even when others still use the database. */
const LONG_WAL_BYTES = 1024 * 1024;

export interface RunResult {
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
  readonly lastRowId: number;
}

/**
 * A connection to one database. Everything is synchronous: while another process holds the lock, the thread waits for it,
 * for at most the busy time-out of the connection.
 *
 * All methods throw {@link DatabaseError} for what may happen to any statement (locked for too long, disk full, damaged,
 * a constraint); `attemptDatabase` turns that into a value. Wrong SQL throws what `node:sqlite` throws.
 */
export class Database implements Disposable {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  #isClosed = false;

  /** Made by `openDatabase` alone. */
  constructor(connection: DatabaseSync, path: string, busyTimeoutMs: number) {
    this.#connection = connection;
    this.path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Executes one statement that changes something. */
  run(sql: string, parameters: SqlParameters = []): RunResult {
    const { changes, lastInsertRowid } = this.#execute(sql, (statement) =>
      isList(parameters)
        ? statement.run(...parameters.map(toSqlValue))
        : statement.run(toNamedValues(parameters)),
    );
    return { changes: Number(changes), lastRowId: Number(lastInsertRowid) };
  }

  /** The first row of one statement; undefined when it has none. */
  get(sql: string, parameters: SqlParameters = []): Row | undefined {
    return this.#execute(sql, (statement) =>
      isList(parameters)
        ? statement.get(...parameters.map(toSqlValue))
        : statement.get(toNamedValues(parameters)),
    );
  }

  /** All rows of one statement. */
  all(sql: string, parameters: SqlParameters = []): readonly Row[] {
    return this.#execute(sql, (statement) =>
      isList(parameters)
        ? statement.all(...parameters.map(toSqlValue))
        : statement.all(toNamedValues(parameters)),
    );
  }

  /** Executes any number of statements, without parameters. */
  exec(sql: string): void {
    this.#attempt(() => this.#connection.exec(sql));
  }

  /** Whether {@link transaction} is running. */
  get isInTransaction(): boolean {
    return this.#depth > 0;
  }

  /**
   * Runs `work` in a transaction that can write from its beginning (BEGIN IMMEDIATE), so that what it reads stays true
   * until it is committed. All of its changes are kept when it returns, none when it throws. Inside another transaction it is
   * a savepoint: when it throws, its own changes alone are undone.
   *
   * @throws TypeError when `work` returns a promise: a transaction cannot wait.
   */
  transaction<Value>(work: () => Value): Value {
    const savepoint = `herma_${this.#depth}`;
    const isOutermost = this.#depth === 0;
    this.exec(isOutermost ? 'BEGIN IMMEDIATE' : `SAVEPOINT ${savepoint}`);
    this.#depth += 1;
    try {
      const value = work();
      if (isThenable(value)) throw new TypeError('the work of a transaction must not be asynchronous');
      this.#wait(() => this.#connection.exec(isOutermost ? 'COMMIT' : `RELEASE ${savepoint}`));
      return value;
    } catch (error) {
      this.#undo(isOutermost ? 'ROLLBACK' : `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`);
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** What is wrong with the file, by SQLite's own check of all of it; nothing when it is sound. */
  checkIntegrity(): readonly string[] {
    try {
      const messages = this.all('PRAGMA quick_check').map((row) => String(row['quick_check']));
      return messages.length === 1 && messages[0] === 'ok' ? [] : messages;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === 'corrupt') return [error.message];
      throw error;
    }
  }

  /**
   * Closes the connection; an open transaction is undone. The last one to close brings the write-ahead log into the database
   * and removes it; one that is not the last does so when the log has become long and nobody reads in it. Does nothing the
   * second time.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#shortenLog();
    this.#isClosed = true;
    this.#statements.clear();
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #execute<Value>(sql: string, step: (statement: StatementSync) => Value): Value {
    return this.#attempt(() => step(this.#prepare(sql)));
  }

  #attempt<Value>(work: () => Value): Value {
    if (this.#isClosed) {
      const message = `the database ${displayPath(this.path)} is closed`;
      throw new DatabaseError('closed', { message, remedy: 'open it again' });
    }
    if (this.#depth === 0) return this.#wait(work);
    try {
      // The lock is held already: waiting could only be for ourselves.
      return work();
    } catch (error) {
      throw toDatabaseError(error, this.path);
    }
  }

  #wait<Value>(work: () => Value): Value {
    try {
      return retryWhileBusy(this.#busyTimeoutMs, work);
    } catch (error) {
      throw toDatabaseError(error, this.path);
    }
  }

  #prepare(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#connection.prepare(sql);
    assertSingleStatement(sql, statement.sourceSQL);
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= MAX_CACHED_STATEMENTS && oldest.done !== true)
      this.#statements.delete(oldest.value);
    this.#statements.set(sql, statement);
    return statement;
  }

  #undo(sql: string): void {
    // SQLite has undone everything itself after some errors, such as a full disk.
    if (this.#isClosed || !this.#connection.isTransaction) return;
    try {
      this.#connection.exec(sql);
    } catch {
      // What led here is thrown by the caller. Closing undoes the transaction, which must not stay open.
      this.#isClosed = true;
      this.#connection.close();
    }
  }

  #shortenLog(): void {
    const log = statSync(fileSystemPath(`${this.path}-wal`), { throwIfNoEntry: false });
    if (log === undefined || log.size <= LONG_WAL_BYTES || this.#connection.isTransaction) return;
    try {
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The content is safe where it is, and the next to close tries again.
      if (!(toDatabaseError(error, this.path) instanceof DatabaseError)) throw error;
    }
  }
}

function isList(parameters: SqlParameters): parameters is Extract<SqlParameters, readonly unknown[]> {
  return Array.isArray(parameters);
}

function toNamedValues(parameters: Exclude<SqlParameters, readonly unknown[]>): Record<string, SqlValue> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, toSqlValue(value)]));
}

/** `node:sqlite` ignores whatever follows the first statement. */
function assertSingleStatement(sql: string, prepared: string): void {
  const rest = sql.slice(prepared.length).replaceAll(/--[^\n]*|\/\*[^]*?\*\//g, '');
  if (/[^\s;]/.test(rest))
    throw new SyntaxError(`more than one statement in ${JSON.stringify(sql.slice(0, 200))}`);
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
