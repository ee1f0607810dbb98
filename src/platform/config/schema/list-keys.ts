import { getOwn, getString, isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { formatKeyPath, type KeyPath } from '../key-path.ts';
import { expectedPhrase } from './expected-phrase.ts';
import { branchesOf, membersOf, type SchemaNode, schemaRoot } from './schema-tree.ts';

/** One setting, for completion and documentation. */
export interface ConfigKey {
  /** `agent.max_iterations`; `<name>` stands for a name that is free: `mcp_servers.<name>.command`. */
  readonly key: string;
  readonly expected: string;
  readonly description: string;
  /** Absent where there is none. */
  readonly default?: JsonValue;
}

/** Every setting, sections before what is in them. */
export function listKeys(): readonly ConfigKey[] {
  return below(schemaRoot(), []);
}

function below(node: SchemaNode, path: KeyPath): readonly ConfigKey[] {
  return branchesOf(node).flatMap((branch) => {
    const members = Object.entries(membersOf(branch)).filter((entry): entry is [string, SchemaNode] =>
      isJsonObject(entry[1]),
    );
    const free = getOwn(branch, 'additionalProperties');
    const named = members.flatMap(([name, member]) => entry(member, [...path, name]));
    return isJsonObject(free) && path.length > 0 ? [...named, ...below(free, [...path, '<name>'])] : named;
  });
}

function entry(node: SchemaNode, path: KeyPath): readonly ConfigKey[] {
  const children = below(node, path);
  const byDefault = children.length === 0 ? getOwn(node, 'default') : undefined;
  const key: ConfigKey = {
    key: formatKeyPath(path).replaceAll('"<name>"', '<name>'),
    expected: expectedPhrase(node),
    description: getString(node, 'description') ?? '',
    ...(byDefault === undefined ? {} : { default: byDefault }),
  };
  return [key, ...children];
}
