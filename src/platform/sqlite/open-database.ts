import { resolve } from 'node:path';
import { type Failure, fail, messageOf } from '../../kernel/errors/index.ts';
import {
  describeFileError,
  displayPath,
  type FileErrorCode,
  fileSystemPath,
  isFileError,
} from '../paths/index.ts';
import { Database } from './database.ts';
import { DatabaseError, type DatabaseErrorCode, resultCodeOf, toDatabaseError } from './database-error.ts';
import { prepareDatabaseFile } from './database-file.ts';
import { latestVersion, type Migration, migrate, schemaVersion } from './migrate.ts';
import { connect } from './sqlite-module.ts';

export interface OpenDatabaseOptions {
  /**
   * What a commit waits for. `FULL`: it is on the disk, and survives a power cut. `NORMAL`: it survives the end of the
   * process, however violent.
   */
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly migrations: readonly Migration[];
  /** Open an existing database of the latest version, and change nothing. */
  readonly readOnly?: boolean;
  /** How long a statement waits for other processes, in milliseconds; by default 5000. */
  readonly busyTimeoutMs?: number;
  /** Overwrite what is deleted with zeros. */
  readonly secureDelete?: boolean;
}

/**
 * `corrupt`: the file is damaged, or no database. `newer_version`: a later Herma wrote it. `older_version`: it would have to
 * be migrated, and is opened for reading only. `migration_failed`: it holds something else than was expected.
 */
export type OpenDatabaseErrorCode =
  | FileErrorCode
  | DatabaseErrorCode
  | 'newer_version'
  | 'older_version'
  | 'migration_failed';

export type OpenDatabaseResult =
  | { readonly ok: true; readonly value: Database }
  | Failure<OpenDatabaseErrorCode>;

/** A private database in memory. */
const IN_MEMORY = ':memory:';
const DEFAULT_BUSY_TIMEOUT_MS = 5000;
/**
 * To what the write-ahead log is cut when it has been brought into the database: about as long as SQLite lets it become before it does
 * that (1,000 pages). A shorter one would have to grow again after every cut, and a commit that makes the file longer takes twice as long.
 */
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Opens a database (`:memory:` for one in memory), creates it (0600, its folders 0700) when it is missing, and brings it to
 * the latest version. It uses a write-ahead log, enforces foreign keys, and gives back the space of deleted rows on
 * `PRAGMA incremental_vacuum`.
 *
 * When the answer is a failure, nothing is left open, and a damaged file or one of a newer version is as it was.
 *
 * @throws RangeError for migrations that are out of order, and whatever a migration function throws.
 */
export function openDatabase(path: string, options: OpenDatabaseOptions): OpenDatabaseResult {
  const { readOnly = false, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options;
  const latest = latestVersion(options.migrations);
  const location = path === IN_MEMORY ? path : resolve(path);
  let database: Database | undefined;
  try {
    const refused =
      location === IN_MEMORY ? undefined : prepareDatabaseFile(path === '' ? path : location, readOnly);
    if (refused !== undefined) return refused;
    database = new Database(connect(fileSystemPath(location), readOnly), location, busyTimeoutMs);
    const failure = setUp(database, latest, options);
    if (failure === undefined) return { ok: true, value: database };
    database.close();
    return failure;
  } catch (error) {
    database?.close();
    return toOpenFailure(error, path, latest);
  }
}

function setUp(
  database: Database,
  latest: number,
  options: OpenDatabaseOptions,
): OpenDatabaseResult | undefined {
  const { synchronous, migrations, readOnly = false, secureDelete = false } = options;
  // We wait ourselves. Reading the version is also the first look at the file.
  database.exec('PRAGMA busy_timeout = 0');
  const version = schemaVersion(database);
  if (version > latest) return newerVersion(database.path, version, latest);
  if (readOnly) return version < latest ? olderVersion(database.path, version, latest) : undefined;
  if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
  if (secureDelete) database.exec('PRAGMA secure_delete = ON');
  database.exec('PRAGMA foreign_keys = OFF');
  migrate(database, migrations);
  database.exec('PRAGMA foreign_keys = ON');
  return undefined;
}

function newerVersion(path: string, version: number, latest: number): Failure<OpenDatabaseErrorCode> {
  return fail(
    'newer_version',
    `the database ${displayPath(path)} was written by a newer Herma (its version is ${version}, this one knows ${latest})`,
    'update Herma, or set HERMA_HOME to another folder',
  );
}

function olderVersion(path: string, version: number, latest: number): Failure<OpenDatabaseErrorCode> {
  return fail(
    'older_version',
    `the database ${displayPath(path)} is of version ${version}, and version ${latest} is needed`,
    'open it once for writing, which brings it up to date',
  );
}

function toOpenFailure(error: unknown, path: string, latest: number): Failure<OpenDatabaseErrorCode> {
  if (isFileError(error)) return describeFileError(error, path, 'open the database');
  const known = toDatabaseError(error, path);
  if (known instanceof DatabaseError) return fail(known.code, known.message, known.remedy);
  if (resultCodeOf(error) === undefined) throw error;
  return fail(
    'migration_failed',
    `cannot bring the database ${displayPath(path)} to version ${latest}: ${messageOf(error)}`,
    'it may belong to another program: move it away',
  );
}
