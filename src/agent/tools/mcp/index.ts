export { connectMcpServer, type McpPorts, type McpServer } from './connect-mcp-server.ts';
