export { connectMcpServer, type McpPorts, type McpServer, type McpTool } from './connect-mcp-server.ts';
export { distinctTools } from './distinct-tools.ts';
export { mcpToolName } from './mcp-tool-name.ts';
