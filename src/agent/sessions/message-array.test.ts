import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../kernel/json/index.ts';
import { isJsonArray } from './json-reader.ts';
import { encodeMessageArray, parseMessageArray, repairMessageArray } from './message-array.ts';

const options = { readOnlyTools: new Set(['read_file']) };

function repair(json: JsonValue): readonly JsonObject[] {
  const parsed = parseMessageArray(json);
  if (!parsed.ok) throw new Error(parsed.message);
  const encoded = encodeMessageArray(repairMessageArray(parsed.value, options));
  return Array.isArray(encoded) ? encoded.filter(isJsonObject) : [];
}

function problemWith(json: JsonValue): string {
  const parsed = parseMessageArray(json);
  return parsed.ok ? 'none' : `${parsed.code}: ${parsed.message}`;
}

function blocksOf(message: JsonObject | undefined): readonly JsonObject[] {
  const content = message?.['content'];
  return isJsonArray(content) ? content.filter(isJsonObject) : [];
}

/** What a provider of Anthropic's form would refuse. */
function refusals(messages: readonly JsonObject[]): readonly string[] {
  const ids = messages.flatMap(asked);
  const problems = ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `${id} is used twice`);
  if (messages[0]?.['role'] !== 'user') problems.push('the first message is not the user’s');
  if (answered(messages[0]).length > 0) problems.push('a result stands first');
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    if (message['role'] === next?.['role']) problems.push(`role repeats after ${index}`);
    if (asked(message).join() !== answered(next).join())
      problems.push(`calls of ${index} are not answered in order`);
    const areResults = blocksOf(message).map((item) => item['type'] === 'tool_result');
    if (areResults.includes(true, areResults.indexOf(false))) {
      if (areResults.includes(false)) problems.push(`a result stands behind text in ${index}`);
    }
  });
  return problems;
}

function asked(message: JsonObject | undefined): readonly string[] {
  const calls = blocksOf(message).filter((item) => item['type'] === 'tool_use');
  return calls.map((item) => getString(item, 'id') ?? '');
}

function answered(message: JsonObject | undefined): readonly string[] {
  const results = blocksOf(message).filter((item) => item['type'] === 'tool_result');
  return results.map((item) => getString(item, 'tool_use_id') ?? '');
}

const go = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const summary = { role: 'user', content: [{ type: 'text', text: '[summary of earlier turns]' }] };
const block = (id: string, name = 'terminal') => ({ type: 'tool_use', id, name, input: { command: id } });
const uses = (...ids: string[]) => ({ role: 'assistant', content: ids.map((id) => block(id)) });
const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `REAL-${id}` });
const answers = (...ids: string[]) => ({ role: 'user', content: ids.map(answer) });

