import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Failure, fail, succeed } from '../../kernel/errors/index.ts';
import { Database } from './database.ts';
import type { Migration } from './migration.ts';
import { retryWhileBusy } from './retry-busy.ts';
import { describeSqliteError, type SqliteFailureCode } from './sqlite-failure.ts';

export interface OpenOptions {
  /** FULL survives a power cut at every commit; NORMAL a killed process only (https://sqlite.org/pragma.html#pragma_synchronous). */
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly migrations: readonly Migration[];
  /** Opens an existing file for reading and changes nothing, its version included. */
  readonly readOnly?: boolean;
}

export type Opened = { readonly ok: true; readonly value: Database } | Failure<SqliteFailureCode>;

/**
 * Opens the database at `path` in WAL mode, 0600, brought up to the last migration.
 *
 * A file that is damaged, or was written by a newer version, is left exactly as it is and the failure says so.
 */
export function openDatabase(path: string, options: OpenOptions): Opened {
  let connection: DatabaseSync | undefined;
  try {
    if (options.readOnly !== true) createPrivate(path);
    connection = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    const opened = connection;
    const version = retryWhileBusy(() => versionOf(opened));
    if (version > options.migrations.length) {
      opened.close();
      return fail(
        'newer_version',
        `${path} was written by a newer version of Herma (schema ${String(version)}, this one knows ${String(options.migrations.length)}).`,
        'Update Herma, or use another HERMA_HOME.',
      );
    }
    const database = new Database(path, opened);
    if (options.readOnly !== true) prepare(database, options);
    return succeed(database);
  } catch (error) {
    connection?.close();
    return describeSqliteError(error, path);
  }
}

/** SQLite gives its log and index files the mode of the database file. */
function createPrivate(path: string): void {
  if (existsSync(path)) return;
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function prepare(database: Database, { synchronous, migrations }: OpenOptions): void {
  if (database.get('PRAGMA auto_vacuum')?.['auto_vacuum'] === 0 && isEmpty(database))
    database.script('PRAGMA auto_vacuum = INCREMENTAL');
  database.script('PRAGMA journal_mode = WAL');
  database.script(`PRAGMA synchronous = ${synchronous}`);
  database.script('PRAGMA foreign_keys = ON');
  migrate(database, migrations);
}

function isEmpty(database: Database): boolean {
  return database.get('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined;
}

/** Each step and its version number are one transaction; two processes at once apply each step once. */
function migrate(database: Database, migrations: readonly Migration[]): void {
  for (const [index, { sql }] of migrations.entries()) {
    const version = index + 1;
    if (currentVersion(database) >= version) continue;
    database.transaction(() => {
      if (currentVersion(database) >= version) return;
      database.script(sql);
      database.script(`PRAGMA user_version = ${String(version)}`);
    });
  }
}

function currentVersion(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

function versionOf(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}
