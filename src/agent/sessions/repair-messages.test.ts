import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../kernel/json/index.ts';
import type { Effect } from '../../kernel/tool-call/index.ts';
import type { Message, RequestedCall, ResultStatus } from './message.ts';
import { repairMessages } from './repair-messages.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type ToolResult = Extract<Message, { role: 'tool' }>;

const READ_ONLY = new Set(['read_file', 'search_files']);
const effectOf = (tool: string): Effect => (READ_ONLY.has(tool) ? 'none' : 'execute');
const repair = (messages: readonly Message[]) => repairMessages(messages, { effectOf });

const user = (text = 'go'): Message => ({ role: 'user', text });
const call = (callId: string, tool = 'terminal', args: JsonObject | null = {}): RequestedCall => ({
  callId,
  tool,
  args,
});
const calls = (...requested: RequestedCall[]): Assistant => ({
  role: 'assistant',
  text: '',
  calls: requested,
});
const says = (text: string): Assistant => ({ role: 'assistant', text, calls: [] });
const result = (callId: string, text = `real ${callId}`, status: ResultStatus = 'ok'): ToolResult => ({
  role: 'tool',
  callId,
  tool: 'terminal',
  text,
  status,
});
const standIn = (callId: string, tool = 'terminal') => ({
  role: 'tool',
  callId,
  tool,
  status: 'unknown',
  text: expect.stringContaining('effect is unknown'),
});

describe('a call without a result', () => {
  it('is told as not finished when it could change nothing', () => {
    const repaired = repair([user(), calls(call('a', 'read_file'))]);
    expect(repaired.at(-1)).toMatchObject({
      role: 'tool',
      callId: 'a',
      tool: 'read_file',
      status: 'unknown',
    });
    expect(repaired.at(-1)?.text).toContain('did not finish');
    expect(repaired.at(-1)?.text).not.toContain('effect is unknown');
  });

  it.each(['write', 'execute', 'external'] as const)(
    'is told as of unknown effect when that is %s',
    (effect) => {
      const repaired = repairMessages([user(), calls(call('a'))], { effectOf: () => effect });
      expect(repaired).toEqual([user(), calls(call('a')), standIn('a')]);
      expect(repaired.at(-1)?.text).toMatch(/inspect .* before repeating/i);
    },
  );

  it.each(['read_file', 'terminal'])('is never told as aborted or failed (%s)', (tool) => {
    expect(repair([user(), calls(call('a', tool))]).at(-1)?.text).not.toMatch(/abort|fail|error|cancel/i);
  });

  it('is judged by its arguments, empty ones when the model sent none that can be read', () => {
    const seen: [string, JsonObject][] = [];
    repairMessages([user(), calls(call('a', 'process', { action: 'list' }), call('b', 'process', null))], {
      effectOf: (tool, args) => {
        seen.push([tool, args]);
        return 'none';
      },
    });
    expect(seen).toEqual([
      ['process', { action: 'list' }],
      ['process', {}],
    ]);
  });

  it('keeps the real result of the call beside it', () => {
    const pair = calls(call('a'), call('b'));
    expect(repair([user(), pair, result('b')])).toEqual([user(), pair, standIn('a'), result('b')]);
  });
});

describe('results', () => {
  it('follow their message in the order of its calls', () => {
    const pair = calls(call('a'), call('b'));
    expect(repair([user(), pair, result('b'), result('a')])).toEqual([
      user(),
      pair,
      result('a'),
      result('b'),
    ]);
  });

  it('without a call are dropped', () => {
    expect(repair([user(), result('z'), says('hi')])).toEqual([user(), says('hi')]);
  });

  it('that stand before their call do not answer it', () => {
    const list = [user(), result('a'), calls(call('a'))];
    expect(repair(list)).toEqual([user(), calls(call('a')), standIn('a')]);
  });

  it('that are real win over a stand-in, wherever they stand later', () => {
    const unknown = result('a', 'nobody saw the end', 'unknown');
    const list = [user('1'), calls(call('a')), unknown, user('2'), says('well'), user('3'), result('a')];
    expect(repair(list)).toEqual([
      user('1'),
      calls(call('a')),
      result('a'),
      user('2'),
      says('well'),
      user('3'),
    ]);
    expect(repair([user(), calls(call('a')), result('a'), unknown])).toEqual([
      user(),
      calls(call('a')),
      result('a'),
    ]);
  });

  it('that are real count once, the first of them', () => {
    const list = [user(), calls(call('a')), result('a', 'first', 'error'), result('a', 'second')];
    expect(repair(list)).toEqual([user(), calls(call('a')), result('a', 'first', 'error')]);
  });

  it('of an earlier stand-in stay as they are when there is nothing better', () => {
    const kept = result('a', 'the journal says it may have landed', 'unknown');
    expect(repair([user(), calls(call('a')), kept, result('a', 'other', 'unknown')])[2]).toBe(kept);
  });

  it('answer the nearest call of their id, not one of an earlier turn', () => {
    const list = [user('1'), calls(call('a')), user('2'), calls(call('a')), result('a')];
    expect(repair(list)).toEqual([
      user('1'),
      calls(call('a')),
      standIn('a'),
      user('2'),
      calls(call('a_2')),
      { ...result('a'), callId: 'a_2' },
    ]);
  });
});