describe('a list in Anthropic’s form', () => {
  const broken: [string, JsonValue, string[]][] = [
    ['crash before the result', [go, uses('a1')], []],
    ['one of two parallel results missing', [go, uses('a1', 'a2'), answers('a1')], ['a1']],
    ['call cut off, result survived', [summary, answers('a9'), uses('b1'), answers('b1')], ['b1']],
    ['summary between call and result', [go, uses('c1'), summary, answers('c1')], ['c1']],
    ['result came twice', [go, uses('d1'), answers('d1'), answers('d1')], ['d1']],
    ['starts with a call', [uses('e1'), answers('e1')], ['e1']],
    ['user text before the late result', [go, uses('f1'), go, answers('f1')], ['f1']],
    ['same id used twice', [go, uses('g1'), answers('g1'), uses('g1'), answers('g1')], ['g1', 'g1']],
    ['only an orphan', [answers('h1')], []],
    [
      'text before the result in one message',
      [go, uses('i1'), { role: 'user', content: [...go.content, answer('i1')] }],
      ['i1'],
    ],
  ];

  it.each(broken)('is made acceptable: %s', (_, list, real) => {
    const repaired = repair(list);
    expect(refusals(repaired)).toEqual([]);
    expect(JSON.stringify(repaired).match(/REAL-\w+/g) ?? []).toEqual(real.map((id) => `REAL-${id}`));
  });

  it.each(broken)('is not changed by repairing it twice: %s', (_, list) => {
    const once = JSON.stringify(repair(list));
    expect(JSON.stringify(repair(reparsed(once)))).toBe(once);
  });

  it.each(broken)('is refused by the checker of this test before its repair: %s', (_, list) => {
    expect(refusals(Array.isArray(list) ? list.filter(isJsonObject) : [])).not.toEqual([]);
  });

  it('marks the missing result as of unknown effect, for a known read-only tool as not finished', () => {
    const calls = {
      role: 'assistant',
      content: [block('a', 'terminal'), block('b', 'read_file'), block('c', 'constructor')],
    };
    const texts = blocksOf(repair([go, calls])[2]).map((item) => getString(item, 'content'));
    expect(texts).toEqual([
      expect.stringContaining('effect is unknown'),
      expect.stringContaining('did not finish'),
      expect.stringContaining('effect is unknown'),
    ]);
  });

  it('takes a stand-in of its own for one: a real result that comes later wins', () => {
    const [, , standIn] = repair([go, uses('a')]);
    expect(repair([go, uses('a'), standIn ?? null, answers('a')])).toEqual([go, uses('a'), answers('a')]);
    const quoting = { role: 'user', content: [{ ...answer('a'), content: `log: ${textOfFirst(standIn)}` }] };
    expect(repair([go, uses('a'), quoting, answers('a')])).toEqual([go, uses('a'), quoting]);
  });

  it('that is sound comes back unchanged, with fields and blocks nobody here knows', () => {
    const healthy = [
      { role: 'user', content: 'go', id: 'msg_1', custom: { deep: [null] } },
      {
        role: 'assistant',
        stop_reason: 'tool_use',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'Looking.', citations: null },
          { ...block('h1'), cache_control: { type: 'ephemeral' } },
          block('h2'),
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'h1',
            content: [{ type: 'image', source: {} }],
            is_error: true,
          },
          answer('h2'),
          { type: 'text', text: 'and now?' },
        ],
      },
      { role: 'assistant', content: 'done' },
    ];
    expect(repair(healthy)).toEqual(healthy);
    expect(JSON.stringify(repair(healthy))).toBe(JSON.stringify(healthy));
  });

  it('has neighbours of one role joined: strings by a blank line, blocks one after another', () => {
    const plain = [
      { role: 'user', content: 'one', name: 'first' },
      { role: 'user', content: 'two', tag: 'second' },
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    ];
    expect(repair(plain)).toEqual([
      { role: 'user', content: 'one\n\ntwo', name: 'first', tag: 'second' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('keeps unknown fields of a call whose id is renamed, and of its result', () => {
    const extra = (id: string) => ({ role: 'assistant', content: [{ ...block(id), cache_control: 1 }] });
    const [, , , call, result] = repair([
      go,
      extra('a'),
      answers('a'),
      extra('a'),
      { role: 'user', content: [{ ...answer('a'), is_error: true }] },
    ]);
    expect(call).toEqual({ role: 'assistant', content: [{ ...block('a'), id: 'a_2', cache_control: 1 }] });
    expect(result).toEqual({
      role: 'user',
      content: [{ ...answer('a'), tool_use_id: 'a_2', is_error: true }],
    });
  });

  it('loses assistant messages that hold only blank text, not those that hold anything else', () => {
    const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }] };
    expect(
      repair([
        go,
        { role: 'assistant', content: [{ type: 'text', text: ' ' }] },
        summary,
        uses('a'),
        answers('a'),
        thought,
      ]),
    ).toEqual([
      { role: 'user', content: [...go.content, ...summary.content] },
      uses('a'),
      answers('a'),
      thought,
    ]);
  });

  it('is always acceptable after the repair, and stable, and holds all that was said', () => {
    fc.assert(
      fc.property(anthropicList, (list) => {
        const once = repair(list);
        expect(list.length === 0 ? [] : refusals(once)).toEqual([]);
        expect(JSON.stringify(repair(reparsed(JSON.stringify(once))))).toBe(JSON.stringify(once));
        expect(wordsOf(once)).toEqual(wordsOf(list));
      }),
    );
  });
});

