import type { OutboundHookConfig } from '../../../platform/config/index.ts';

/** What a target is called in messages: its name, else scheme and host. The rest of an address may be a secret. */
export function outboundLabel({ name, url }: Pick<OutboundHookConfig, 'name' | 'url'>): string {
  return name ?? URL.parse(url)?.origin ?? 'without an address';
}
