import type { ReadCall } from '../reading/read-call.ts';
import type { PostureRule, Sighting } from './posture-rule.ts';

const MAX_TOOLS = 10;
const MAX_SERVERS = 4;
const MCP_TOOL = /^mcp__(.+?)__/;

/** Many different tools with an effect, or many MCP servers, in one lineage of sessions. */
export const breadth: PostureRule = {
  id: 'breadth',
  asi: 'ASI11',
  severity: 'LOW',
  find: ({ calls }) => {
    const acting = calls.filter(({ row, isExecuted }) => isExecuted && row.effectClass !== 'none');
    return [...Map.groupBy(acting, ({ row }) => row.rootSessionId).values()].flatMap(sightingIn);
  },
};

function sightingIn(calls: readonly ReadCall[]): readonly Sighting[] {
  const tools = new Set(calls.map(({ row }) => row.toolName));
  const servers = new Set(calls.flatMap(({ row }) => MCP_TOOL.exec(row.toolName)?.[1] ?? []));
  if (tools.size <= MAX_TOOLS && servers.size <= MAX_SERVERS) return [];
  const numbers = `${String(tools.size)} tools and ${String(servers.size)} MCP servers`;
  return [{ calls, evidence: `${numbers} in one session: ${[...tools].join(', ')}` }];
}
