import { type Failure, fail, HermaError } from '../../kernel/errors/index.ts';
import { displayPath } from '../paths/index.ts';

/**
 * What can happen to a sound statement. `busy`: other processes kept the database locked for the whole time limit.
 * `failed`: an error of the disk, or a file that cannot be opened (any more). `closed`: the database was closed here.
 */
export type DatabaseErrorCode =
  | 'busy'
  | 'disk_full'
  | 'read_only'
  | 'corrupt'
  | 'constraint'
  | 'failed'
  | 'closed';

export type Constraint = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'other';

/** A statement that could not be executed, for a reason that is no mistake in the program. */
export class DatabaseError extends HermaError {
  override readonly code: DatabaseErrorCode;
  /** Which constraint does not hold, when `code` is `constraint`. */
  readonly constraint: Constraint | undefined;

  constructor(
    code: DatabaseErrorCode,
    text: { readonly message: string; readonly remedy: string },
    error?: unknown,
  ) {
    super({ code, ...text }, { cause: error });
    this.name = 'DatabaseError';
    this.code = code;
    this.constraint = code === 'constraint' ? constraintOf(resultCodeOf(error)) : undefined;
  }
}

/** Runs `work`; a {@link DatabaseError} from it is returned as a failure. Anything else it throws is thrown. */
export function attemptDatabase<Value>(
  work: () => Value,
): { readonly ok: true; readonly value: Value } | Failure<DatabaseErrorCode> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return fail(error.code, error.message, error.remedy);
  }
}

/** The (extended) result code of an error of SQLite, see https://sqlite.org/rescode.html; undefined for other errors. */
export function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** SQLITE_BUSY, and SQLITE_PROTOCOL: a race for the locks of the WAL that was lost too often. */
export function isBusy(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === 5 || code === 15;
}

interface Explanation {
  readonly code: DatabaseErrorCode;
  readonly reason: string;
  readonly remedy: string;
}

const FAILED = { code: 'failed', remedy: 'check the disk and the permissions of the file' } as const;
const DAMAGED: Explanation = {
  code: 'corrupt',
  reason: 'the file is damaged',
  remedy: 'move it away, or restore a copy',
};
const BUSY: Explanation = {
  code: 'busy',
  reason: 'another process keeps it locked',
  remedy: 'end the program that uses it and try again',
};

/** By primary result code. */
const EXPLANATIONS: ReadonlyMap<number, Explanation> = new Map([
  [3, { ...FAILED, reason: 'permission denied' }],
  [5, BUSY],
  [
    8,
    { code: 'read_only', reason: 'it is read-only', remedy: 'check the mode of the file and of its folder' },
  ],
  [10, { ...FAILED, reason: 'the disk reported an error' }],
  [11, DAMAGED],
  [13, { code: 'disk_full', reason: 'the disk is full', remedy: 'free some space and try again' }],
  [14, { ...FAILED, reason: 'it cannot be opened' }],
  [15, BUSY],
  [19, { code: 'constraint', reason: 'a constraint does not hold', remedy: 'see the constraint' }],
  [26, { ...DAMAGED, reason: 'the file is damaged, or no database' }],
]);

/** The {@link DatabaseError} for what SQLite threw; the error itself when it is a mistake in the program. */
export function toDatabaseError(error: unknown, path: string): unknown {
  const explanation = EXPLANATIONS.get(primaryCodeOf(error) ?? -1);
  if (explanation === undefined) return error;
  const { code, reason, remedy } = explanation;
  const detail = code === 'constraint' && error instanceof Error ? error.message : reason;
  return new DatabaseError(
    code,
    { message: `cannot use the database ${displayPath(path)}: ${detail}`, remedy },
    error,
  );
}

function primaryCodeOf(error: unknown): number | undefined {
  const code = resultCodeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

/** By extended result code: SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY, _ROWID, _FOREIGNKEY, _CHECK, _NOTNULL. */
const CONSTRAINTS: ReadonlyMap<number | undefined, Constraint> = new Map([
  [2067, 'unique'],
  [1555, 'unique'],
  [2579, 'unique'],
  [787, 'foreign_key'],
  [275, 'check'],
  [1299, 'not_null'],
]);

function constraintOf(resultCode: number | undefined): Constraint {
  return CONSTRAINTS.get(resultCode) ?? 'other';
}
