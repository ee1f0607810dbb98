import { connectMcpServer, type McpServer, mcpToolName } from '../agent/tools/index.ts';
import type { Tool } from '../gate/index.ts';
import type { McpServerConfig } from '../platform/config/index.ts';
import { createFetch } from '../platform/http/index.ts';
import { commandEnvironment } from './command-environment.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { VERSION } from './version.ts';

/** Which servers are needed: all, or only those that a tool of that name could be of. */
export type NeededServers = 'all' | { readonly forTool: string };

/** The configured MCP servers: each is connected once, when a tool of it may be needed. */
export class McpServers {
  readonly #options: RuntimeOptions;
  readonly #connections = new Map<string, Promise<McpServer | undefined>>();

  constructor(options: RuntimeOptions) {
    this.#options = options;
  }

  /** The tools of the servers that could be reached; one line of warning for each that could not. */
  async tools(needed: NeededServers, signal: AbortSignal): Promise<readonly Tool[]> {
    const servers = [...this.#options.config.mcpServers].filter(
      ([name, { enabled }]) =>
        enabled && (needed === 'all' || needed.forTool.startsWith(mcpToolName(name, ''))),
    );
    const connected = await Promise.all(servers.map(([name, server]) => this.#connect(name, server, signal)));
    return connected.flatMap((server) => server?.tools ?? []);
  }

  async close(): Promise<void> {
    const servers = await Promise.all(this.#connections.values());
    await Promise.allSettled(servers.map((server) => server?.close()));
  }

  #connect(name: string, server: McpServerConfig, signal: AbortSignal): Promise<McpServer | undefined> {
    const connection = this.#connections.get(name) ?? this.#connectOnce(name, server, signal);
    this.#connections.set(name, connection);
    return connection;
  }

  async #connectOnce(
    name: string,
    server: McpServerConfig,
    signal: AbortSignal,
  ): Promise<McpServer | undefined> {
    const { cwd, onWarning } = this.#options;
    const fetch = createFetch({ idleMs: Number.POSITIVE_INFINITY });
    const ports = { environment: commandEnvironment(this.#options, []), cwd, fetch, version: VERSION };
    const connected = await connectMcpServer(name, server, ports, signal);
    if (connected.ok) return connected.value;
    // Interrupted, not refused: the next turn may try again.
    if (signal.aborted) this.#connections.delete(name);
    onWarning(`${connected.message} ${connected.remedy ?? ''}`.trim());
    return undefined;
  }
}
