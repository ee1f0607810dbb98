import type { JsonObject, JsonSchema, JsonValue } from '../json/index.ts';
import { EVENTS, type EventName, type EventPayload } from './event-table.ts';
import type { Fields } from './field.ts';

/** Marks the envelope of every payload on the wire. */
export const TELEMETRY_SCHEMA_VERSION = 'hermes.observer.v1';

/** The payload of an event as it goes over a wire: snake_case, with the envelope's version. */
export function toWire<E extends EventName>(event: E, payload: EventPayload<E>): JsonObject {
  const fields: Fields = EVENTS[event].payload;
  const values: Readonly<Record<string, JsonValue | undefined>> = { ...payload };
  const entries = Object.keys(fields).flatMap((name): [string, JsonValue][] => {
    const value = values[name];
    return value === undefined ? [] : [[snakeCase(name), value]];
  });
  return Object.fromEntries([...entries, ['telemetry_schema_version', TELEMETRY_SCHEMA_VERSION]]);
}

/** The JSON Schema of an event's payload on the wire, from which the documentation is written too. */
export function wireSchema(event: EventName): JsonSchema {
  const fields: Fields = EVENTS[event].payload;
  const members = Object.entries(fields).map(([name, field]) => ({ name: snakeCase(name), field }));
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        members.map(({ name, field }) => [name, { ...field.schema, description: field.doc }]),
      ),
      telemetry_schema_version: { type: 'string', const: TELEMETRY_SCHEMA_VERSION },
    },
    required: members.filter(({ field }) => !field.optional).map(({ name }) => name),
  };
}

/** A payload of made-up values, for trying a hook without an agent. */
export function syntheticPayload(event: EventName): JsonObject {
  const fields: Fields = EVENTS[event].payload;
  const examples = Object.entries(fields).map(([name, field]): [string, JsonValue] => [
    snakeCase(name),
    field.example,
  ]);
  return { ...Object.fromEntries(examples), telemetry_schema_version: TELEMETRY_SCHEMA_VERSION };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
