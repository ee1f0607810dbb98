import type * as SdkModule from '@modelcontextprotocol/client';
import type { Client, Tool as ListedTool, Transport } from '@modelcontextprotocol/client';
import type { Tool, ToolOutcome } from '../../../gate/index.ts';
import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { type Effect, printable } from '../../../kernel/tool-call/index.ts';
import type { McpServerConfig } from '../../../platform/config/index.ts';
import { outcomeOfResult } from './mcp-result.ts';
import { mcpToolName } from './mcp-tool-name.ts';
import { type OfferedTool, offeredTools } from './offered-tools.ts';
import { ProcessTransport } from './process-transport.ts';

export interface McpPorts {
  /** The environment of a server that is started as a program, before its own `env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly version: string;
}

/** A tool of a server. */
export interface McpTool extends Tool {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** What the server calls it. */
  readonly ownName: string;
}

/** A server that is connected, with the tools it offers. */
export interface McpServer {
  readonly name: string;
  /**
   * As the server listed them when it was connected: what it says later of a tool (another description, another schema,
   * another tool) changes nothing. Names can repeat; see {@link distinctTools}.
   */
  readonly tools: readonly McpTool[];
  /** One line for each thing that the server offers and that was not taken. */
  readonly warnings: readonly string[];
  /** Ends the connection, and the program where there is one. */
  close(): Promise<void>;
}

/**
 * Connects to a server and lists its tools. Fails with `mcp_unavailable`, naming the server and what went wrong.
 *
 * The server gets nothing from us but calls: what it asks for (sampling, roots, elicitation) is refused.
 */
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
    const { offered, warnings } = offeredTools(name, await listTools(client, limits));
    const connection: Connection = { name, config, client, transport, isClosed: watchClose(client) };
    return succeed({
      name,
      tools: offered.map((tool) => toolOf(tool, connection)),
      warnings,
      close: async () => client.close(),
    });
  } catch (error) {
    const reason = withState(reasonOf(error), transport);
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

/** None where the server says that it has no tools: the SDK would write a line about it to our standard output. */
async function listTools(
  client: Client,
  limits: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return (await client.listTools({}, limits)).tools;
}

function watchClose(client: Client): () => boolean {
  let closed = false;
  client.onclose = () => {
    closed = true;
  };
  return () => closed;
}

interface Connection {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly client: Client;
  readonly transport: Transport;
  readonly isClosed: () => boolean;
}

function toolOf(offered: OfferedTool<ListedTool>, connection: Connection): McpTool {
  const { described, description, parameters } = offered;
  const { name: server, config, client, transport, isClosed } = connection;
  // What a server answers is for the model to read, whatever shape it promised; a check would run the server's patterns.
  const { outputSchema: _promised, ...toolDefinition } = described;
  return {
    name: mcpToolName(server, described.name),
    server,
    ownName: described.name,
    description,
    parameters,
    effect: effectOf(config, described.name),
    idempotent: false,
    pathArguments: [],
    execute: async ({ call }, { signal }) => {
      const options = { signal, timeout: config.timeoutMs, toolDefinition };
      try {
        if (isClosed()) throw new Error('the connection is closed');
        const params = { name: described.name, arguments: { ...call.args } };
        return outcomeOfResult(await client.callTool(params, options));
      } catch (error) {
        return failed(`${described.name} of the MCP server "${server}"`, { error, signal, transport });
      }
    },
  };
}

/** What the configuration says of a tool; what the server says of itself is not asked. */
function effectOf({ effects }: McpServerConfig, tool: string): Effect {
  return effects.get(tool) ?? effects.get('*') ?? 'external';
}

function failed(
  what: string,
  {
    error,
    signal,
    transport,
  }: { readonly error: unknown; readonly signal: AbortSignal; readonly transport: Transport },
): ToolOutcome {
  if (signal.aborted)
    return { status: 'cancelled', message: `${what} was interrupted; its effect is unknown.` };
  const hasEnded = transport instanceof ProcessTransport && transport.hasEnded;
  const reason = hasEnded ? withState(reasonOf(error), transport) : reasonOf(error);
  return { status: 'error', errorType: 'McpError', message: `${what} failed: ${reason}` };
}

/** Characters of an error that are shown: the SDK lists every mistake of a message over many lines. */
const MAX_REASON_CHARS = 1000;

function reasonOf(error: unknown): string {
  return printable(messageOf(error).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_CHARS).toWellFormed());
}

function withState(reason: string, transport: Transport): string {
  const state = transport instanceof ProcessTransport ? transport.describeState() : '';
  return state === '' ? reason : `${reason} (${state})`;
}
