import { credentialFreeEnvironment, type Environment } from '../platform/environment/index.ts';
import { outboundKeyNames } from './outbound-hooks.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/**
 * What a program sees that Herma starts: everything but the credentials Herma knows, and of those only the ones that are
 * named in `allowed`.
 */
export function commandEnvironment(
  { environment, config, model }: Pick<RuntimeOptions, 'environment' | 'config' | 'model'>,
  allowed: readonly string[],
): Environment {
  const keyNames = [config.model?.apiKeyEnv, model?.apiKeyEnv].filter((name) => name !== undefined);
  return credentialFreeEnvironment(environment, [...keyNames, ...outboundKeyNames(config)], allowed);
}
