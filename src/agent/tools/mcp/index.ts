export { connectMcpServer, type McpPorts, type McpServer } from './connect-mcp-server.ts';
export { mcpToolName } from './mcp-tool-name.ts';
