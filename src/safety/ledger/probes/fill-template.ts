import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../kernel/json/index.ts';
import type { LedgerRow } from '../model/ledger-row.ts';

const PLACE = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills `{{name}}` in the texts of a value with that argument of a call. Undefined when the call has no such argument, or what is
 * recorded of it was cut or redacted: then nothing can be looked up by it.
 */
export function fillTemplate<Value extends JsonValue>(
  template: Value,
  row: Pick<LedgerRow, 'argsJson'>,
): JsonValue | undefined {
  const parsed = row.argsJson === null ? undefined : parseJson(row.argsJson);
  const args = parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : {};
  return fill(template, args);
}

function fill(template: JsonValue, args: JsonObject): JsonValue | undefined {
  if (typeof template === 'string') return fillText(template, args);
  if (Array.isArray(template)) {
    const items = template.map((item: JsonValue) => fill(item, args));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isJsonObject(template)) return template;
  const members = Object.entries(template).map(([name, item]): [string, JsonValue | undefined] => [
    name,
    fill(item, args),
  ]);
  const filled = members.flatMap(([name, item]) => (item === undefined ? [] : [[name, item] as const]));
  return filled.length === members.length ? Object.fromEntries(filled) : undefined;
}

function fillText(template: string, args: JsonObject): string | undefined {
  const values = new Map(
    [...template.matchAll(PLACE)].map(([, name = '']) => [name, knownText(getOwn(args, name))]),
  );
  if ([...values.values()].includes(undefined)) return undefined;
  return template.replace(PLACE, (_, name: string) => values.get(name) ?? '');
}

/** What the journal cut or took a secret out of is not what the call had. */
function knownText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.includes('[redacted ') || /…\+\d+$/.test(value)) return undefined;
  return value;
}
