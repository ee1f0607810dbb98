import type * as SdkModule from '@modelcontextprotocol/client';
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import type { Tool, ToolOutcome } from '../../../gate/index.ts';
import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { isJsonObject, toJsonValue } from '../../../kernel/json/index.ts';
import type { Effect } from '../../../kernel/tool-call/index.ts';
import type { McpServerConfig } from '../../../platform/config/index.ts';
import { outcomeOfResult } from './mcp-result.ts';
import { mcpToolName } from './mcp-tool-name.ts';
import { ProcessTransport } from './process-transport.ts';

export interface McpPorts {
  /** The environment of a server that is started as a program, before its own `env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly version: string;
}

/** A server that is connected, with the tools it offers. */
export interface McpServer {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Ends the connection, and the program where there is one. */
  close(): Promise<void>;
}

/** Connects to a server and lists its tools. Fails with `mcp_unavailable`, naming the server and what went wrong. */
export async function connectMcpServer(
  name: string,
  config: McpServerConfig,
  ports: McpPorts,
  signal: AbortSignal,
): Promise<Result<McpServer>> {
  const sdk = await import('@modelcontextprotocol/client');
  const client = new sdk.Client({ name: 'herma', version: ports.version });
  const transport = transportOf(sdk, config, ports);
  const limits = { signal, timeout: config.timeoutMs };
  try {
    await client.connect(transport, limits);
    const { tools } = await client.listTools({}, limits);
    const isClosed = watchClose(client);
    return succeed({
      name,
      tools: tools.map((tool) => ({
        name: mcpToolName(name, tool.name),
        description: tool.description ?? '',
        parameters: schemaOf(tool.inputSchema),
        effect: effectOf(config, tool.name),
        idempotent: false,
        pathArguments: [],
        execute: async ({ call }, run) =>
          callTool(
            tool.name,
            async () => {
              if (isClosed()) throw new Error(endOf(transport));
              return client.callTool(
                { name: tool.name, arguments: { ...call.args } },
                { signal: run.signal, timeout: config.timeoutMs },
              );
            },
            { server: name, signal: run.signal, transport },
          ),
      })),
      close: async () => client.close(),
    });
  } catch (error) {
    const reason =
      transport instanceof ProcessTransport && !messageOf(error).includes('ENOENT')
        ? `${messageOf(error)} (${endOf(transport)})`
        : messageOf(error);
    await transport.close();
    return fail(
      'mcp_unavailable',
      `The MCP server "${name}" is not available: ${reason}.`,
      `Check mcp_servers.${name}; its tools are left out.`,
    );
  }
}

type Sdk = Pick<typeof SdkModule, 'StreamableHTTPClientTransport' | 'parseJSONRPCMessage'>;

function transportOf(sdk: Sdk, config: McpServerConfig, ports: McpPorts): Transport {
  if (config.transport === 'http') {
    return new sdk.StreamableHTTPClientTransport(new URL(config.url), {
      fetch: ports.fetch,
      requestInit: { headers: Object.fromEntries(config.headers) },
    });
  }
  return new ProcessTransport({
    command: config.command,
    args: config.args,
    cwd: config.cwd ?? ports.cwd,
    env: { ...ports.environment, ...Object.fromEntries(config.env) },
    parseMessage: sdk.parseJSONRPCMessage,
  });
}

function watchClose(client: Client): () => boolean {
  let closed = false;
  client.onclose = () => {
    closed = true;
  };
  return () => closed;
}

function schemaOf(schema: unknown): Tool['parameters'] {
  const value = toJsonValue(schema);
  return isJsonObject(value) ? value : { type: 'object' };
}

/** What the configuration says of a tool; what the server says of itself is not asked. */
function effectOf({ effects }: McpServerConfig, tool: string): Effect {
  return effects.get(tool) ?? effects.get('*') ?? 'external';
}

async function callTool(
  tool: string,
  call: () => Promise<CallToolResult>,
  {
    server,
    signal,
    transport,
  }: { readonly server: string; readonly signal: AbortSignal; readonly transport: Transport },
): Promise<ToolOutcome> {
  try {
    return outcomeOfResult(await call());
  } catch (error) {
    if (signal.aborted)
      return { status: 'cancelled', message: `${tool} of ${server} was interrupted; its effect is unknown.` };
    const end =
      transport instanceof ProcessTransport && /clos|end/i.test(messageOf(error))
        ? ` (${endOf(transport)})`
        : '';
    return {
      status: 'error',
      errorType: 'McpError',
      message: `${tool} of the MCP server "${server}" failed: ${messageOf(error)}${end}`,
    };
  }
}

function endOf(transport: Transport): string {
  return transport instanceof ProcessTransport ? transport.describeEnd() : 'the connection is closed';
}
