/** Characters providers accept in the name of a function, and how many. */
const FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const MAX_LENGTH = 64;

/** `mcp__<server>__<tool>`, in characters and a length that every provider accepts. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`.replace(FORBIDDEN, '_').slice(0, MAX_LENGTH);
}
