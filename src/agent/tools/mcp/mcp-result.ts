import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ToolOutcome } from '../../../gate/index.ts';

/** What the model reads of a server's answer. What is no text is named with its type and size. */
export function outcomeOfResult({ content, isError, structuredContent }: CallToolResult): ToolOutcome {
  const parts = content.map((part): string => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'image':
      case 'audio':
        return `[${part.type} ${part.mimeType}, ${String(Math.floor((part.data.length * 3) / 4))} bytes]`;
      case 'resource_link':
        return `[resource ${part.name}: ${part.uri}]`;
      case 'resource':
        return 'text' in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
    }
  });
  const text = parts.join('\n');
  const result = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  if (isError === true)
    return { status: 'error', errorType: 'McpToolError', message: result || 'the server reports an error' };
  return { status: 'ok', result };
}
