import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, syntheticPayload } from '../../../kernel/events/index.ts';
import { hookDocument, hookPayload } from './hook-payload.ts';
import { toHookValue } from './hook-value.ts';

const KEYS = ['hook_event_name', 'tool_name', 'tool_input', 'session_id', 'cwd', 'profile', 'extra'];
const call = {
  toolName: 'terminal',
  args: { command: 'ls' },
  sessionId: 'child',
  parentSessionId: 'parent',
  turnId: 't',
  toolCallId: 'c',
  cwd: '/project',
};

describe('the document of a hook', () => {
  it('has the documented keys in the documented order, on every event', () => {
    for (const event of EVENT_NAMES) {
      const document = hookDocument(event, syntheticPayload(event), { cwd: undefined });
      expect([event, Object.keys(document)]).toEqual([event, KEYS]);
      expect(document.extra).toHaveProperty('telemetry_schema_version', 'hermes.observer.v1');
    }
  });

  it('of a call', () => {
    expect(hookPayload('pre_tool_call', call, { cwd: '/elsewhere' })).toEqual({
      hook_event_name: 'pre_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'ls' },
      session_id: 'child',
      cwd: '/project',
      profile: 'default',
      extra: {
        parent_session_id: 'parent',
        turn_id: 't',
        tool_call_id: 'c',
        telemetry_schema_version: 'hermes.observer.v1',
      },
    });
  });

  it('of an event without a tool', () => {
    const payload = { sessionId: 's', model: 'm', platform: 'cli' };
    expect(hookPayload('on_session_start', payload, { cwd: '/project', profile: 'work' })).toEqual({
      hook_event_name: 'on_session_start',
      tool_name: null,
      tool_input: null,
      session_id: 's',
      cwd: '/project',
      profile: 'work',
      extra: { model: 'm', platform: 'cli', telemetry_schema_version: 'hermes.observer.v1' },
    });
  });

  it('names the parent where the event has no session of its own', () => {
    const { session_id, extra } = hookDocument('subagent_stop', syntheticPayload('subagent_stop'), {
      cwd: undefined,
    });
    expect(session_id).toBe('ses_example');
    expect(extra).not.toHaveProperty('parent_session_id');
    expect(hookDocument('x', {}, { cwd: undefined })).toMatchObject({ session_id: '', cwd: '' });
  });

  it.each([['text'], [7], [null], [[1]]])('arguments that are %j are null', (args) => {
    expect(hookDocument('pre_tool_call', { args }, { cwd: undefined }).tool_input).toBeNull();
  });
});

describe('a value of the document', () => {
  it('that JSON can hold stays as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(toHookValue(plain)).toEqual(plain);
      }),
    );
  });

  it('of any other kind becomes text, and JSON can then hold it', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const given = {
      big: 12n,
      symbol: Symbol('s'),
      run: () => 1,
      none: Number.NaN,
      endless: -Infinity,
      when: new Date(0),
      error: new TypeError('bad'),
      map: new Map<unknown, unknown>([
        ['k', 1n],
        [{ a: 1 }, 2],
      ]),
      set: new Set([1]),
      list: [undefined, () => 2],
      loop,
      gone: undefined,
      thrower: {
        get member(): never {
          throw new Error('no');
        },
      },
    };
    expect(toHookValue(given)).toEqual({
      big: '12',
      symbol: 'Symbol(s)',
      run: '() => 1',
      none: 'NaN',
      endless: '-Infinity',
      when: '1970-01-01T00:00:00.000Z',
      error: 'TypeError: bad',
      map: { k: '1', '{"a":1}': 2 },
      set: [1],
      list: [null, '() => 2'],
      loop: { self: '[circular]' },
      thrower: '[unreadable]',
    });
  });

  it('keeps every member, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (members) => {
        const kept = toHookValue(members) as object;
        const named = Object.keys(members).filter((key) => members[key] !== undefined);
        expect(Object.keys(kept)).toEqual(named);
        expect(JSON.stringify(JSON.parse(JSON.stringify(kept)))).toBe(JSON.stringify(kept));
      }),
    );
  });
});
