import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getConfigValue, setConfigValue } from '../../platform/config/index.ts';
import type { Environment } from '../../platform/environment/index.ts';

/** Which plugins new sessions load. */
export interface EnabledPlugins {
  read(): Promise<Result<readonly string[]>>;
  /** Whether that changed anything. */
  set(name: string, isEnabled: boolean): Promise<Result<boolean>>;
}

const ENABLED = 'plugins.enabled';
const DISABLED = 'plugins.disabled';

/**
 * The names in `plugins.enabled` of `config.yaml` without those in `plugins.disabled`. Changes leave comments and the order of
 * the file alone; whoever makes them holds the lock of the plugins.
 */
export function enabledInConfig(home: string, environment: Environment): EnabledPlugins {
  const namesIn = async (setting: string): Promise<Result<readonly string[]>> => {
    const found = await getConfigValue(home, setting, environment);
    if (!found.ok) return found;
    const names = found.value ?? [];
    if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
      return succeed(names.map(String));
    return fail('bad_config', `${setting} is no list of names.`, 'Correct it in config.yaml.');
  };
  const write = async (setting: string, names: readonly string[]): Promise<Result<undefined>> => {
    const done = await setConfigValue(home, setting, JSON.stringify(names), environment);
    return done.ok ? succeed(undefined) : done;
  };
  return {
    read: async () => {
      const [enabled, disabled] = [await namesIn(ENABLED), await namesIn(DISABLED)];
      if (!enabled.ok) return enabled;
      if (!disabled.ok) return disabled;
      return succeed(enabled.value.filter((name) => !disabled.value.includes(name)));
    },
    set: async (name, isEnabled) => {
      const [enabled, disabled] = [await namesIn(ENABLED), await namesIn(DISABLED)];
      if (!enabled.ok) return enabled;
      if (!disabled.ok) return disabled;
      const isListed = enabled.value.includes(name);
      const isMasked = disabled.value.includes(name);
      const others = enabled.value.filter((other) => other !== name);
      if (isListed !== isEnabled) {
        const written = await write(ENABLED, isEnabled ? [...others, name] : others);
        if (!written.ok) return written;
      }
      if (isEnabled && isMasked) {
        const unmasked = disabled.value.filter((other) => other !== name);
        const written = await write(DISABLED, unmasked);
        if (!written.ok) return written;
      }
      return succeed((isListed && !isMasked) !== isEnabled);
    },
  };
}
