import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue, parseJson } from '../../kernel/json/index.ts';
import type { Message, RequestedCall, ResultStatus } from './message.ts';
import { decodeMessage, encodeMessage } from './message-row.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\0b', '\ud800', 'x\udfff\0'),
);
const args = fc
  .jsonValue()
  .map((value): RequestedCall['args'] => (isJsonObject(value) ? reparsed(JSON.stringify(value)) : null));
const call = fc.record(
  { callId: text, tool: text, args, rawArgs: fc.oneof(text, fc.constant('{"a":1}')) },
  { noNullPrototype: true, requiredKeys: ['callId', 'tool', 'args'] },
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record(
    {
      role: fc.constant('user' as const),
      text,
      synthetic: fc.constantFrom('summary' as const, 'verification_required' as const),
      context: text,
    },
    { noNullPrototype: true, requiredKeys: ['role', 'text'] },
  ),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      text,
      calls: fc.array(call, { maxLength: 3 }),
      pushedBack: fc.boolean(),
    },
    { noNullPrototype: true, requiredKeys: ['role', 'text', 'calls'] },
  ),
  fc.record(
    {
      role: fc.constant('tool' as const),
      callId: text,
      tool: text,
      text,
      status: fc.constantFrom<ResultStatus>('ok', 'error', 'blocked', 'cancelled', 'unknown'),
    },
    { noNullPrototype: true },
  ),
);

describe('a message', () => {
  it('comes back from its row exactly as it was', () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(decodeMessage(encodeMessage(given))).toStrictEqual({ ok: true, value: given });
      }),
    );
  });

  it('stands a second time in its row only where UTF-8 cannot hold it', () => {
    expect(encodeMessage({ role: 'user', text: 'a\0b 😀' })).toMatchObject({
      content: 'a\0b 😀',
      exact: null,
    });
    expect(encodeMessage({ role: 'user', text: 'a\ud800' })).toMatchObject({ exact: expect.any(String) });
  });

  it('has its calls in the form of OpenAI, as Hermes has them', () => {
    const calls = [{ callId: 'a', tool: 'terminal', args: { command: 'ls' } }];
    const { tool_calls: column } = encodeMessage({ role: 'assistant', text: '', calls });
    expect(parseJson(column ?? '')).toMatchObject({
      value: [{ id: 'a', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } }],
    });
  });
});

describe('a row that is damaged is refused:', () => {
  const sound = encodeMessage({
    role: 'assistant',
    text: 'x',
    calls: [{ callId: 'a', tool: 't', args: {} }],
  });
  it.each([
    ['an unknown role', { ...sound, role: 'robot' }, 'role must be'],
    ['content that is no text', { ...sound, content: null }, 'text must be a string'],
    ['calls that are no JSON', { ...sound, tool_calls: '[{' }, 'calls must be an array'],
    ['calls that are no array', { ...sound, tool_calls: '{}' }, 'calls must be an array'],
    ['a call without a function', { ...sound, tool_calls: '[{"id":"a"}]' }, 'calls[0] must be an object'],
    [
      'a call without an id',
      { ...sound, tool_calls: '[{"function":{"name":"t"}}]' },
      'calls[0].callId must be a string',
    ],
    [
      'an unknown status',
      { ...sound, role: 'tool', tool_call_id: 'a', tool_name: 't', status: 'fine' },
      'status must be',
    ],
    ['an exact form that is no JSON', { ...sound, exact: '{' }, 'must be an object'],
    ['a number for text', { ...sound, content: 7 }, 'text must be a string'],
  ])('%s', (_, row, expected) => {
    expect(decodeMessage(row)).toMatchObject({
      ok: false,
      code: 'corrupt_message',
      message: expect.stringContaining(expected),
    });
  });
});

function reparsed(json: string): RequestedCall['args'] {
  const parsed = parseJson(json);
  const value: JsonValue = parsed.ok ? parsed.value : null;
  return isJsonObject(value) ? value : null;
}
