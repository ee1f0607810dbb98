import { jsonFlaw } from './json-flaw.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';
import type { ParsedJson } from './parse-json.ts';

/**
 * A copy of `value` that neither its giver nor anybody it is shown to can change, at any depth. Fails for a value that JSON
 * does not carry unchanged: the copy that is checked is the one that is used.
 */
export function frozenCopy(value: JsonValue): ParsedJson {
  const flaw = jsonFlaw(value);
  return flaw === undefined ? { ok: true, value: copyOf(value) } : { ok: false, message: flaw };
}

function copyOf(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  return Object.freeze(isJsonObject(value) ? copyOfObject(value) : value.map(copyOf));
}

function copyOfObject(object: JsonObject): JsonObject {
  const members = Object.entries<JsonValue | undefined>(object);
  return Object.fromEntries(
    members.flatMap(([key, item]) => (item === undefined ? [] : [[key, copyOf(item)] as const])),
  );
}
