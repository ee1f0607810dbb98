const BRAND = Symbol.for('herma.error');

/** What every expected failure tells a person: what failed with which value, and what to do next. */
export interface Failure<Code extends string = string> {
  readonly ok: false;
  readonly code: Code;
  /** One line: what failed, with the value. */
  readonly message: string;
  /** One line: what to do next. */
  readonly remedy?: string;
}

/** The outcome of something that can fail in an expected way. */
export type Result<Value, Code extends string = string> =
  | { readonly ok: true; readonly value: Value }
  | Failure<Code>;

export function succeed<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Code extends string>(code: Code, message: string, remedy?: string): Failure<Code> {
  return remedy === undefined ? { ok: false, code, message } : { ok: false, code, message, remedy };
}

/**
 * Carries a {@link Failure} out of a depth where returning it would burden every caller in between. Caught at the
 * edge (a command, a request), which prints message and remedy without a stack trace.
 */
export class HermaError extends Error {
  readonly [BRAND] = true;
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(failure: Omit<Failure, 'ok'>, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'HermaError';
    this.code = failure.code;
    this.remedy = failure.remedy;
  }

  /** True for errors of this class from any copy of the package. */
  static isInstance(value: unknown): value is HermaError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The value of a result, or a {@link HermaError} with its failure. */
export function valueOrThrow<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new HermaError(result);
}
