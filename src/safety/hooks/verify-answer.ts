import { getString, isJsonObject, toJsonValue } from '../../kernel/json/index.ts';

/**
 * Reads what a `pre_verify` callback returned: `{action | decision: 'continue' | 'block', message | reason}`. Undefined when
 * it does not send the model on: nothing was returned, no message was given, or it says something else.
 */
export function readVerifyAnswer(returned: unknown): string | undefined {
  if (returned === undefined || returned === null) return undefined;
  const answer = toJsonValue(returned);
  if (!isJsonObject(answer)) return undefined;
  const verbs = ['action', 'decision'].map((key) => getString(answer, key)?.trim().toLowerCase());
  if (!verbs.some((verb) => verb === 'continue' || verb === 'block')) return undefined;
  const texts = ['message', 'reason'].map((key) => getString(answer, key)?.trim() ?? '');
  return texts.find((text) => text !== '');
}
