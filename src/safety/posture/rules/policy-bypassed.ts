import { hasVerdict } from '../model/posture-row.ts';
import type { PostureRule } from './posture-rule.ts';

/** A call that ran although the policy would have refused it, or because `--yolo` answered in the place of a person. */
export const policyBypassed: PostureRule = {
  id: 'policy-bypassed',
  asi: 'ASI10',
  severity: 'HIGH',
  find: ({ calls, decisions }) => {
    const refusals = new Map(
      decisions
        .filter(({ raw }) => raw === 'block')
        .map((decision) => [keyOf(decision.call.tool, decision.call), decision]),
    );
    return calls.flatMap((call) => {
      if (!call.isExecuted) return [];
      const decision = refusals.get(keyOf(call.row.toolName, call.row));
      if (decision === undefined)
        return hasVerdict(call.row, 'approval', 'approved:yolo')
          ? [{ calls: [call], evidence: `--yolo approved it: ${call.title}` }]
          : [];
      return [{ calls: [call], evidence: `${decision.rule} (${decision.mode}): ${call.title}` }];
    });
  },
};

interface Ids {
  readonly rootSessionId: string;
  readonly turnId: string;
  readonly callId: string;
}

function keyOf(tool: string, { rootSessionId, turnId, callId }: Ids): string {
  return JSON.stringify([rootSessionId, turnId, callId, tool]);
}
