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
 * The JSON reading of any value, as `JSON.stringify` would write it: `undefined`, functions and symbols become
 * `null`, objects with `toJSON` are asked, cycles and BigInts become their string form. Never throws.
 */
export function toJsonValue(value: unknown, ancestors: readonly object[] = []): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return null;
  if (ancestors.includes(value)) return '[circular]';
  const path = [...ancestors, value];
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJsonValue(item, path));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && typeof item !== 'function' && typeof item !== 'symbol')
      .map(([key, item]) => [key, toJsonValue(item, path)]),
  );
}
