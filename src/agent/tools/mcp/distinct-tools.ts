import type { McpServer, McpTool } from './connect-mcp-server.ts';

/**
 * The tools of some servers without those whose names collide, and one line for each collision that names both. Neither of
 * two tools gets the name: the one that was meant, and approved, could not be told from the other.
 */
export function distinctTools(servers: readonly McpServer[]): {
  readonly tools: readonly McpTool[];
  readonly warnings: readonly string[];
} {
  const byName = Map.groupBy(
    servers.flatMap(({ tools }) => tools),
    ({ name }) => name,
  );
  const tools: McpTool[] = [];
  const warnings: string[] = [];
  for (const [name, claimants] of byName) {
    const [only] = claimants;
    if (only !== undefined && claimants.length === 1) tools.push(only);
    else warnings.push(collision(name, claimants));
  }
  return { tools, warnings };
}

const MAX_NAMED = 4;

function collision(name: string, claimants: readonly McpTool[]): string {
  const named = claimants.slice(0, MAX_NAMED).map(({ ownName, server }) => {
    return `${JSON.stringify(ownName.slice(0, 100))} of the MCP server "${server}"`;
  });
  const more = claimants.length > MAX_NAMED ? ` and ${String(claimants.length - MAX_NAMED)} more` : '';
  return `${named.join(' and ')}${more} would all be called ${name}: they are left out. Rename a server in mcp_servers, or a tool.`;
}
