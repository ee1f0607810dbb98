import type { Decision, Opinion } from './verdict.ts';

/**
 * Folds opinions, strictest wins whatever their order: block, then ask, then abstain. The first block in order speaks; a
 * block without a message says who blocked. Of several guards that ask, the first is named, all say why, and a yes is an
 * answer to all of them: one that is given for longer is bound to the rules of all, and to exactly this call as soon as one
 * of them asks without a rule. So no answer to one guard ever passes for an answer to another.
 */
export function foldOpinions(opinions: readonly Opinion[]): Decision {
  for (const { by, verdict } of opinions) {
    if (verdict.type === 'block')
      return { type: 'block', by, message: verdict.message.trim() || `blocked by ${by}`.trim() };
  }
  const questions = opinions.flatMap(questionOf);
  const [first] = questions;
  if (first === undefined) return { type: 'abstain' };
  const message = questions.map((question) => question.message).join('; ');
  const ruleKey = joinedKey(questions.map((question) => question.ruleKey));
  return { type: 'ask', by: first.by, message, ...(ruleKey === undefined ? {} : { ruleKey }) };
}

interface Question {
  readonly by: string;
  readonly message: string;
  readonly ruleKey: string | undefined;
}

function questionOf({ by, verdict }: Opinion): readonly Question[] {
  if (verdict.type !== 'ask') return [];
  return [{ by, message: verdict.message.trim() || `${by} asks for approval`, ruleKey: verdict.ruleKey }];
}

const SEPARATOR = ' & ';

/** The set of all keys, in one order; undefined when one is missing. */
function joinedKey(keys: readonly (string | undefined)[]): string | undefined {
  const named = keys.filter((key) => key !== undefined);
  if (named.length < keys.length) return undefined;
  return [...new Set(named.flatMap((key) => key.split(SEPARATOR)))].sort().join(SEPARATOR);
}
