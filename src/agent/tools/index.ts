export { type ClarifyAnswer, type ClarifyPorts, createClarifyTool } from './clarify/clarify-tool.ts';
export type { FileStore } from './files/file-store.ts';
export { type Protection, protectHome } from './files/protect-home.ts';
export type { WritingPorts } from './files/writable-target.ts';
export {
  connectMcpServer,
  distinctTools,
  type McpPorts,
  type McpServer,
  type McpTool,
  mcpToolName,
} from './mcp/index.ts';
export { createPatchTool } from './patch/patch-tool.ts';
export { createReadFileTool, type ReadFilePorts } from './read-file/read-file-tool.ts';
export { createSearchFilesTool, type SearchFilesPorts } from './search-files/search-files-tool.ts';
export type { OutputPorts } from './terminal/present-output.ts';
export {
  type BackgroundCommand,
  type BackgroundProcess,
  ProcessTable,
  type ProcessTableOptions,
} from './terminal/process-table.ts';
export { createProcessTool, type ProcessToolPorts } from './terminal/process-tool.ts';
export { createTerminalTool, type TerminalPorts } from './terminal/terminal-tool.ts';
export type { TodoItem, TodoStatus } from './todo/todo-list.ts';
export { createTodoTool, type TodoPorts } from './todo/todo-tool.ts';
export { createToolBox, type ToolBox } from './tool-box.ts';
export { createWriteFileTool } from './write-file/write-file-tool.ts';
