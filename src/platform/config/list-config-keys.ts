import type { ConfigKey } from './schema/list-keys.ts';

/** Every setting there is, from the schema: for completion and documentation. */
export async function listConfigKeys(): Promise<readonly ConfigKey[]> {
  const { listKeys } = await import('./schema/list-keys.ts');
  return listKeys();
}
