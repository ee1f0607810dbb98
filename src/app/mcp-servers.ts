import { connectMcpServer, type McpServer } from '../agent/tools/index.ts';
import type { Tool } from '../gate/index.ts';
import { credentialFreeEnvironment } from '../platform/environment/index.ts';
import { createFetch } from '../platform/http/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { VERSION } from './version.ts';

/** The configured MCP servers: connected together, once, when a tool of theirs may be needed. */
export class McpServers {
  readonly #options: RuntimeOptions;
  #connected: Promise<readonly McpServer[]> | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
  }

  /** The tools of all servers that could be reached; one line of warning for each that could not. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    this.#connected ??= this.#connect(signal);
    return (await this.#connected).flatMap(({ tools }) => tools);
  }

  async close(): Promise<void> {
    const servers = (await this.#connected) ?? [];
    await Promise.allSettled(servers.map((server) => server.close()));
  }

  async #connect(signal: AbortSignal): Promise<readonly McpServer[]> {
    const { config, environment, cwd, onWarning } = this.#options;
    const enabled = [...config.mcpServers].filter(([, server]) => server.enabled);
    const ports = {
      environment: credentialFreeEnvironment(environment),
      cwd,
      fetch: createFetch(),
      version: VERSION,
    };
    const connections = await Promise.all(
      enabled.map(([name, server]) => connectMcpServer(name, server, ports, signal)),
    );
    return connections.flatMap((connection) => {
      if (connection.ok) return [connection.value];
      onWarning(`${connection.message} ${connection.remedy ?? ''}`.trim());
      return [];
    });
  }
}
