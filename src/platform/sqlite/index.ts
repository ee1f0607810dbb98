export { Database, type Row, type RunResult, type SqlValue } from './database.ts';
export type { Migration } from './migration.ts';
export { type Opened, type OpenOptions, openDatabase } from './open-database.ts';
export { describeSqliteError, type SqliteFailureCode } from './sqlite-failure.ts';
