import type { ReadCall } from '../reading/read-call.ts';
import type { PostureRule, Sighting } from './posture-rule.ts';

const MAX_IN_TURN = 8;
const MAX_DEPTH = 2;

/** Much delegated in one turn, or delegated on by what was delegated. */
export const fanOut: PostureRule = {
  id: 'fanout',
  asi: 'ASI08',
  severity: 'MEDIUM',
  find: ({ calls, earlier }) => {
    const parents = new Map(
      [...earlier, ...calls].map(({ row }) => [row.sessionId, row.parentSessionId ?? undefined]),
    );
    const delegations = calls.filter(({ row, isExecuted }) => isExecuted && row.toolName === 'delegate_task');
    return [...wide(delegations), ...deep(delegations, parents)];
  },
};

function wide(delegations: readonly ReadCall[]): readonly Sighting[] {
  const turns = Map.groupBy(delegations, ({ row }) => JSON.stringify([row.sessionId, row.turnId]));
  return [...turns.values()]
    .filter((list) => list.length > MAX_IN_TURN)
    .map((list) => ({ calls: list, evidence: `${String(list.length)} delegations in one turn` }));
}

function deep(
  delegations: readonly ReadCall[],
  parents: ReadonlyMap<string, string | undefined>,
): readonly Sighting[] {
  const sessions = Map.groupBy(delegations, ({ row }) => row.sessionId);
  return [...sessions].flatMap(([session, calls]) => {
    const depth = ancestorsOf(session, parents) + 1;
    return depth > MAX_DEPTH ? [{ calls, evidence: `delegated ${String(depth)} levels deep` }] : [];
  });
}

function ancestorsOf(session: string, parents: ReadonlyMap<string, string | undefined>): number {
  const met = new Set([session]);
  for (let parent = parents.get(session); parent !== undefined && !met.has(parent); ) {
    met.add(parent);
    parent = parents.get(parent);
  }
  return met.size - 1;
}