describe('a list in OpenAI’s form', () => {
  const system = { role: 'system', content: 'Be brief.' };
  const user = { role: 'user', content: 'go' };
  const asks = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'terminal', arguments: '{"command":"x"}' },
    })),
  });
  const tells = (id: string) => ({ role: 'tool', tool_call_id: id, content: `REAL-${id}` });
  const standIn = (id: string) => ({
    role: 'tool',
    tool_call_id: id,
    content: expect.stringContaining('effect is unknown'),
  });

  it('that is sound comes back unchanged, unknown fields and neighbours of one role included', () => {
    const healthy = [
      system,
      { role: 'developer', content: [{ type: 'text', text: 'x' }] },
      { ...user, name: 'ann' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
      { ...asks('a', 'b'), refusal: null, annotations: [] },
      tells('a'),
      { ...tells('b'), content: [{ type: 'text', text: 'r' }], extra: 1 },
      { role: 'assistant', content: 'done' },
    ];
    expect(repair(healthy)).toEqual(healthy);
  });

  it('gets one result per call, in order, and no others', () => {
    const list = [
      system,
      user,
      asks('a', 'b'),
      { ...user, content: 'hurry' },
      tells('b'),
      tells('z'),
      tells('b'),
    ];
    expect(repair(list)).toEqual([
      system,
      user,
      asks('a', 'b'),
      standIn('a'),
      tells('b'),
      { ...user, content: 'hurry' },
    ]);
  });

  it('gets its user message after the instructions it starts with', () => {
    const repaired = repair([system, asks('a'), tells('a')]);
    expect(repaired.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(
      repair([tells('a'), system, { role: 'assistant', content: 'hi' }]).map(({ role }) => role),
    ).toEqual(['system', 'user', 'assistant']);
    expect(repair([system])).toEqual([system]);
  });

  it('has ids that are used again renamed, results with them', () => {
    const [, , , second, result] = repair([user, asks('a'), tells('a'), asks('a'), tells('a')]);
    expect(second).toEqual(asks('a_2'));
    expect(result).toEqual({ ...tells('a'), tool_call_id: 'a_2' });
  });

  it('may hold custom calls, arguments that are no JSON, and arguments that are no text', () => {
    const odd = {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', type: 'custom', custom: { name: 'shell', input: 'ls' } },
        { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{"path' } },
        { id: 'c', function: { name: 'terminal', arguments: { command: 'x' } } },
      ],
    };
    expect(repair([user, odd]).slice(1)).toEqual([
      odd,
      standIn('a'),
      { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('did not finish') },
      standIn('c'),
    ]);
  });

  it('loses assistant messages without text and calls, and empty arrays of calls', () => {
    const list = [
      user,
      { role: 'assistant', content: null },
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'assistant', content: 'hi', tool_calls: [] },
      { role: 'assistant', content: null, refusal: 'No.' },
    ];
    expect(repair(list)).toEqual([
      user,
      { role: 'assistant', content: 'hi' },
      { role: 'assistant', content: null, refusal: 'No.' },
    ]);
  });
});

describe('a list in our own form', () => {
  const user = { role: 'user', text: 'go' };
  const asks = (callId: string, tool = 'terminal') => ({
    role: 'assistant',
    text: '',
    calls: [{ callId, tool, args: null, rawArgs: '{' }],
  });
  const tells = (callId: string) => ({ role: 'tool', callId, tool: 'terminal', text: 'r', status: 'ok' });

  it('that is sound comes back unchanged, unknown fields included', () => {
    const healthy = [
      { ...user, synthetic: 'summary', context: 'c', extra: [1] },
      asks('a'),
      { ...tells('a'), extra: true },
      { role: 'assistant', text: 'done', calls: [], pushedBack: true },
    ];
    expect(repair(healthy)).toEqual(healthy);
  });

  it('is repaired', () => {
    expect(repair([asks('a', 'read_file'), user, asks('b'), tells('b')])).toEqual([
      { role: 'user', synthetic: 'summary', text: expect.any(String) },
      asks('a', 'read_file'),
      {
        role: 'tool',
        callId: 'a',
        tool: 'read_file',
        text: expect.stringContaining('did not finish'),
        status: 'unknown',
      },
      user,
      asks('b'),
      tells('b'),
    ]);
  });
});

