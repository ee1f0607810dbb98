import type { ToolOutcome } from './tool-outcome.ts';

/** Characters of one result that a conversation takes; about 50,000 tokens. */
const MAX_RESULT_CHARS = 200_000;

/** The outcome with a result of at most {@link MAX_RESULT_CHARS}: head and tail are kept, the middle is counted. */
export function capResult(outcome: ToolOutcome): ToolOutcome {
  if (outcome.result === undefined || outcome.result.length <= MAX_RESULT_CHARS) return outcome;
  return { ...outcome, result: headAndTail(outcome.result, MAX_RESULT_CHARS) };
}

function headAndTail(text: string, maxChars: number): string {
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(-half).toWellFormed();
  return `${head}\n[… ${String(text.length - 2 * half)} characters left out …]\n${tail}`;
}
