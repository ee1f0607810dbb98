import { fail, HermaError } from '../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';

/** Ends the reading of a message array: what stands at `path` is not what was `expected`. */
export function reject(path: string, expected: string, found: JsonValue | undefined): never {
  throw new HermaError(
    fail(
      'invalid_messages',
      `${path} must be ${expected}, not ${describe(found)}`,
      'Give a JSON array of messages in the form of Anthropic, of OpenAI or of Herma.',
    ),
  );
}

/** The string under `key`. */
export function readString(object: JsonObject, key: string, path: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : reject(`${path}.${key}`, 'a string', value);
}

export function readObject(value: JsonValue | undefined, path: string): JsonObject {
  return isJsonObject(value) ? value : reject(path, 'an object', value);
}

/** The array under `key`. */
export function readArray(object: JsonObject, key: string, path: string): readonly JsonValue[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value : reject(`${path}.${key}`, 'an array', value);
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The blocks (or parts) of a message: objects with a `type`. */
export function readBlocks(values: readonly JsonValue[], path: string): readonly JsonObject[] {
  return values.map((value, index) => {
    const block = readObject(value, `${path}[${index}]`);
    readString(block, 'type', `${path}[${index}]`);
    return block;
  });
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'object') return isJsonArray(value) ? 'an array' : 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
