import { redact } from '../kernel/redact/index.ts';
import type { McpServerConfig } from '../platform/config/index.ts';
import { credentialNames } from '../platform/environment/index.ts';
import { outboundKeys } from './outbound-hooks.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/**
 * The values that must appear in no record, no error and no warning: the provider keys of this environment, the
 * keys that sign outbound webhooks, and what MCP servers are given that is a secret by its name or its look.
 */
export function knownSecrets({
  environment,
  config,
  model,
}: Pick<RuntimeOptions, 'environment' | 'config' | 'model'>): readonly string[] {
  const names = [...credentialNames, config.model?.apiKeyEnv, model?.apiKeyEnv].filter(
    (name) => name !== undefined,
  );
  return [
    ...names.flatMap((name) => environment[name] ?? []),
    ...outboundKeys(config, environment),
    ...[...config.mcpServers.values()].flatMap(secretsOfServer),
  ];
}

function secretsOfServer(server: McpServerConfig): readonly string[] {
  const given = server.transport === 'http' ? server.headers : server.env;
  return [...given]
    .filter(([name, value]) => isSecret(name, value))
    .flatMap(([, value]) => withoutScheme(value));
}

function isSecret(name: string, value: string): boolean {
  return JSON.stringify(redact.value({ [name]: value })) !== JSON.stringify({ [name]: value });
}

/** `Bearer abc` is a secret as a whole and without its first word. */
function withoutScheme(value: string): readonly string[] {
  const [, ...words] = value.trim().split(/\s+/);
  return words.length === 0 ? [value] : [value, words.join(' ')];
}
