import type { Decision, Opinion } from './verdict.ts';

/**
 * Folds opinions, strictest wins whatever their order: block, then ask, then abstain. Among equals the first in
 * order speaks. A block without a message says who blocked, an ask without one says who asks.
 */
export function foldOpinions(opinions: readonly Opinion[]): Decision {
  for (const { by, verdict } of opinions) {
    if (verdict.type === 'block')
      return { type: 'block', by, message: verdict.message.trim() || `blocked by ${by}` };
  }
  for (const { by, verdict } of opinions) {
    if (verdict.type !== 'ask') continue;
    const { ruleKey } = verdict;
    const message = verdict.message.trim() || `${by} asks for approval`;
    return ruleKey === undefined ? { type: 'ask', by, message } : { type: 'ask', by, message, ruleKey };
  }
  return { type: 'abstain' };
}
