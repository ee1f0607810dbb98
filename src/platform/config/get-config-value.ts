import { type Failure, succeed } from '../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonValue, toJsonValue } from '../../kernel/json/index.ts';
import { type Environment, readEnvironment } from '../environment/index.ts';
import { homePaths } from '../paths/index.ts';
import type { KnownSetting, SettingErrorCode } from './known-setting.ts';
import type { SchemaNode } from './schema/schema-tree.ts';
import { valueAt } from './value-at.ts';

/** The value of a setting, as `config.yaml` writes it. */
export interface ConfigValue {
  readonly ok: true;
  /** With the defaults filled in; undefined when it is not set and has no default. */
  readonly value: JsonValue | undefined;
  /** Where it comes from; `file` also when only a part of it does. */
  readonly source: 'file' | 'default' | 'none';
}

/**
 * The value of `key` (`agent.max_iterations`), or the whole configuration without one. A `${NAME}` stays as it is
 * written. Fails for a key that does not exist, and for a file that cannot be read; a wrong value is given as it is.
 */
export async function getConfigValue(
  home: string,
  key: string | undefined,
  environment: Environment = readEnvironment(),
): Promise<ConfigValue | Failure<SettingErrorCode | 'bad_config'>> {
  const { readConfigFile } = await import('./read-config-file.ts');
  const { findSetting } = await import('./known-setting.ts');
  const { schemaRoot } = await import('./schema/schema-tree.ts');
  const setting =
    key === undefined ? succeed<KnownSetting>({ path: [], node: schemaRoot() }) : findSetting(key);
  if (!setting.ok) return setting;
  const file = await readConfigFile(homePaths(home).config, environment);
  if (!file.ok) return file;
  const written = valueAt(setting.value.path, file.canonical.value);
  const value = withDefaults(setting.value.node, written === undefined ? undefined : toJsonValue(written));
  const isWritten = written !== undefined && (key !== undefined || file.text.exists);
  return { ok: true, value, source: isWritten ? 'file' : value === undefined ? 'none' : 'default' };
}

function withDefaults(node: SchemaNode, written: JsonValue | undefined): JsonValue | undefined {
  const members = getOwn(node, 'properties');
  if (!isJsonObject(members) || (written !== undefined && !isJsonObject(written))) {
    return written ?? getOwn(node, 'default');
  }
  const given = written ?? {};
  const names = new Set([...Object.keys(members), ...Object.keys(given)]);
  const entries = [...names].map((name): readonly [string, JsonValue | undefined] => {
    const member = getOwn(members, name);
    const own = getOwn(given, name);
    return [name, isJsonObject(member) ? withDefaults(member, own) : own];
  });
  const present = entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(present);
}
