import type { Redactor } from '../../../kernel/redact/index.ts';

/** UTF-16 code units of a recorded result, at most. */
export const MAX_RESULT_CHARS = 300;

/** The beginning of what a tool answered, without secrets. */
export function resultDigest(result: string, redactor: Redactor): string {
  return redactor.redactAndCut(result, MAX_RESULT_CHARS).toWellFormed();
}

/** What the status of a call that failed says; at most 80 characters that need no quoting. */
export function errorStatus(errorType: string | undefined): string {
  const type = (errorType ?? '').replaceAll(/[^\w.-]+/g, '_').slice(0, 80);
  return `ERROR:${type === '' ? 'error' : type}`;
}

/** The status of a call that was stopped by somebody. */
export function blockedStatus(by: string): string {
  return `BLOCKED:${by.replaceAll(/\s+/g, ' ').trim().slice(0, 120).toWellFormed()}`;
}
