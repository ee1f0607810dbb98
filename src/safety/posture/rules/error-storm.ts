import type { ReadCall } from '../reading/read-call.ts';
import { bursts } from './bursts.ts';
import type { PostureRule, Sighting } from './posture-rule.ts';

const BURST = { least: 5, withinMs: 10 * 60_000 };
const MIN_CALLS = 20;
const MAX_SHARE = 0.3;

/** Many errors of one tool in ten minutes; where there is no such burst, many among all its calls. */
export const errorStorm: PostureRule = {
  id: 'error-storm',
  asi: 'ASI08',
  severity: 'MEDIUM',
  find: ({ calls }) => {
    const ran = calls.filter(({ isExecuted }) => isExecuted);
    return [...Map.groupBy(ran, ({ row }) => row.toolName)].flatMap(([tool, list]) => stormsOf(tool, list));
  },
};

function stormsOf(tool: string, calls: readonly ReadCall[]): readonly Sighting[] {
  const errors = calls.filter(({ row }) => row.status.startsWith('ERROR'));
  const storms = bursts(errors, BURST);
  if (storms.length > 0)
    return storms.map((list) => ({
      calls: list,
      evidence: `${tool}: ${String(list.length)} errors within 10 minutes`,
    }));
  if (calls.length < MIN_CALLS || errors.length / calls.length <= MAX_SHARE) return [];
  const share = `${String(errors.length)} of ${String(calls.length)}`;
  return [{ calls: errors, evidence: `${tool}: ${share} calls ended with an error` }];
}
