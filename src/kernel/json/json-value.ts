import { MAX_LEVELS } from './json-flaw.ts';

/** Any value JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys come from outside: look them up with {@link getOwn}. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property `key` of `object`; inherited names such as `constructor` read as absent. */
export function getOwn<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The own property `key` when it is a string. */
export function getString(object: JsonObject, key: string): string | undefined {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : undefined;
}

/**
 * The JSON reading of any value, as `JSON.stringify` would write it: objects with `toJSON` are asked, members that are
 * `undefined`, functions or symbols are left out, elsewhere they become `null`. BigInts become text, and what contains itself,
 * is deeper than 500 levels or throws when it is read becomes a word in brackets. Never throws.
 */
export function toJsonValue(value: unknown): JsonValue {
  return readingOf(value, []);
}

function readingOf(value: unknown, ancestors: readonly object[]): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return null;
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length >= MAX_LEVELS) return '[too deep]';
  try {
    return readingOfObject(value, [...ancestors, value]);
  } catch {
    // A getter, a proxy or a toJSON that throws: the rest of the value can still be told.
    return '[unreadable]';
  }
}

function readingOfObject(value: object, path: readonly object[]): JsonValue {
  const given: unknown =
    'toJSON' in value && typeof value.toJSON === 'function' ? Reflect.apply(value.toJSON, value, []) : value;
  if (typeof given !== 'object' || given === null) return readingOf(given, path);
  if (Array.isArray(given)) return given.map((item) => readingOf(item, path));
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, item]) => item !== undefined && typeof item !== 'function' && typeof item !== 'symbol')
      .map(([key, item]) => [key, readingOf(item, path)]),
  );
}
