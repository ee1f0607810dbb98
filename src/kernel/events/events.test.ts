import { describe, expect, it } from 'vitest';
import { validateJson } from '../json/index.ts';
import {
  EVENT_NAMES,
  EVENTS,
  type EventDefinition,
  isEventName,
  syntheticPayload,
  toWire,
  wireSchema,
} from './index.ts';

describe('the event table', () => {
  it.each(EVENT_NAMES)('%s has a synthetic payload that fits its own schema', (event) => {
    expect(validateJson(wireSchema(event), syntheticPayload(event), event)).toEqual([]);
  });

  it.each(EVENT_NAMES)('%s is on the wire in snake_case', (event) => {
    for (const name of Object.keys(syntheticPayload(event))) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it.each(EVENT_NAMES)('%s returns something only where its mode uses it', (event) => {
    const definition: EventDefinition = EVENTS[event];
    expect(definition.result === null).toBe(definition.mode === 'observe');
  });

  it('fails closed exactly where a callback decides whether a tool runs', () => {
    const closed = EVENT_NAMES.filter((event) => EVENTS[event].onFailure === 'block');
    expect(closed).toEqual(['pre_tool_call']);
  });

  it('knows its names and no inherited ones', () => {
    expect(isEventName('pre_tool_call')).toBe(true);
    expect(isEventName('constructor')).toBe(false);
  });
});

describe('toWire', () => {
  it('writes snake_case names, the envelope version, and leaves absent fields out', () => {
    const payload = { sessionId: 's', model: 'm', platform: 'cli' };
    expect(toWire('on_session_start', payload)).toEqual({
      session_id: 's',
      model: 'm',
      platform: 'cli',
      telemetry_schema_version: 'hermes.observer.v1',
    });
  });
});
