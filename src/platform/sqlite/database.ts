import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { retryWhileBusy } from './retry-busy.ts';

/** A value a column can take. Booleans are stored as 0 and 1, `undefined` as NULL. */
export type SqlValue = SQLInputValue | boolean | undefined;

/** A row, by column name. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

export interface RunResult {
  readonly changes: number;
  readonly lastId: number;
}

/** An open SQLite database. Every call waits for other processes; only errors that a wait cannot mend are thrown. */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  #open = true;

  constructor(path: string, connection: DatabaseSync) {
    this.path = path;
    this.#connection = connection;
  }

  run(sql: string, ...values: readonly SqlValue[]): RunResult {
    const { changes, lastInsertRowid } = this.#retry(() => this.#statement(sql).run(...values.map(bindable)));
    return { changes: Number(changes), lastId: Number(lastInsertRowid) };
  }

  get(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#retry(() => this.#statement(sql).get(...values.map(bindable)));
  }

  all(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#retry(() => this.#statement(sql).all(...values.map(bindable)));
  }

  /** Several statements at once, without values. */
  script(sql: string): void {
    this.#retry(() => this.#connection.exec(sql));
  }

  /**
   * Runs `work` in one transaction: all of it is stored, or, when it throws, none. The write lock is taken at the
   * start, so a read inside cannot be overtaken. Inside another transaction it is a savepoint of that one.
   */
  transaction<Value>(work: () => Value): Value {
    const name = `level_${String(this.#depth)}`;
    const isOutermost = this.#depth === 0;
    this.#retry(() => this.#connection.exec(isOutermost ? 'BEGIN IMMEDIATE' : `SAVEPOINT ${name}`));
    this.#depth += 1;
    try {
      const value = work();
      this.#depth -= 1;
      this.#retry(() => this.#connection.exec(isOutermost ? 'COMMIT' : `RELEASE ${name}`));
      return value;
    } catch (error) {
      this.#depth = isOutermost ? 0 : this.#depth;
      this.#rollBack(isOutermost ? 'ROLLBACK' : `ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    }
  }

  /** Closes the file and merges its write-ahead log. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#connection.close();
  }

  /** SQLite may have rolled back by itself already (a full disk); then there is nothing left to undo. */
  #rollBack(sql: string): void {
    if (this.#connection.isTransaction) this.#connection.exec(sql);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#connection.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  /** Inside a transaction the lock is held already; waiting there could only wait for ourselves. */
  #retry<Value>(work: () => Value): Value {
    return this.#depth > 0 ? work() : retryWhileBusy(work);
  }
}

function bindable(value: SqlValue): SQLInputValue {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : value;
}