describe('what is no list of messages is refused with its position:', () => {
  const openaiUser = { role: 'system', content: 'x' };
  const own = { role: 'user', text: 'x' };
  it.each<[string, JsonValue, string]>([
    ['no array', { messages: [] }, 'messages must be an array, not an object'],
    ['null', null, 'messages must be an array, not null'],
    ['no object', [go, 'hi'], 'messages[1] must be an object, not "hi"'],
    [
      'unknown role',
      [{ role: 'robot', content: 'x' }],
      'messages[0].role must be "user" or "assistant", not "robot"',
    ],
    ['no role', [{ content: 'x' }], 'messages[0].role must be "user" or "assistant", not absent'],
    [
      'content of a number',
      [{ role: 'user', content: 7 }],
      'messages[0].content must be a string or an array of blocks, not 7',
    ],
    [
      'block without type',
      [{ role: 'user', content: [{ text: 'x' }] }],
      'messages[0].content[0].type must be a string, not absent',
    ],
    [
      'call without id',
      [go, { role: 'assistant', content: [{ type: 'tool_use', name: 'x', input: {} }] }],
      'messages[1].content[0].id must be a string, not absent',
    ],
    [
      'result without id',
      [{ role: 'user', content: [{ type: 'tool_result' }] }],
      'messages[0].content[0].tool_use_id must be a string, not absent',
    ],
    [
      'result said by the assistant',
      [{ role: 'assistant', content: [answer('a')] }],
      'messages[0].content[0].type must be no tool_result in an assistant message',
    ],
    [
      'call said by the user',
      [{ role: 'user', content: [block('a')] }],
      'messages[0].content[0].type must be no tool_use in a user message',
    ],
    [
      'two forms',
      [uses('a'), { role: 'tool', tool_call_id: 'a', content: 'x' }],
      'messages[1].role must be "user" or "assistant", not "tool"',
    ],
    [
      'OpenAI: unknown role',
      [openaiUser, { role: 'function', content: 'x' }],
      'messages[1].role must be "system", "developer", "user", "assistant" or "tool", not "function"',
    ],
    [
      'OpenAI: call without function',
      [openaiUser, { role: 'assistant', tool_calls: [{ id: 'a' }] }],
      'messages[1].tool_calls[0].function must be an object, not absent',
    ],
    [
      'OpenAI: calls no array',
      [openaiUser, { role: 'assistant', tool_calls: {} }],
      'messages[1].tool_calls must be an array, not an object',
    ],
    [
      'OpenAI: arguments absent',
      [openaiUser, { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'x' } }] }],
      'messages[1].tool_calls[0].function.arguments must be a string, not absent',
    ],
    [
      'OpenAI: result without content',
      [openaiUser, { role: 'tool', tool_call_id: 'a' }],
      'messages[1].content must be a string or an array of parts, not absent',
    ],
    [
      'own: unknown status',
      [own, { role: 'tool', callId: 'a', tool: 't', text: '', status: 'fine' }],
      'messages[1].status must be one of ok, error, blocked, cancelled, unknown, not "fine"',
    ],
    [
      'own: arguments of text',
      [own, { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 't', args: 'x' }] }],
      'messages[1].calls[0].args must be an object or null, not "x"',
    ],
    [
      'own: no calls',
      [own, { role: 'assistant', text: '' }],
      'messages[1].calls must be an array, not absent',
    ],
    [
      'own: flag of text',
      [{ ...own, synthetic: 'poem' }],
      'messages[0].synthetic must be one of summary, verification_required, not "poem"',
    ],
    [
      'own: role',
      [{ role: 'system', text: 'x' }],
      'messages[0].role must be "user", "assistant" or "tool", not "system"',
    ],
  ])('%s', (_, json, expected) => {
    expect(problemWith(json)).toContain(`invalid_messages: ${expected}`);
  });

  it('long values are cut, and the remedy names the forms', () => {
    const parsed = parseMessageArray([{ role: 'x'.repeat(5_000_000), content: '' }]);
    expect(parsed).toMatchObject({ ok: false, remedy: expect.stringContaining('Anthropic') });
    expect(parsed.ok ? '' : parsed.message).toHaveLength(
      'messages[0].role must be "user" or "assistant", not '.length + 58,
    );
  });

  it('an empty list is a list', () => {
    expect(repair([])).toEqual([]);
  });
});

function reparsed(text: string): JsonValue {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

function textOfFirst(message: JsonObject | undefined): string {
  return getString(blocksOf(message)[0] ?? {}, 'content') ?? '';
}

const anyId = fc.constantFrom('a', 'b', 'a_2');
const anyText = fc.constantFrom('x', 'y').map((text) => ({ type: 'text', text }));
const anthropicList: fc.Arbitrary<JsonObject[]> = fc.array(
  fc.oneof(
    fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.constantFrom('one', 'two') }),
    fc.record({
      role: fc.constant('user'),
      content: fc.array(fc.oneof(anyText, anyId.map(answer)), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      role: fc.constant('assistant'),
      content: fc.array(
        fc.oneof(
          anyText,
          anyId.map((id) => block(id)),
        ),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  ),
  { maxLength: 10 },
);

/** All that was said in text, in order, without what this module writes itself. */
function wordsOf(messages: readonly JsonObject[]): readonly string[] {
  return messages.flatMap((message) => {
    const plain = getString(message, 'content')?.split('\n\n') ?? [];
    const words = [...plain, ...blocksOf(message).flatMap((item) => getString(item, 'text') ?? [])];
    return words.filter((word) => word.length <= 3).map((word) => `${getString(message, 'role')}: ${word}`);
  });
}
