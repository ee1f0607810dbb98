import { getOwn, getString, isJsonObject, type JsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { ABSTAIN, type GuardAnswer, type Verdict } from '../../kernel/verdict/index.ts';

/**
 * Reads what a `pre_tool_call` callback returned: `{action: 'block' | 'approve' | 'modify', …}`; an `approve` may change the
 * arguments too.
 *
 * Nothing at all, or an empty object, abstains. Anything else that is not understood throws, so that the failure
 * mode of the callback decides: a misspelt verdict is no permission, nor is a Map, an Error or an instance of a class,
 * which only look empty.
 */
export function readToolCallAnswer(returned: unknown, args: JsonObject): GuardAnswer {
  if (saysNothing(returned)) return { verdict: ABSTAIN };
  const answer = toJsonValue(returned);
  if (!isJsonObject(answer)) throw new Error(`answered ${shown(answer)}, which is no verdict`);
  const message = getString(answer, 'message') ?? '';
  switch (getString(answer, 'action') ?? '') {
    case 'block':
      return { verdict: { type: 'block', message } };
    case 'approve': {
      const ruleKey = getString(answer, 'rule_key')?.trim() ?? '';
      const verdict: Verdict = ruleKey === '' ? { type: 'ask', message } : { type: 'ask', message, ruleKey };
      const changes = getOwn(answer, 'args');
      if (changes === undefined) return { verdict };
      if (!isJsonObject(changes)) throw new Error('answered "approve" with "args" that are no object');
      return { verdict, args: { ...args, ...changes } };
    }
    case 'modify': {
      const changes = getOwn(answer, 'args');
      if (!isJsonObject(changes)) throw new Error('answered "modify" without an object "args"');
      return { verdict: ABSTAIN, args: { ...args, ...changes } };
    }
    default:
      throw new Error(`answered ${shown(answer)}, which is no verdict`);
  }
}

function saysNothing(returned: unknown): boolean {
  if (returned === undefined || returned === null) return true;
  return (
    isPlainObject(returned) &&
    Reflect.ownKeys(returned).every((key) => Reflect.get(returned, key) === undefined)
  );
}

/** An object written as `{…}`, in whatever realm. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 120);
}