describe('words of the user', () => {
  it('between a call and its late result move after the results', () => {
    const list = [user('1'), calls(call('a')), user('2'), result('a'), says('done')];
    expect(repair(list)).toEqual([user('1'), calls(call('a')), result('a'), user('2'), says('done')]);
  });

  it('in a row stay as they are', () => {
    const list = [user('1'), user('2'), says('hi')];
    expect(repair(list)).toEqual(list);
  });

  it('stand first: a list that starts otherwise gets a synthetic message', () => {
    const [opening, ...rest] = repair([calls(call('a')), result('a')]);
    expect(opening).toMatchObject({ role: 'user', synthetic: 'summary' });
    expect(rest).toEqual([calls(call('a')), result('a')]);
    expect(repair([result('a')])).toEqual([opening]);
    expect(repair([])).toEqual([]);
  });
});

describe('ids', () => {
  it('used again get a number, and so do their results', () => {
    const turn = [user(), calls(call('a')), result('a')];
    expect(repair([...turn, ...turn, ...turn]).flatMap(idsOf)).toEqual([
      'a',
      'a',
      'a_2',
      'a_2',
      'a_3',
      'a_3',
    ]);
  });

  it('used twice in one message are told apart in order', () => {
    const list = [user(), calls(call('a'), call('a')), result('a', 'one'), result('a', 'two')];
    expect(repair(list)).toEqual([
      user(),
      calls(call('a'), call('a_2')),
      result('a', 'one'),
      { ...result('a', 'two'), callId: 'a_2' },
    ]);
  });

  it('that look like numbered ones are told apart too', () => {
    const list = [user(), calls(call('a'), call('a'), call('a_2'))];
    expect(new Set(repair(list).slice(2).flatMap(idsOf))).toEqual(new Set(['a', 'a_2', 'a_2_2']));
  });

  it('are never empty, and never grow beyond what OpenAI takes', () => {
    const long = 'x'.repeat(40);
    const ids = repair([user(), calls(call(''), call(long), call(long))])
      .slice(2)
      .flatMap(idsOf);
    expect(ids).toEqual(['call_2', long, `${'x'.repeat(38)}_2`]);
  });

  it('named like properties of every object are ids like others', () => {
    const list = [user(), calls(call('__proto__'), call('constructor')), result('constructor')];
    expect(repair(list)).toEqual([
      user(),
      calls(call('__proto__'), call('constructor')),
      standIn('__proto__'),
      result('constructor'),
    ]);
  });
});

it('assistant messages that say and ask nothing are dropped', () => {
  expect(repair([user('1'), says(' \n'), user('2'), says('')])).toEqual([user('1'), user('2')]);
});

const anyId = fc.constantFrom('', 'a', 'b', 'c', 'a_2', '__proto__');
const anyTool = fc.constantFrom('read_file', 'terminal', 'constructor');
const anyText = fc.constantFrom('', ' ', 'x', 'y');
const anyStatus = fc.constantFrom<ResultStatus>('ok', 'error', 'blocked', 'cancelled', 'unknown');
const anyCall = fc.record({
  callId: anyId,
  tool: anyTool,
  args: fc.constantFrom<JsonObject | null>({}, null),
});
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: anyText }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: anyText,
    calls: fc.array(anyCall, { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    callId: anyId,
    tool: anyTool,
    text: anyText,
    status: anyStatus,
  }),
);
const anyList = fc.array(anyMessage, { maxLength: 14 });

/** Lists that are as they ought to be: numbered ids, every call answered in order. */
const healthyList = fc
  .array(
    fc.tuple(
      anyText,
      fc.array(fc.tuple(anyTool, anyStatus), { maxLength: 3 }),
      fc.constantFrom('done', 'ok'),
    ),
  )
  .map((turns) =>
    turns.flatMap(([text, called, final], turn): Message[] => {
      const requested = called.map(([tool], index) => call(`${turn}-${index}`, tool));
      const results = called.map(([, status], index) => result(`${turn}-${index}`, 'r', status));
      return [user(text), ...(requested.length > 0 ? [calls(...requested), ...results] : []), says(final)];
    }),
  );

