import type { JsonValue } from '../../kernel/json/index.ts';

/** The value when it is a list; `Array.isArray` alone would make its items `any`. */
export function listIn(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return isList(value) ? value : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
