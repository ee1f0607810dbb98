import { z } from 'zod';
import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toJsonValue,
} from '../../../kernel/json/index.ts';
import type { KeyPath } from '../key-path.ts';
import { configSchema } from './config-schema.ts';

/** One place in the schema, in JSON Schema as `config.yaml` is written. */
export type SchemaNode = JsonObject;

let root: SchemaNode | undefined;

/** The schema of the whole file. */
export function schemaRoot(): SchemaNode {
  if (root === undefined) {
    const json = toJsonValue(z.toJSONSchema(configSchema, { io: 'input' }));
    root = isJsonObject(json) ? json : {};
  }
  return root;
}

/** What may stand at `path`; undefined where nothing may. */
export function schemaAt(path: KeyPath): SchemaNode | undefined {
  let node: SchemaNode | undefined = schemaRoot();
  for (const step of path) {
    node = typeof step === 'number' ? childOf(node, 'items') : memberOf(node, step);
    if (node === undefined) return undefined;
  }
  return node;
}

/** The keys a mapping at this place may have; none where their names are free. */
export function knownKeys(node: SchemaNode): readonly string[] {
  return branchesOf(node).flatMap((branch) => Object.keys(membersOf(branch)));
}

/** The members a mapping at this place may have, by name. */
export function membersOf(node: SchemaNode): Readonly<Record<string, JsonValue>> {
  const members = getOwn(node, 'properties');
  return isJsonObject(members) ? members : {};
}

/** The alternatives at this place: one, except where a name and a mapping are both fine. */
export function branchesOf(node: SchemaNode): readonly SchemaNode[] {
  const alternatives = getOwn(node, 'anyOf');
  return Array.isArray(alternatives) ? alternatives.filter(isJsonObject) : [node];
}

/** Whether text is what is expected here, so that `012` and `no` need quotes. */
export function expectsText(node: SchemaNode): boolean {
  return branchesOf(node).some((branch) => getString(branch, 'type') === 'string');
}

function memberOf(node: SchemaNode, name: string): SchemaNode | undefined {
  for (const branch of branchesOf(node)) {
    const member = getOwn(membersOf(branch), name) ?? getOwn(branch, 'additionalProperties');
    if (isJsonObject(member)) return member;
  }
  return undefined;
}

function childOf(node: SchemaNode, keyword: string): SchemaNode | undefined {
  return branchesOf(node)
    .map((branch) => getOwn(branch, keyword))
    .find(isJsonObject);
}
