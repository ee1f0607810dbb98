import { DECISIONS, type PolicyDecision } from '../rules/policy-rule.ts';

/** A rule that fits a call, as far as the decision depends on it. */
export interface FoldMatch {
  readonly decision: PolicyDecision;
  /** Whether an `allow` can lower it; only a question can be lowered at all. */
  readonly isLiftable: boolean;
  /** Whether it stands for a rule of the policy's author: only these take the place of the default. */
  readonly isOwn: boolean;
}

/**
 * The decision of all rules that fit, whatever their order: a block is a block; a question stands unless it can be lowered and
 * somebody allows; the default counts where no rule of the author fits.
 */
export function foldMatches(matches: readonly FoldMatch[], fallback: PolicyDecision): PolicyDecision {
  const allows = matches.some(({ decision }) => decision === 'allow');
  const standing = matches.filter(
    ({ decision, isLiftable }) => !(decision === 'ask' && isLiftable && allows),
  );
  const decisions = standing.map(({ decision }) => decision);
  if (!matches.some(({ isOwn }) => isOwn)) decisions.push(fallback);
  return DECISIONS.findLast((decision) => decisions.includes(decision)) ?? 'allow';
}
