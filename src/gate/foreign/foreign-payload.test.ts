import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json/index.ts';
import { parseForeignCall, parseForeignOutcome, parseForeignSession } from './foreign-payload.ts';

const defaults = { cwd: () => '/here', newId: (prefix: string) => `${prefix}_new` };
const LEAST = { tool_name: 'terminal', tool_input: { command: 'ls' } };

describe('the payload of before', () => {
  it('is read in full', () => {
    const payload = {
      hook_event_name: 'pre_tool_call',
      ...LEAST,
      session_id: 's',
      turn_id: 't',
      tool_call_id: 'c',
      cwd: '/p',
      owner_pid: 42,
      approved: 'tkt_1',
    };
    expect(parseForeignCall(payload, defaults)).toEqual({
      ok: true,
      value: {
        tool: 'terminal',
        args: { command: 'ls' },
        sessionId: 's',
        turnId: 't',
        callId: 'c',
        cwd: '/p',
        ownerPid: 42,
        approved: 'tkt_1',
      },
    });
  });

  it('may leave out everything but the tool and its arguments', () => {
    const value = {
      tool: 'terminal',
      args: { command: 'ls' },
      sessionId: 'unknown',
      turnId: 'unknown',
      callId: 'call_new',
      cwd: '/here',
    };
    expect(parseForeignCall(LEAST, defaults)).toEqual({ ok: true, value });
    const empty = {
      session_id: '',
      turn_id: null,
      tool_call_id: '',
      cwd: null,
      owner_pid: null,
      approved: '',
    };
    expect(parseForeignCall({ ...LEAST, ...empty }, defaults)).toEqual({ ok: true, value });
    expect(parseForeignCall({ tool: 'terminal', args: { command: 'ls' } }, defaults)).toEqual({
      ok: true,
      value,
    });
  });

  it.each<[JsonValue, string]>([
    [null, 'must be a JSON object, not null'],
    [[LEAST], 'must be a JSON object, not [{"tool_name"'],
    ['text', 'must be a JSON object, not "text"'],
    [{}, 'lacks "tool_name"'],
    [{ tool_name: '' }, 'lacks "tool_name"'],
    [{ tool_name: 5 }, '"tool_name" must be a string, not 5'],
    [{ tool_name: 'x' }, 'lacks "tool_input"'],
    [{ tool_name: 'x', tool_input: 'ls' }, '"tool_input" must be an object, not "ls"'],
    [{ tool_name: 'x', tool_input: [] }, '"tool_input" must be an object, not []'],
    [{ ...LEAST, cwd: 'src' }, '"cwd" must be an absolute path, not "src"'],
    [{ ...LEAST, session_id: 7 }, '"session_id" must be a string, not 7'],
    [{ ...LEAST, owner_pid: '42' }, '"owner_pid" must be a process id, not "42"'],
    [{ ...LEAST, owner_pid: -1 }, '"owner_pid" must be a process id, not -1'],
    [{ ...LEAST, owner_pid: 1.5 }, '"owner_pid" must be a process id, not 1.5'],
    [{ ...LEAST, approved: true }, '"approved" must be a string, not true'],
  ])('%j is refused by name', (payload, message) => {
    expect(parseForeignCall(payload, defaults)).toMatchObject({
      ok: false,
      code: 'bad_payload',
      message: expect.stringContaining(message),
    });
  });

  it('finds nothing that is inherited', () => {
    const payload: JsonValue = JSON.parse('{"__proto__":{"tool_name":"x","tool_input":{}}}');
    expect(parseForeignCall(payload, defaults)).toMatchObject({ code: 'bad_payload' });
  });
});

describe('the payload of after', () => {
  it('names its call by ticket, or by id and session', () => {
    expect(parseForeignOutcome({ ticket: 'tkt_1', status: 'ok' })).toEqual({
      ok: true,
      value: { call: { ticket: 'tkt_1' }, status: 'ok', result: '' },
    });
    const both = { ticket: '', tool_call_id: 'c', session_id: 's', status: 'error' };
    expect(parseForeignOutcome({ ...both, result: { code: 3 }, error_type: 'E' })).toEqual({
      ok: true,
      value: { call: { callId: 'c', sessionId: 's' }, status: 'error', result: '{"code":3}', errorType: 'E' },
    });
  });

  it.each<[JsonValue, string]>([
    [7, 'must be a JSON object, not 7'],
    [{ status: 'ok' }, 'lacks "ticket", or "tool_call_id" or "tool_name" with "session_id"'],
    [
      { status: 'ok', tool_call_id: 'c' },
      'lacks "ticket", or "tool_call_id" or "tool_name" with "session_id"',
    ],
    [{ ticket: 5, status: 'ok' }, '"ticket" must be a string, not 5'],
    [{ ticket: 't' }, 'lacks "status", one of ok, error, blocked, cancelled'],
    [{ ticket: 't', status: 'done' }, '"status" must be one of ok, error, blocked, cancelled, not "done"'],
    [{ ticket: 't', status: 'ok', error_type: 1 }, '"error_type" must be a string, not 1'],
  ])('%j is refused by name', (payload, message) => {
    expect(parseForeignOutcome(payload)).toMatchObject({
      ok: false,
      code: 'bad_payload',
      message: expect.stringContaining(message),
    });
  });
});

describe('the payload of context', () => {
  it('names a session', () => {
    expect(parseForeignSession({ session_id: 's' })).toEqual({ ok: true, value: 's' });
    expect(parseForeignSession({})).toMatchObject({ message: 'The payload lacks "session_id".' });
    expect(parseForeignSession({ session_id: 3 })).toMatchObject({
      message: expect.stringContaining('not 3'),
    });
    expect(parseForeignSession([])).toMatchObject({ code: 'bad_payload' });
  });
});

describe('any payload', () => {
  it('is read or refused in one short line, never thrown at', () => {
    const names = [
      'tool_name',
      'tool_input',
      'cwd',
      'owner_pid',
      'approved',
      'ticket',
      'status',
      'session_id',
    ];
    const payloads = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
    ) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(payloads, (payload) => {
        for (const read of [
          parseForeignCall(payload, defaults),
          parseForeignOutcome(payload),
          parseForeignSession(payload),
        ]) {
          if (!read.ok) expect(read.message.length).toBeLessThan(200);
        }
      }),
    );
  });
});
