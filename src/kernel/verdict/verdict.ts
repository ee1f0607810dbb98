import { getString, isJsonObject } from '../json/index.ts';

/**
 * What one guard says of a call. There is no "allow": a guard that has nothing against a call abstains, so no guard
 * can speak for another.
 */
export type Verdict =
  | { readonly type: 'abstain' }
  | { readonly type: 'ask'; readonly message: string; readonly ruleKey?: string }
  | { readonly type: 'block'; readonly message: string };

/**
 * The verdict that somebody gave, undefined when it is none: guards are written by others too. One that blocks or asks
 * does so whatever its message is.
 */
export function readVerdict(given: unknown): Verdict | undefined {
  if (!isJsonObject(given)) return undefined;
  const message = getString(given, 'message') ?? '';
  switch (getString(given, 'type') ?? '') {
    case 'abstain':
      return ABSTAIN;
    case 'block':
      return { type: 'block', message };
    case 'ask': {
      const ruleKey = getString(given, 'ruleKey');
      return ruleKey === undefined ? { type: 'ask', message } : { type: 'ask', message, ruleKey };
    }
    default:
      return undefined;
  }
}

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
