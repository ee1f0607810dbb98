export {
  CALLBACK_TIME_LIMIT_MS,
  type EventDefinition,
  type EventMode,
  type FailureMode,
} from './event-definition.ts';
export { EVENT_NAMES, EVENTS, type EventName, type EventPayload, isEventName } from './event-table.ts';
export { syntheticPayload, TELEMETRY_SCHEMA_VERSION, toWire, wireSchema } from './wire.ts';
