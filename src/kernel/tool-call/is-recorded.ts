import type { ToolCall } from './tool-call.ts';

const MCP_PREFIX = 'mcp__';

/**
 * Whether a call is journalled before it runs: everything that may have an effect, and `terminal` and the tools of MCP servers whatever
 * they say of themselves. A tool nobody declared counts as one that has an effect.
 */
export function isRecorded({ tool, effect }: Pick<ToolCall, 'tool' | 'effect'>): boolean {
  return effect !== 'none' || tool === 'terminal' || tool.startsWith(MCP_PREFIX);
}
