import type { CommandClass } from '../../../shell/index.ts';
import type { RuleSource } from '../conditions/compile-rule.ts';
import type { PolicyDecision, PolicySeverity } from '../rules/policy-rule.ts';

/** `off`: only the floors. `dry_run`: what would be refused is recorded, and only the floors refuse. `enforce`: the rules refuse. */
export const POLICY_MODES = ['off', 'dry_run', 'enforce'] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** A rule that fits a call or comes near. */
export interface PolicyCandidate {
  readonly rule: string;
  readonly source: RuleSource | 'engine';
  readonly decision: PolicyDecision;
  readonly severity: PolicySeverity;
  /** `lifted`: it asks, and another rule allows. */
  readonly state: 'match' | 'lifted' | 'near';
  /** By what it fits, in a few words. */
  readonly why: string;
}

/** What the policy says of one call. */
export interface PolicyVerdict {
  readonly mode: PolicyMode;
  /** What `enforce` does with it; with nobody to ask, a question is a block. */
  readonly raw: PolicyDecision;
  /** What is done with it in the mode. */
  readonly effective: PolicyDecision;
  /** The id of the rule that decided; undefined when none fits. */
  readonly rule: string | undefined;
  readonly source: RuleSource | 'engine' | undefined;
  readonly severity: PolicySeverity | undefined;
  /** The danger that decided, or the weightiest one that was found. */
  readonly class: CommandClass | undefined;
  /** The part of the command that decided, as it would run. */
  readonly resolved: string | undefined;
  /** Why, and what to do instead; for the model and for the person. Empty when nothing is held against the call. */
  readonly message: string;
  /** Every rule that fits or comes near; what fits comes first, the strictest in front. */
  readonly candidates: readonly PolicyCandidate[];
  /** Whether nobody was there to ask. */
  readonly unattended: boolean;
}
