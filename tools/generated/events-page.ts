import {
  EVENT_NAMES,
  EVENTS,
  type EventName,
  syntheticPayload,
  wireSchema,
} from '../../src/kernel/events/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/kernel/json/index.ts';

/** The reference page of the events, from the event table. */
export function renderEventsPage(): string {
  return [
    '# Events',
    'Generated from `src/kernel/events` by `npm run generate`; change the table there.',
    'A callback that *observes* is told; one that *decides* may stop or rewrite a call; one that *transforms* may replace a text; one that *injects* may add context for the model.',
    ...EVENT_NAMES.map(renderEvent),
  ]
    .join('\n\n')
    .concat('\n');
}

function renderEvent(name: EventName): string {
  const { doc, mode, onFailure, timeLimitMs, result } = EVENTS[name];
  const limit = timeLimitMs === null ? 'no time limit' : `${timeLimitMs / 1000} s each`;
  const failure =
    onFailure === 'block' ? 'a callback that fails blocks' : 'a callback that fails is passed over';
  return [
    `## \`${name}\``,
    doc,
    `Callbacks: ${mode}, ${limit}; ${failure}.`,
    renderFields(wireSchema(name)),
    ...(result === null ? [] : ['A callback may return:', fenced(result)]),
    'For example:',
    fenced(syntheticPayload(name)),
  ].join('\n\n');
}

function renderFields(schema: JsonObject): string {
  const required = listOf(schema['required']);
  const rows = Object.entries(objectOf(schema['properties'])).map(([name, value]) => {
    const field = objectOf(value);
    const presence = required.includes(name) || 'const' in field ? 'always' : 'where known';
    return `| \`${name}\` | ${typeOf(field)} | ${presence} | ${text(field['description'])} |`;
  });
  return ['| field | type | present | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function typeOf(schema: JsonObject): string {
  if ('const' in schema) return literal(schema['const']);
  if ('enum' in schema) return listOf(schema['enum']).map(literal).join(', ');
  if ('anyOf' in schema)
    return listOf(schema['anyOf'])
      .map((choice) => typeOf(objectOf(choice)))
      .join(' or ');
  return text(schema['type']);
}

function literal(value: JsonValue | undefined): string {
  return `\`${JSON.stringify(value)}\``;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return typeof value === 'object' && value !== null && !isJsonObject(value) ? value : [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function fenced(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
