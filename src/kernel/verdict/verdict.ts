/**
 * What one guard says of a call. There is no "allow": a guard that has nothing against a call abstains, so no guard
 * can speak for another.
 */
export type Verdict =
  | { readonly type: 'abstain' }
  | { readonly type: 'ask'; readonly message: string; readonly ruleKey?: string }
  | { readonly type: 'block'; readonly message: string };

/** A verdict with the name of the guard that gave it. */
export interface Opinion {
  readonly by: string;
  readonly verdict: Verdict;
}

/** The verdict of all guards together, with the one whose word it is. */
export type Decision =
  | { readonly type: 'abstain' }
  | { readonly type: 'ask'; readonly by: string; readonly message: string; readonly ruleKey?: string }
  | { readonly type: 'block'; readonly by: string; readonly message: string };

export const ABSTAIN: Verdict = { type: 'abstain' };
