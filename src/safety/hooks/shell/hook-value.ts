import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';

const MAX_LEVELS = 500;

/**
 * A value as a hook script reads it. What JSON cannot hold becomes text and is never dropped: functions, symbols, big integers,
 * NaN and infinities as JavaScript writes them, errors as name and message, maps as objects, sets as lists. Members that are
 * undefined are absent. What contains itself, is too deep or cannot be read becomes a word in brackets. Never throws.
 */
export function toHookValue(value: unknown): JsonValue {
  return valueOf(value, []);
}

/** An object of such values. */
export function toHookObject(members: Readonly<Record<string, unknown>>): JsonObject {
  const value = toHookValue(members);
  return isJsonObject(value) ? value : {};
}

function valueOf(value: unknown, ancestors: readonly object[]): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : objectOf(value, ancestors);
    case 'bigint':
    case 'symbol':
    case 'function':
      return String(value);
  }
}

function objectOf(value: object, ancestors: readonly object[]): JsonValue {
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length >= MAX_LEVELS) return '[too deep]';
  try {
    return readingOf(value, [...ancestors, value]);
  } catch {
    // A getter, a proxy or a toJSON that throws: the rest of the payload can still be told, and the script sees that this cannot.
    return '[unreadable]';
  }
}

function readingOf(value: object, path: readonly object[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => valueOf(item, path));
  if (value instanceof Map)
    return membersOf(
      [...value].map(([key, item]) => [keyOf(key), item]),
      path,
    );
  if (value instanceof Set) return [...value].map((item) => valueOf(item, path));
  if (value instanceof Error) return String(value);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return valueOf(Reflect.apply(value.toJSON, value, []), path);
  return membersOf(Object.entries(value), path);
}

function membersOf(entries: readonly (readonly [string, unknown])[], path: readonly object[]): JsonObject {
  return Object.fromEntries(
    entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, valueOf(item, path)]),
  );
}

function keyOf(key: unknown): string {
  return typeof key === 'string' ? key : JSON.stringify(toHookValue(key));
}
