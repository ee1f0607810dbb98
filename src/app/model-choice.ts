import type { ModelConfig } from '../platform/config/index.ts';

/** The model a person asked for on the command line: what the configuration says of the very same one still holds. */
export function chosenModel(
  configured: ModelConfig | undefined,
  asked: ModelConfig | undefined,
): ModelConfig | undefined {
  if (asked === undefined) return configured;
  return asked.name === configured?.name ? { ...configured, ...asked } : asked;
}

/**
 * Another model in the place of `current`. How it is reached carries over only while the provider is the same: an
 * address of one provider must never be sent the key of another.
 */
export function otherModel(current: ModelConfig | undefined, name: string): ModelConfig {
  if (current === undefined || providerOf(current.name) !== providerOf(name)) return { name };
  const { contextWindow: _ofTheOther, ...reach } = current;
  return { ...reach, name };
}

function providerOf(name: string): string {
  return name.split(':')[0] ?? '';
}
