import { type Failure, fail, messageOf } from '../../kernel/errors/index.ts';

export type SqliteFailureCode = 'corrupt' | 'newer_version' | 'unreadable' | 'busy' | 'full' | 'failed';

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const BUSY = 5;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** The primary result code of an error that SQLite raised. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** What an error of SQLite means for the person who owns the file. */
export function describeSqliteError(error: unknown, path: string): Failure<SqliteFailureCode> {
  switch (sqliteCode(error)) {
    case BUSY:
      return fail(
        'busy',
        `${path} is locked by another process.`,
        'Try again, or end the process that holds it.',
      );
    case CORRUPT:
    case NOT_A_DATABASE:
      return fail(
        'corrupt',
        `${path} is damaged: ${messageOf(error)}.`,
        'Move it aside to begin with a new one; it is not touched.',
      );
    case FULL:
      return fail('full', `${path} cannot grow: the disk is full.`, 'Free some space and try again.');
    case READ_ONLY:
    case CANNOT_OPEN:
      return fail(
        'unreadable',
        `${path} cannot be opened: ${messageOf(error)}.`,
        'Check that it and its folder can be written.',
      );
    default:
      return fail('failed', `${path}: ${messageOf(error)}.`);
  }
}
