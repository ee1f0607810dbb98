import { isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** The text of `value` for a file that people read: indented by two, the keys of every object sorted. */
export function sortedJson(value: JsonValue): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(members);
}
