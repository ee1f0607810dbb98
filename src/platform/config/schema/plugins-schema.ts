import { z } from 'zod';
import type { PluginsConfig } from '../config.ts';
import { defaultConfig } from '../default-config.ts';
import { fromMs, text, toMs } from './fields.ts';

const { plugins } = defaultConfig;
const DEFAULT_TIMEOUT_S = 30;
const MAX_TIMEOUT_S = 600;

export const pluginsSchema = z
  .strictObject({
    enabled: z
      .array(text('the name of a plugin'))
      .default([...plugins.enabled])
      .describe('Plugins that are loaded.'),
    disabled: z
      .array(text('the name of a plugin'))
      .default([])
      .describe('Plugins that are not loaded, whatever enabled says.'),
    hook_callback_timeout: z
      .number()
      .default(fromMs(plugins.callbackTimeoutMs))
      .describe('Seconds a callback of a plugin may take; 0 for no limit, at most 600.'),
    config: z
      .record(text('the name of a plugin'), z.record(z.string(), z.unknown()))
      .default({})
      .describe('Settings of plugins, by name.'),
  })
  .transform(
    (value): PluginsConfig => ({
      enabled: value.enabled.filter((name) => !value.disabled.includes(name)),
      callbackTimeoutMs: toMs(limited(value.hook_callback_timeout)),
      settings: new Map(Object.entries(value.config)),
    }),
  )
  .describe('Plugins.');

function limited(seconds: number): number {
  return seconds < 0 ? DEFAULT_TIMEOUT_S : Math.min(seconds, MAX_TIMEOUT_S);
}
