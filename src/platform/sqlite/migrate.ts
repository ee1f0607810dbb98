import type { Database } from './database.ts';
import { numberColumn } from './sql-value.ts';

/** One step in the life of a schema. A step that was published is never changed; another one is added. */
export interface Migration {
  /** 1 for the first, 2 for the second, … */
  readonly version: number;
  /** SQL, or a function that works on the database; in a transaction, with foreign keys checked at its end. */
  readonly up: string | ((database: Database) => void);
}

/** The version a database was brought to (its `user_version`); 0 when it is new. */
export function schemaVersion(database: Database): number {
  const row = database.get('PRAGMA user_version');
  return row === undefined ? 0 : numberColumn(row, 'user_version');
}

/** The version that the last of `migrations` leads to. @throws RangeError when they are not numbered 1, 2, 3, … */
export function latestVersion(migrations: readonly Migration[]): number {
  const misplaced = migrations.find(({ version }, index) => version !== index + 1);
  if (misplaced !== undefined)
    throw new RangeError(`the migration to version ${misplaced.version} is out of order`);
  return migrations.length;
}

/**
 * Brings the database to the latest version, one transaction for each step. Several processes may do so at once: each step
 * is done by one of them. Foreign keys are not enforced while it runs, so that tables can be rebuilt.
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  for (const { version, up } of migrations) {
    if (schemaVersion(database) >= version) continue;
    database.transaction(() => {
      if (schemaVersion(database) >= version) return;
      if (typeof up === 'string') database.exec(up);
      else up(database);
      assertForeignKeys(database, version);
      database.exec(`PRAGMA user_version = ${version}`);
    });
  }
}

function assertForeignKeys(database: Database, version: number): void {
  const broken = database.get('PRAGMA foreign_key_check');
  if (broken === undefined) return;
  throw new Error(
    `the migration to version ${version} leaves rows of "${String(broken['table'])}" that refer to nothing`,
  );
}
