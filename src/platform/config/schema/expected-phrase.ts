import { getOwn, getString, type JsonValue } from '../../../kernel/json/index.ts';
import { branchesOf, type SchemaNode } from './schema-tree.ts';

/** What is expected at a place, in words: `a whole number from 1 to 100`, `one of debug, info`, `a list`. */
export function expectedPhrase(node: SchemaNode): string {
  const own = getString(node, 'expected');
  if (own !== undefined) return own;
  const [first, ...others] = branchesOf(node);
  if (first !== undefined && others.every((branch) => getString(branch, 'type') === 'null') && first !== node)
    return expectedPhrase(first);
  const choices = getOwn(node, 'enum');
  if (Array.isArray(choices)) return `one of ${choices.map(String).join(', ')}`;
  switch (getString(node, 'type') ?? 'string') {
    case 'integer':
      return `a whole number${range(node)}`;
    case 'number':
      return `a number${range(node)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'a mapping (lines of the form `key: value`, indented)';
    default:
      return 'text';
  }
}

function range(node: SchemaNode): string {
  const minimum: JsonValue | undefined = getOwn(node, 'minimum');
  const maximum: JsonValue | undefined = getOwn(node, 'maximum');
  return typeof minimum === 'number' && typeof maximum === 'number' ? ` from ${minimum} to ${maximum}` : '';
}
