export { Database, type RunResult } from './database.ts';
export { attemptDatabase, type Constraint, DatabaseError, type DatabaseErrorCode } from './database-error.ts';
export { type Migration, schemaVersion } from './migrate.ts';
export {
  type OpenDatabaseErrorCode,
  type OpenDatabaseOptions,
  type OpenDatabaseResult,
  openDatabase,
} from './open-database.ts';
export {
  numberColumn,
  optionalNumberColumn,
  optionalTextColumn,
  type Row,
  type SqlParameter,
  type SqlParameters,
  type SqlValue,
  textColumn,
} from './sql-value.ts';
