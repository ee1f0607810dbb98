import { ABSTAIN, type CallGuard } from '../../kernel/verdict/index.ts';

/**
 * A guard that asks a person before every call of the tools named by `patterns`, in which `*` stands for any text.
 */
export function askGuard(patterns: readonly string[]): CallGuard {
  const matchers = patterns.map(globMatcher);
  return {
    name: 'approvals.ask',
    onFailure: 'block',
    timeLimitMs: Number.POSITIVE_INFINITY,
    recheck: true,
    consult: async (call) => {
      if (!matchers.some((matches) => matches.test(call.tool))) return Promise.resolve({ verdict: ABSTAIN });
      return { verdict: { type: 'ask', message: `approvals.ask names ${call.tool}` } };
    },
  };
}

function globMatcher(pattern: string): RegExp {
  const source = pattern.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source}$`, 's');
}
