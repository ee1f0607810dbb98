/** What a callback returns when it also has to warn a person: its answer, and one line per warning. */
export class ReportedAnswer {
  /** What it would have returned without the warnings. */
  readonly value: unknown;
  readonly warnings: readonly string[];

  constructor(value: unknown, warnings: readonly string[]) {
    this.value = value;
    this.warnings = warnings;
  }
}

/** The answer and the warnings of whatever a callback returned. */
export function readReported(returned: unknown): {
  readonly value: unknown;
  readonly warnings: readonly string[];
} {
  return returned instanceof ReportedAnswer ? returned : { value: returned, warnings: NONE };
}

const NONE: readonly string[] = [];
