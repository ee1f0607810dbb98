import { connectMcpServer, distinctTools, type McpServer, mcpToolName } from '../agent/tools/index.ts';
import type { Tool } from '../gate/index.ts';
import { within } from '../platform/clock/index.ts';
import type { McpServerConfig } from '../platform/config/index.ts';
import { commandEnvironment } from './command-environment.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { VERSION } from './version.ts';

/** Which servers are needed: all, or only those that a tool of that name could be of. */
export type NeededServers = 'all' | { readonly forTool: string };

/**
 * The configured MCP servers: each is connected once, when a tool of it may be needed, and kept until the end. Who waits for
 * them can be interrupted; the connections are not.
 */
export class McpServers {
  readonly #options: RuntimeOptions;
  readonly #connections = new Map<string, Promise<McpServer | undefined>>();
  readonly #closing = new AbortController();
  readonly #warned = new Set<string>();

  constructor(options: RuntimeOptions) {
    this.#options = options;
  }

  /**
   * The tools of the servers that could be reached, none when the wait was interrupted. One line of warning, once, for each
   * server that could not, and for each tool that is left out.
   */
  async tools(needed: NeededServers, signal: AbortSignal): Promise<readonly Tool[]> {
    const servers = [...this.#options.config.mcpServers].filter(
      ([name, { enabled }]) =>
        enabled && (needed === 'all' || needed.forTool.startsWith(mcpToolName(name, ''))),
    );
    const connecting = Promise.all(servers.map(([name, server]) => this.#connect(name, server)));
    const connected = (await this.#unlessInterrupted(connecting, signal)) ?? [];
    const { tools, warnings } = distinctTools(connected.filter((server) => server !== undefined));
    for (const line of warnings) this.#warnOnce(line);
    return tools;
  }

  /** Ends all connections, also those that are being made. A second call does nothing. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the agent is shutting down'));
    const settled = await Promise.allSettled(this.#connections.values());
    const servers = settled.flatMap((connection) =>
      connection.status === 'fulfilled' && connection.value !== undefined ? [connection.value] : [],
    );
    await Promise.allSettled(servers.map(async (server) => server.close()));
  }

  async #unlessInterrupted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
    try {
      const waited = await within(this.#options.clock, null, signal, async () => work);
      return waited.inTime ? waited.value : undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #connect(name: string, server: McpServerConfig): Promise<McpServer | undefined> {
    const connection = this.#connections.get(name) ?? this.#connectOnce(name, server);
    this.#connections.set(name, connection);
    return connection;
  }

  async #connectOnce(name: string, server: McpServerConfig): Promise<McpServer | undefined> {
    const { createFetch } = await import('../platform/http/index.ts');
    const fetch = createFetch({ idleMs: Number.POSITIVE_INFINITY });
    const environment = commandEnvironment(this.#options, []);
    const ports = { environment, cwd: this.#options.cwd, fetch, version: VERSION };
    const connected = await connectMcpServer(name, server, ports, this.#closing.signal);
    if (!connected.ok) {
      if (!this.#closing.signal.aborted)
        this.#warnOnce(`${connected.message} ${connected.remedy ?? ''}`.trim());
      return undefined;
    }
    for (const line of connected.value.warnings) this.#warnOnce(line);
    return connected.value;
  }

  #warnOnce(line: string): void {
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#options.onWarning(line);
  }
}
