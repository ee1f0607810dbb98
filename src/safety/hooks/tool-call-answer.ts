import { getOwn, getString, isJsonObject, type JsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { ABSTAIN, type GuardAnswer } from '../../kernel/verdict/index.ts';

/**
 * Reads what a `pre_tool_call` callback returned: `{action: 'block' | 'approve' | 'modify', …}`.
 *
 * Nothing at all, or an empty object, abstains. Anything else that is not understood throws, so that the failure
 * mode of the callback decides: a misspelt verdict is no permission.
 */
export function readToolCallAnswer(returned: unknown, args: JsonObject): GuardAnswer {
  if (returned === undefined || returned === null) return { verdict: ABSTAIN };
  const answer = toJsonValue(returned);
  if (!isJsonObject(answer)) throw new Error(`answered ${shown(answer)}, which is no verdict`);
  if (Object.keys(answer).length === 0) return { verdict: ABSTAIN };
  const message = getString(answer, 'message') ?? '';
  switch (getString(answer, 'action') ?? '') {
    case 'block':
      return { verdict: { type: 'block', message } };
    case 'approve': {
      const ruleKey = getString(answer, 'rule_key');
      return {
        verdict: ruleKey === undefined ? { type: 'ask', message } : { type: 'ask', message, ruleKey },
      };
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

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 120);
}
