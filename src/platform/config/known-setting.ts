import { type Failure, fail, suggest } from '../../kernel/errors/index.ts';
import { ourName } from './hermes-names.ts';
import { formatKeyPath, type KeyPath, parseKeyPath } from './key-path.ts';
import { listKeys } from './schema/list-keys.ts';
import { type SchemaNode, schemaAt } from './schema/schema-tree.ts';

/** A setting that exists, under our name. */
export interface KnownSetting {
  readonly path: KeyPath;
  readonly node: SchemaNode;
}

export type SettingErrorCode = 'bad_key' | 'unknown_key';

export type KnownSettingResult =
  | { readonly ok: true; readonly value: KnownSetting }
  | Failure<SettingErrorCode>;

/** The setting that `key` names; a name of Hermes Agent is understood too. */
export function findSetting(key: string): KnownSettingResult {
  const parsed = parseKeyPath(key);
  if (!parsed.ok) return parsed;
  const ours = ourName(parsed.value);
  const path = ours === undefined ? parsed.value : parsed.value.with(1, ours);
  const node = schemaAt(path);
  if (node !== undefined) return { ok: true, value: { path, node } };
  const near = suggest(
    formatKeyPath(path),
    listKeys().map((known) => known.key),
  );
  const remedy = near === undefined ? '`herma config get` lists what there is' : `did you mean ${near}?`;
  return fail('unknown_key', `${key} is not a setting`, remedy);
}