describe('any list', () => {
  it('comes out sound', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        expect(problemsOf(repair(list))).toEqual([]);
      }),
    );
  });

  it('that was repaired is not changed by repairing it again', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        const once = repair(list);
        expectSameObjects(repair(once), once);
      }),
    );
  });

  it('that is sound keeps its very messages', () => {
    fc.assert(
      fc.property(healthyList, (list) => {
        expectSameObjects(repair(list), list);
      }),
    );
  });

  it('keeps what user and assistant said, in order', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        const repaired = repair(list);
        const given = repaired.filter((message) => message.role !== 'user' || list.includes(message));
        expect(given.flatMap(spokenIn)).toEqual(list.flatMap(spokenIn));
        expect(repaired.length - given.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('answers each call with the first real result between it and the next use of its id', () => {
    fc.assert(
      fc.property(anyList, (given) => {
        const list = given
          .filter((message) => !repeatsAnId(message))
          .map((message, index) => labelled(message, index));
        const answers = repair(list).filter((message) => message.role === 'tool');
        const expected = list.flatMap((message, index) =>
          message.role === 'assistant'
            ? message.calls.map(({ callId }) => expectedAnswer(list, index, callId))
            : [],
        );
        expect(answers.map(({ text }) => (text.startsWith('#') ? text : 'stand-in'))).toEqual(expected);
      }),
    );
  });

  it('tells the truth about each call whose end is not known', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        const made = repair(list).filter((message) => message.role === 'tool' && message.text.length > 1);
        for (const message of made) {
          const isReadOnly = message.role === 'tool' && READ_ONLY.has(message.tool);
          expect(message.text).toContain(isReadOnly ? 'did not finish' : 'effect is unknown');
          expect(message).toMatchObject({ status: 'unknown' });
        }
      }),
    );
  });

  it('gives the calls of its beginning the same ids when it grows', () => {
    fc.assert(
      fc.property(anyList, anyList, (list, more) => {
        const before = repair(list).flatMap(callIdsOf);
        expect(
          repair([...list, ...more])
            .flatMap(callIdsOf)
            .slice(0, before.length),
        ).toEqual(before);
      }),
    );
  });

  it('is not itself changed', () => {
    fc.assert(
      fc.property(anyList, (list) => {
        const copy = structuredClone(list);
        repair(list);
        expect(list).toEqual(copy);
      }),
    );
  });
});

function problemsOf(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  if (messages.length > 0 && messages[0]?.role !== 'user')
    problems.push('does not start with a user message');
  for (let index = 0; index < messages.length; ) {
    const message = messages[index];
    index += 1;
    if (message?.role === 'tool') problems.push(`result of ${message.callId} answers nothing`);
    if (message?.role !== 'assistant') continue;
    if (message.text.trim() === '' && message.calls.length === 0) problems.push('empty assistant message');
    for (const { callId } of message.calls) {
      if (seen.has(callId)) problems.push(`${callId} is used twice`);
      seen.add(callId);
      const next = messages[index];
      index += 1;
      if (next?.role !== 'tool' || next.callId !== callId)
        problems.push(`${callId} is not answered in its place`);
    }
  }
  return problems;
}

function expectSameObjects(actual: readonly Message[], expected: readonly Message[]): void {
  expect(actual).toEqual(expected);
  actual.forEach((message, index) => {
    expect(message).toBe(expected[index]);
  });
}

function spokenIn(message: Message): readonly string[] {
  if (message.role === 'tool') return [];
  if (message.role === 'user') return [`user ${message.text}`];
  const tools = message.calls.map(({ tool }) => tool).join();
  return message.text.trim() === '' && tools === '' ? [] : [`assistant ${message.text} ${tools}`];
}

function idsOf(message: Message): readonly string[] {
  return message.role === 'tool' ? [message.callId] : callIdsOf(message);
}

function callIdsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? message.calls.map(({ callId }) => callId) : [];
}

function repeatsAnId(message: Message): boolean {
  return new Set(callIdsOf(message)).size < callIdsOf(message).length;
}

function labelled(message: Message, index: number): Message {
  return message.role === 'tool'
    ? { ...message, text: message.status === 'unknown' ? '' : `#${index}` }
    : message;
}

function expectedAnswer(list: readonly Message[], from: number, callId: string): string {
  const next = list.findIndex((message, index) => index > from && callIdsOf(message).includes(callId));
  const found = list
    .slice(from + 1, next === -1 ? undefined : next)
    .find((message) => message.role === 'tool' && message.callId === callId && message.status !== 'unknown');
  return found?.text ?? 'stand-in';
}
