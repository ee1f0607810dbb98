import type { Effect } from '../../kernel/tool-call/index.ts';

/** What the model is told of a call that could change nothing. */
const DID_NOT_FINISH =
  'This call did not finish: no result of it was recorded. It only reads, so it can safely be made again.';

/** What the model is told of any other call: it may have happened, so it must not read as a failure. */
const EFFECT_UNKNOWN =
  'No result of this call was recorded, so its effect is unknown: it may have happened in full, in part or not at all. Inspect the actual state before repeating it.';

/**
 * What stands in for a result nobody saw. True in every case: the call was issued, and how it ended is not known. It
 * never says that the call was aborted or failed, which a model takes for "did not happen".
 */
export function missingResultText(effect: Effect): string {
  return effect === 'none' ? DID_NOT_FINISH : EFFECT_UNKNOWN;
}

/** Whether `text` is one of {@link missingResultText}, as a whole: a result that quotes it is a real one. */
export function isMissingResultText(text: string): boolean {
  return text === DID_NOT_FINISH || text === EFFECT_UNKNOWN;
}

/** Stands in for the user message a list must start with. */
export const OPENING_TEXT = '[The beginning of this conversation is not available.]';
