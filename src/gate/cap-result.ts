import type { ToolOutcome } from './tool-outcome.ts';

/** Characters of one result that a conversation takes; about 50,000 tokens. */
const MAX_RESULT_CHARS = 200_000;
/** Room for the line that says what is missing, so that a text that was cut is not cut again. */
const MARK_CHARS = 100;

/** The outcome with texts that a conversation takes; see {@link capText}. */
export function capResult(outcome: ToolOutcome): ToolOutcome {
  const result = outcome.result === undefined ? {} : { result: capText(outcome.result) };
  return outcome.status === 'ok'
    ? { ...outcome, ...result }
    : { ...outcome, ...result, message: capText(outcome.message) };
}

/** Head and tail of a text that is longer than a conversation takes; between them, how much is left out. */
export function capText(text: string): string {
  if (text.length <= MAX_RESULT_CHARS + MARK_CHARS) return text;
  const half = Math.floor(MAX_RESULT_CHARS / 2);
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(-half).toWellFormed();
  return `${head}\n[… ${String(text.length - 2 * half)} characters left out …]\n${tail}`;
}
