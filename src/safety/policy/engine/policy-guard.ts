import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import { ABSTAIN, type CallGuard, type Verdict } from '../../../kernel/verdict/index.ts';
import type { PolicyVerdict } from '../evaluation/policy-verdict.ts';
import type { PolicyEngine } from './policy-engine.ts';

export interface PolicyGuardOptions {
  /** Whether nobody can be asked about the call. */
  readonly isUnattended: (call: ToolCall) => boolean;
}

/** Far above what judging takes: it is there for a disk that does not answer. */
const TIME_LIMIT_MS = 10_000;

/**
 * The policy as a guard of the gate; stands behind the hooks, so that it sees the arguments that will run. Never says that a call is
 * allowed: it abstains. An answer to its question is for exactly this call, never for the rule.
 */
export function policyGuard(engine: PolicyEngine, { isUnattended }: PolicyGuardOptions): CallGuard {
  return {
    name: 'policy',
    onFailure: 'block',
    timeLimitMs: TIME_LIMIT_MS,
    recheck: true,
    consult: async (call, { recheck }) => {
      const { verdict, warnings } = await engine.evaluate(call, { unattended: isUnattended(call), recheck });
      return { verdict: verdictForGate(verdict), warnings };
    },
  };
}

function verdictForGate({ effective, message }: PolicyVerdict): Verdict {
  return effective === 'allow' ? ABSTAIN : { type: effective, message };
}
