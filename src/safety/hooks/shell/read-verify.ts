import { getString, type JsonObject } from '../../../kernel/json/index.ts';

/** Whether an object sends the model on, in Hermes's dialect (`continue`) or in that of Claude's stop hooks (`block`). */
export function saysGoOn(object: JsonObject): boolean {
  return ['action', 'decision'].some((key) => {
    const verb = getString(object, key)?.trim().toLowerCase();
    return verb === 'continue' || verb === 'block';
  });
}

/** What is still to be done, when the object sends the model on and says so; without a message it does not count. */
export function goOnMessage(object: JsonObject): string | undefined {
  if (!saysGoOn(object)) return undefined;
  return ['message', 'reason']
    .map((key) => getString(object, key)?.trim() ?? '')
    .find((message) => message !== '');
}
