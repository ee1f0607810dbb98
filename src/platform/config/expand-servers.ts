import type { Environment } from '../environment/index.ts';
import type { McpServerConfig } from './config.ts';
import { expandReferences } from './expand-references.ts';
import type { KeyPath } from './key-path.ts';

/** A `${NAME}` in the configuration of a server that is used, of a variable that is not set. */
export interface UnsetReference {
  readonly path: KeyPath;
  readonly name: string;
}

/** The servers with `${NAME}` in their arguments, environment and headers replaced by the variables of `environment`. */
export function expandServers(
  servers: ReadonlyMap<string, McpServerConfig>,
  environment: Environment,
): { readonly servers: ReadonlyMap<string, McpServerConfig>; readonly unset: readonly UnsetReference[] } {
  const unset: UnsetReference[] = [];
  const expandAt = (path: KeyPath, text: string): string => {
    const expanded = expandReferences(text, environment);
    unset.push(...expanded.unset.map((name) => ({ path, name })));
    return expanded.text;
  };
  const expandAll = (path: KeyPath, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...texts].map(([name, text]) => [name, expandAt([...path, name], text)]));
  const expand = (name: string, server: McpServerConfig): McpServerConfig => {
    const path = ['mcp_servers', name];
    if (!server.enabled) return server;
    if (server.transport === 'http')
      return { ...server, headers: expandAll([...path, 'headers'], server.headers) };
    const args = server.args.map((text, index) => expandAt([...path, 'args', index], text));
    return { ...server, args, env: expandAll([...path, 'env'], server.env) };
  };
  return { servers: new Map([...servers].map(([name, server]) => [name, expand(name, server)])), unset };
}
