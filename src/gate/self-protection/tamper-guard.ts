import { ABSTAIN, type CallGuard } from '../../kernel/verdict/index.ts';
import type { Lineages } from './lineages.ts';
import type { TamperRecords } from './tamper-records.ts';

const TIME_LIMIT_MS = 10_000;

export interface TamperGuardParts {
  readonly records: TamperRecords;
  readonly lineages: Lineages;
}

/**
 * Blocks every call that has an effect of a session of which a change of protected files is recorded, and of those it delegates to. Fails
 * closed: a record that cannot be read blocks.
 */
export function tamperGuard({ records, lineages }: TamperGuardParts): CallGuard {
  return {
    name: 'self-protection',
    onFailure: 'block',
    timeLimitMs: TIME_LIMIT_MS,
    recheck: false,
    consult: async (call) => {
      const sessions = lineages.of(call);
      if (call.effect === 'none') return Promise.resolve({ verdict: ABSTAIN });
      for (const id of sessions) {
        const why = records.whyBlocked(id);
        if (why !== undefined)
          return {
            verdict: {
              type: 'block',
              message: `${why}. Nothing but reading is possible until the person has looked (\`herma doctor\`); tell them.`,
            },
          };
      }
      return { verdict: ABSTAIN };
    },
  };
}
