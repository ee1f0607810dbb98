/** What a column can hold. Numbers are integers up to 2^53 or floating point. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** What can be given to a statement: `undefined` becomes NULL, a boolean 0 or 1. */
export type SqlParameter = SqlValue | boolean | undefined;

/** For `?` in their order, or by name (without prefix) for `:name`, `@name`, `$name`. */
export type SqlParameters = readonly SqlParameter[] | Readonly<Record<string, SqlParameter>>;

/** One row. Has no prototype. */
export type Row = Readonly<Record<string, SqlValue>>;

/**
 * The value as SQLite is to store it. A whole number is passed as an integer, which Node would pass as floating point.
 *
 * @throws TypeError for NaN, which SQLite would turn into NULL.
 */
export function toSqlValue(parameter: SqlParameter): SqlValue {
  if (parameter === undefined) return null;
  if (typeof parameter === 'boolean') return parameter ? 1n : 0n;
  if (typeof parameter !== 'number') return parameter;
  if (Number.isNaN(parameter)) throw new TypeError('NaN cannot be stored in a database');
  return Number.isSafeInteger(parameter) ? BigInt(parameter) : parameter;
}

/** The text in a column. @throws TypeError when it is anything else. */
export function textColumn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrongType(column, 'text', value);
  return value;
}

/** The number in a column. @throws TypeError when it is anything else. */
export function numberColumn(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw wrongType(column, 'a number', value);
  return value;
}

/** The text in a column, undefined for NULL. @throws TypeError when it is anything else. */
export function optionalTextColumn(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textColumn(row, column);
}

/** The number in a column, undefined for NULL. @throws TypeError when it is anything else. */
export function optionalNumberColumn(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberColumn(row, column);
}

function wrongType(column: string, expected: string, value: SqlValue | undefined): TypeError {
  const found = value === undefined ? 'missing' : value === null ? 'NULL' : typeof value;
  return new TypeError(`the column "${column}" is to hold ${expected}, and is ${found}`);
}
