import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import { FakeClock, systemClock } from '../../platform/clock/index.ts';
import { createFetch, type FetchOptions } from '../../platform/http/index.ts';
import type { Message } from '../sessions/index.ts';
import type { ChatModel, ModelEvent, ModelFailure, ModelRequest } from './chat-model.ts';
import { type ModelSpec, resolveModel } from './index.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** What a fake server was sent. */
interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly WireMessage[];
    readonly tools?: readonly unknown[];
  };
}

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

type Reply = (response: ServerResponse) => void;

/** A server that speaks OpenAI's chat completions: it gives each reply once, the last one for ever. */
class FakeServer {
  readonly received: Received[] = [];
  readonly #replies: Reply[] = [];
  #base = '';

  static async start(...replies: Reply[]): Promise<FakeServer> {
    const fake = new FakeServer();
    fake.#replies.push(...replies);
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body'];
        fake.received.push({ url: request.url ?? '', headers: request.headers, body });
        const reply = fake.#replies.length > 1 ? fake.#replies.shift() : fake.#replies[0];
        reply?.(response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
    fake.#base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return fake;
  }

  get base(): string {
    return `${this.#base}/v1`;
  }

  get origin(): string {
    return this.#base;
  }
}

const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (content: object, finish: string | null = null): string =>
  event({
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  });
const text = (content: string): string => delta({ content });
const call = (index: number, part: object): string => delta({ tool_calls: [{ index, ...part }] });
const usage = event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } });
const end = (finish: string): string => delta({}, finish) + usage + event('[DONE]');

/** Events, each in its own write; a function among them is what the server does instead of going on. */
function stream(...parts: (string | Reply)[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (index: number): void => {
      const part = parts[index];
      if (part === undefined) response.end();
      else if (typeof part === 'function') part(response);
      else response.write(part, () => setImmediate(next, index + 1));
    };
    next(0);
  };
}

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => {
  const isText = typeof body === 'string';
  return (response) => {
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
};

interface Setup {
  readonly spec?: ModelSpec;
  readonly environment?: Readonly<Record<string, string>>;
  readonly fetch?: FetchOptions;
}

async function modelOf(server: FakeServer, setup: Setup = {}): Promise<ChatModel> {
  const { spec = { name: 'openai-compatible:gpt-test', base_url: server.base }, environment = {} } = setup;
  const model = await resolveModel(spec, {
    environment,
    fetch: createFetch(setup.fetch),
    readScript: () => Promise.reject(new Error('no script here')),
    clock: systemClock,
  });
  if (!model.ok) throw new Error(model.message);
  return model.value;
}

function tool(name: string): ToolDeclaration {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    effect: 'none',
    idempotent: true,
    pathArguments: ['path'],
  };
}

function request(parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'hello' }],
    tools: [tool('read_file'), tool('write_file')],
    signal: new AbortController().signal,
    ...parts,
  };
}

async function eventsOf(model: ChatModel, parts: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const each of model.stream(request(parts))) events.push(each);
  return events;
}

function failureIn(events: readonly ModelEvent[]): ModelFailure {
  const endings = events.filter(({ type }) => type === 'finished' || type === 'failed');
  expect(endings).toHaveLength(1);
  const last = events.at(-1);
  if (last?.type !== 'failed') throw new Error(`ended with ${JSON.stringify(last)}`);
  return last.failure;
}

async function failureOf(reply: Reply, setup: Setup = {}): Promise<ModelFailure & { readonly base: string }> {
  const server = await FakeServer.start(reply);
  return { ...failureIn(await eventsOf(await modelOf(server, setup))), base: server.base };
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.map((each) => (each.type === 'text-delta' ? each.text : '')).join('');

describe('an answer', () => {
  it('streams its text piece by piece, then says how it ended and what it cost', async () => {
    const server = await FakeServer.start(stream(text('Hel'), text('lo'), text(' wörld 😀'), end('stop')));
    expect(await eventsOf(await modelOf(server))).toEqual([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'text-delta', text: ' wörld 😀' },
      { type: 'finished', reason: 'stop', usage: { inputTokens: 11, outputTokens: 7 } },
    ]);
  });

  it('survives events that are split anywhere, also within a character', async () => {
    const bytes = Buffer.from(text('Grüße, 世界 😀') + end('stop'));
    const server = await FakeServer.start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const next = (index: number): void => {
        if (index === bytes.length) response.end();
        else response.write(bytes.subarray(index, index + 1), () => setImmediate(next, index + 1));
      };
      next(0);
    });
    const events = await eventsOf(await modelOf(server));
    expect(textOf(events)).toBe('Grüße, 世界 😀');
    expect(events.at(-1)).toMatchObject({ type: 'finished', reason: 'stop' });
  });

  it('gathers two parallel calls from interleaved pieces, and yields them at its end, in order', async () => {
    const server = await FakeServer.start(
      stream(
        text('Looking.'),
        call(0, { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '' } }),
        call(1, { id: 'call_b', type: 'function', function: { name: 'write_file', arguments: '{"pa' } }),
        call(0, { function: { arguments: '{"path":"a' } }),
        call(1, { function: { arguments: 'th":"b.txt"}' } }),
        call(0, { function: { arguments: '.txt"}' } }),
        end('tool_calls'),
      ),
    );
    expect(await eventsOf(await modelOf(server))).toEqual([
      { type: 'text-delta', text: 'Looking.' },
      {
        type: 'tool-call',
        callId: 'call_a',
        tool: 'read_file',
        args: { path: 'a.txt' },
        rawArgs: '{"path":"a.txt"}',
      },
      {
        type: 'tool-call',
        callId: 'call_b',
        tool: 'write_file',
        args: { path: 'b.txt' },
        rawArgs: '{"path":"b.txt"}',
      },
      { type: 'finished', reason: 'tool-calls', usage: { inputTokens: 11, outputTokens: 7 } },
    ]);
  });

  it.each([
    ['cut off', '{"path":"a.t', null],
    ['no JSON', 'path=a.txt', null],
    ['a list', '["a.txt"]', null],
    ['a text', '"a.txt"', null],
    ['null', 'null', null],
    [
      'a key that a prototype has',
      '{"__proto__":{"x":1},"constructor":2}',
      JSON.parse('{"__proto__":{"x":1},"constructor":2}') as object,
    ],
    ['missing', '', {}],
    ['not what the schema wants', '{"path":7}', { path: 7 }],
  ])('may hold a call whose arguments are %s', async (_, raw, args) => {
    const part = { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: raw } };
    const server = await FakeServer.start(stream(call(0, part), end('tool_calls')));
    const [first, last] = await eventsOf(await modelOf(server));
    expect(first).toEqual({
      type: 'tool-call',
      callId: 'call_a',
      tool: 'read_file',
      args,
      rawArgs: args === null ? raw : raw === '' ? '{}' : raw,
    });
    expect(last).toMatchObject({ type: 'finished', reason: 'tool-calls' });
  });

  it.each(['no_such_tool', 'constructor', '__proto__', 'toString'])(
    'may call the unknown tool %s',
    async (name) => {
      const part = { id: 'call_a', type: 'function', function: { name, arguments: '{"a":1}' } };
      const server = await FakeServer.start(stream(call(0, part), end('tool_calls')));
      const [first] = await eventsOf(await modelOf(server));
      expect(first).toEqual({
        type: 'tool-call',
        callId: 'call_a',
        tool: name,
        args: { a: 1 },
        rawArgs: '{"a":1}',
      });
    },
  );

  it('says that it was cut off by its length', async () => {
    const server = await FakeServer.start(stream(text('and th'), end('length')));
    expect((await eventsOf(await modelOf(server))).at(-1)).toMatchObject({
      type: 'finished',
      reason: 'length',
    });
  });

  it.each(['length', 'content_filter'])(
    'that was cut off (%s) before the arguments of its last call holds that call without arguments',
    async (finish) => {
      const part = (id: string, given: string): object => ({
        id,
        type: 'function',
        function: { name: 'read_file', arguments: given },
      });
      const server = await FakeServer.start(
        stream(call(0, part('a', '')), call(1, part('b', '')), end(finish)),
        stream(call(0, part('a', '{"path":"whole"}')), end(finish)),
      );
      const model = await modelOf(server);
      const cutOff = await eventsOf(model);
      expect(cutOff.map((each) => (each.type === 'tool-call' ? each.args : each.type))).toEqual([
        {},
        null,
        'finished',
      ]);
      const [whole] = await eventsOf(model);
      expect(whole).toMatchObject({ type: 'tool-call', args: { path: 'whole' } });
    },
  );

  it('that a filter cut short after some words did not end by itself', async () => {
    const server = await FakeServer.start(stream(text('Well, th'), end('content_filter')));
    expect((await eventsOf(await modelOf(server))).at(-1)).toMatchObject({
      type: 'finished',
      reason: 'content-filter',
    });
  });

  it('with calls has ended for the calls, whatever the server calls it', async () => {
    const part = { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{}' } };
    const server = await FakeServer.start(stream(call(0, part), end('stop')));
    expect((await eventsOf(await modelOf(server))).at(-1)).toMatchObject({
      type: 'finished',
      reason: 'tool-calls',
    });
  });

  it('that a filter withheld has failed', async () => {
    const failure = await failureOf(stream(end('content_filter')));
    expect(failure).toMatchObject({ code: 'bad_response', retryable: false });
    expect(failure.message).toContain('withheld its answer (content_filter)');
  });
});

describe('a request', () => {
  it('carries model, system prompt, messages, tools and key', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    const spec = { name: 'openai-compatible:gpt-test', base_url: `${server.base}/`, api_key_env: 'MY_KEY' };
    await eventsOf(await modelOf(server, { spec, environment: { MY_KEY: ' secret-key\n' } }), {
      messages: [{ role: 'user', text: 'hello', context: 'It is Monday.' }],
    });
    const [sent] = server.received;
    expect(sent?.url).toBe('/v1/chat/completions');
    expect(sent?.headers.authorization).toBe('Bearer secret-key');
    expect(sent?.body).toMatchObject({ model: 'gpt-test', stream: true });
    expect(sent?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello\n\nIt is Monday.' },
    ]);
    expect(sent?.body.tools).toMatchObject([
      {
        type: 'function',
        function: { name: 'read_file', description: 'Does read_file.', parameters: { required: ['path'] } },
      },
      { type: 'function', function: { name: 'write_file' } },
    ]);
  });

  it('without a key carries none, and without tools and system prompt names none', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    await eventsOf(await modelOf(server, { environment: { OPENAI_API_KEY: 'not-for-them' } }), {
      system: '',
      tools: [],
    });
    expect(server.received[0]?.headers.authorization).toBeUndefined();
    expect(server.received[0]?.body.tools ?? []).toEqual([]);
    expect(server.received[0]?.body.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('of 5 MB arrives whole', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    const long = 'héllo '.repeat(900_000);
    await eventsOf(await modelOf(server), { messages: [{ role: 'user', text: long }] });
    expect(server.received[0]?.body.messages.at(-1)?.content).toBe(long);
  });

  it('gives back what the model reasoned, with the results of the calls it reasoned for', async () => {
    const part = {
      id: 'call_a',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"a"}' },
    };
    const server = await FakeServer.start(
      stream(
        delta({ reasoning_content: 'Read it first.' }),
        text('Reading.'),
        call(0, part),
        end('tool_calls'),
      ),
      stream(text('done'), end('stop')),
    );
    const model = await modelOf(server);
    const first = await eventsOf(model);
    expect(textOf(first)).toBe('Reading.');
    const messages: Message[] = [
      { role: 'user', text: 'hello' },
      {
        role: 'assistant',
        text: 'Reading.',
        calls: [{ callId: 'call_a', tool: 'read_file', args: { path: 'a' } }],
      },
      { role: 'tool', callId: 'call_a', tool: 'read_file', text: 'content', status: 'ok' },
    ];
    await eventsOf(model, { messages });
    expect(server.received[1]?.body.messages[2]).toMatchObject({
      content: 'Reading.',
      reasoning_content: 'Read it first.',
    });
    await eventsOf(await modelOf(server), { messages });
    expect(server.received[2]?.body.messages[2]).not.toHaveProperty('reasoning_content');
  });

  it('never gives back the arguments of another call that has the same id', async () => {
    const named = (path: string): string =>
      call(0, {
        id: 'call_0',
        type: 'function',
        function: { name: 'read_file', arguments: JSON.stringify({ path }) },
      });
    const server = await FakeServer.start(
      stream(named('first'), end('tool_calls')),
      stream(named('second'), end('tool_calls')),
      stream(text('done'), end('stop')),
    );
    const model = await modelOf(server);
    await eventsOf(model);
    await eventsOf(model);
    const messages = [
      ['call_0', 'first'],
      ['call_0_2', 'second'],
    ].flatMap(([callId = '', path = '']): Message[] => [
      { role: 'user', text: path },
      { role: 'assistant', text: '', calls: [{ callId, tool: 'read_file', args: { path } }] },
      { role: 'tool', callId, tool: 'read_file', text: `the ${path}`, status: 'ok' },
    ]);
    await eventsOf(model, { messages });
    const sent = server.received[2]?.body.messages.flatMap((each) => each.tool_calls ?? []);
    expect(sent?.map((each) => each.function.arguments)).toEqual(['{"path":"first"}', '{"path":"second"}']);
  });

  it('is valid Unicode also where a reply is given back as it came', async () => {
    const half = {
      id: 'call_a',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"\\ud800"}' },
    };
    const server = await FakeServer.start(
      stream(delta({ reasoning_content: 'Hm.' }), text('Now \uD83D'), call(0, half), end('tool_calls')),
      stream(text('done'), end('stop')),
    );
    const model = await modelOf(server);
    const [said, called] = await eventsOf(model);
    if (said?.type !== 'text-delta' || called?.type !== 'tool-call')
      throw new Error('text and a call expected');
    expect(called.args).toEqual({ path: '\uD800' });
    await eventsOf(model, {
      messages: [
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          text: said.text,
          calls: [{ callId: 'call_a', tool: 'read_file', args: called.args }],
        },
        { role: 'tool', callId: 'call_a', tool: 'read_file', text: 'none', status: 'error' },
      ],
    });
    expect(server.received[1]?.body.messages[2]).toHaveProperty('reasoning_content', 'Hm.');
    expect(JSON.stringify(server.received[1]?.body)).not.toMatch(/\\ud8/i);
    expect(server.received[1]?.body.messages[2]?.tool_calls?.[0]?.function.arguments).not.toMatch(
      /ud8|\uD800/i,
    );
  });

  it.each([
    ['read file', 'read_file'],
    ['functions.read', 'functions_read'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['', 'unnamed_tool'],
    ['\uD800', '_'],
  ])('names a call of the unknown tool %j as every provider accepts it', async (name, sent) => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    await eventsOf(await modelOf(server), {
      messages: [
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', calls: [{ callId: 'a', tool: name, args: {} }] },
        { role: 'tool', callId: 'a', tool: name, text: 'no such tool', status: 'error' },
      ],
    });
    const names = server.received[0]?.body.messages.flatMap((each) => each.tool_calls ?? []);
    expect(names?.map((each) => each.function.name)).toEqual([sent]);
  });

  it('shows the model the arguments it sent that were no JSON object', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    await eventsOf(await modelOf(server), {
      messages: [
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          text: '',
          calls: [{ callId: 'a', tool: 'read_file', args: null, rawArgs: '{"path":' }],
        },
        { role: 'tool', callId: 'a', tool: 'read_file', text: 'no JSON', status: 'error' },
      ],
    });
    const [, , assistant, result] = server.received[0]?.body.messages ?? [];
    expect(assistant?.tool_calls).toMatchObject([
      { id: 'a', function: { name: 'read_file', arguments: '{}' } },
    ]);
    expect(result?.content).toMatch(/^no JSON\n\n.+were no JSON object.+\n\{"path":$/s);
  });

  it('is valid Unicode whatever the session holds', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    await eventsOf(await modelOf(server), {
      system: 'a\uD800',
      messages: [
        { role: 'user', text: 'b\uDFFF' },
        {
          role: 'assistant',
          text: 'c\uD800',
          calls: [{ callId: 'a', tool: 'read_file', args: { path: 'd\uD800', list: ['e\uD800'] } }],
        },
        { role: 'tool', callId: 'a', tool: 'read_file', text: 'f\uD800', status: 'ok' },
      ],
    });
    const sent = JSON.stringify(server.received[0]?.body);
    expect(sent).not.toMatch(/\\ud8|\\udf/i);
    expect(sent.match(/\uFFFD/g)).toHaveLength(6);
  });

  it('keeps ids, order and pairing of any repaired conversation', async () => {
    const server = await FakeServer.start(stream(text('ok'), end('stop')));
    const model = await modelOf(server);
    await fc.assert(
      fc.asyncProperty(conversation(), async (messages) => {
        server.received.length = 0;
        await eventsOf(model, { messages });
        expect(shapeOfWire(server.received[0]?.body.messages.slice(1) ?? [])).toEqual(
          shapeOfMessages(messages),
        );
        const ids =
          server.received[0]?.body.messages.flatMap((each) => each.tool_calls?.map(({ id }) => id) ?? []) ??
          [];
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 60 },
    );
  });
});

/** Repaired: begins with the user, every call answered once, right after its message, in any order. */
function conversation(): fc.Arbitrary<readonly Message[]> {
  const words = fc.oneof(fc.constant(''), fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }));
  const callIds = fc.uniqueArray(fc.constantFrom('a', 'b', 'call_1', 'functions.x:0', 'toolu_01'), {
    maxLength: 4,
  });
  const turn = fc
    .record({
      user: words,
      context: fc.option(words),
      text: words,
      callIds,
      order: fc.infiniteStream(fc.nat(1000)),
    })
    .chain(({ user, context, text: said, callIds: ids, order }) => {
      const calls = ids.map((callId, index) => ({ callId, tool: `tool_${index}`, args: { n: index, said } }));
      const results = calls
        .map(({ callId, tool: name }) => ({ callId, name, rank: order.next().value ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ callId, name }) => ({
          role: 'tool' as const,
          callId,
          tool: name,
          text: `${callId} of ${name}`,
          status: 'ok' as const,
        }));
      return fc.constant<readonly Message[]>([
        { role: 'user', text: user, ...(context === null ? {} : { context }) },
        { role: 'assistant', text: said, calls },
        ...results,
      ]);
    });
  return fc
    .array(turn, { minLength: 1, maxLength: 5 })
    .map((turns) => [...turns.flat(), { role: 'user', text: 'end' }]);
}

/** A conversation with its ids replaced by which call of which message they mean. */
function shapeOfMessages(messages: readonly Message[]): unknown[] {
  let open: readonly string[] = [];
  return messages.map((message) => {
    switch (message.role) {
      case 'user': {
        const parts = [message.text, message.context ?? ''].filter((part) => part.trim() !== '');
        return ['user', parts.length === 0 ? '(no text)' : parts.join('\n\n')];
      }
      case 'assistant':
        if (message.calls.length === 0)
          return ['assistant', message.text.trim() === '' ? '(no text)' : message.text, []];
        open = message.calls.map(({ callId }) => callId);
        return ['assistant', message.text.trim(), message.calls.map(({ tool: name, args }) => [name, args])];
      case 'tool':
        return ['tool', open.indexOf(message.callId), message.text];
    }
  });
}

function shapeOfWire(messages: readonly WireMessage[]): unknown[] {
  let open: readonly string[] = [];
  return messages.map((message) => {
    if (message.role === 'tool') return ['tool', open.indexOf(message.tool_call_id ?? ''), message.content];
    if (message.role === 'user') return ['user', message.content];
    const calls = message.tool_calls ?? [];
    open = calls.map(({ id }) => id);
    const said = message.content ?? '';
    return [
      'assistant',
      calls.length === 0 ? said : said.trim(),
      calls.map(({ function: f }) => [f.name, JSON.parse(f.arguments) as unknown]),
    ];
  });
}

describe('a failure names its cause and what to do', () => {
  const keyed = (server: FakeServer): Setup => ({
    spec: { name: 'openai-compatible:gpt-test', base_url: server.base, api_key_env: 'MY_KEY' },
    environment: { MY_KEY: 'sk-live-0123456789abcdef' },
  });

  it.each([401, 403])('%d names the variable of the key, and never the key', async (status) => {
    const said = {
      error: { message: 'Incorrect API key provided: sk-live-0123456789abcdef', code: 'invalid_api_key' },
    };
    const server = await FakeServer.start(answer(status, said));
    const failure = failureIn(await eventsOf(await modelOf(server, keyed(server))));
    expect(failure).toMatchObject({ code: 'unauthorized', statusCode: status, retryable: false });
    expect(failure.message).toContain(
      `${server.base} refused the key in MY_KEY (${status}): Incorrect API key`,
    );
    expect(JSON.stringify(failure)).not.toContain('0123456789abcdef');
    expect(failure.remedy).toContain('MY_KEY');
  });

  it('401 of a server that was sent no key says how to name one', async () => {
    const failure = await failureOf(answer(401, { detail: 'Not authenticated' }));
    expect(failure).toMatchObject({
      code: 'unauthorized',
      message: `${failure.base} wants a key (401): Not authenticated`,
    });
    expect(failure.remedy).toContain('model.api_key_env');
  });

  it.each([
    [
      '404 of OpenAI',
      404,
      { error: { message: 'The model `gpt-test` does not exist', code: 'model_not_found' } },
    ],
    ['404 of Ollama', 404, { error: 'model "gpt-test" not found, try pulling it first' }],
    [
      '400 of OpenRouter',
      400,
      { error: { message: 'gpt-test is not a valid model', code: 'model_not_found' } },
    ],
    ['a plain 404', 404, '404 page not found'],
  ])('%s names the model and the address', async (_, status, body) => {
    const failure = await failureOf(answer(status, body));
    expect(failure).toMatchObject({ code: 'model_not_found', retryable: false, statusCode: status });
    expect(failure.message).toContain(`${failure.base} does not know the model "gpt-test" (${status}): `);
    expect(failure.remedy).toContain('end in /v1');
  });

  it.each([
    ['retry-after-ms', { 'retry-after-ms': '1500' }, 1500],
    ['retry-after in seconds', { 'retry-after': '7' }, 7000],
    ['retry-after that is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['no header', {}, undefined],
    ['a header that makes no sense', { 'retry-after': 'soon' }, undefined],
  ])('429 with %s is retryable', async (_, headers, retryAfterMs) => {
    const failure = await failureOf(answer(429, { error: { message: 'Slow down' } }, headers));
    expect(failure).toMatchObject({ code: 'rate_limited', statusCode: 429, retryable: true });
    expect(failure.retryAfterMs).toBe(retryAfterMs);
    expect(failure.message).toContain('openai-compatible:gpt-test: too many requests (429): Slow down');
  });

  it('429 for want of money is not retryable', async () => {
    const failure = await failureOf(
      answer(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
    );
    expect(failure).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(failure.remedy).toContain('billing');
  });

  it.each([500, 502, 503, 529, 408])('%d is retryable', async (status) => {
    const failure = await failureOf(
      answer(status, '<html><title>Bad gateway</title></html>', { 'content-type': 'text/html' }),
    );
    expect(failure).toMatchObject({ code: 'server_error', statusCode: status, retryable: true });
    expect(failure.message).toBe(`${failure.base} failed (${status}): Bad gateway`);
  });

  it.each([
    [
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens",
          code: 'context_length_exceeded',
        },
      },
    ],
    [
      400,
      {
        error: {
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 200001 tokens > 200000 maximum',
        },
      },
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    [413, 'Payload too large'],
  ])('%d for a conversation that is too long is told apart', async (status, body) => {
    const failure = await failureOf(answer(status, body));
    expect(failure).toMatchObject({ code: 'context_too_long', retryable: false, statusCode: status });
    expect(failure.remedy).toContain('/compress');
  });

  it('400 otherwise is the request’s fault', async () => {
    const failure = await failureOf(answer(400, { error: { message: 'tools[0].name is too long' } }));
    expect(failure).toMatchObject({ code: 'bad_request', retryable: false });
    expect(failure.message).toContain('(400): tools[0].name is too long');
  });

  it.each([200, 404])('%d with a web page asks whether the base URL is right', async (status) => {
    const server = await FakeServer.start(
      answer(status, '<!doctype html><h1>Welcome</h1>', { 'content-type': 'text/html; charset=utf-8' }),
    );
    const spec = { name: 'openai-compatible:gpt-test', base_url: server.origin };
    const failure = failureIn(await eventsOf(await modelOf(server, { spec })));
    expect(failure).toMatchObject({ code: 'bad_response', retryable: false });
    expect(failure.message).toContain(`${server.origin}/chat/completions`);
    expect(failure.message).toContain(`with text/html (${status})`);
    expect(failure.remedy).toBe(`Is the base URL ${server.origin}/ right? It should end in /v1.`);
  });

  it('200 with an error in JSON is that error', async () => {
    const failure = await failureOf(
      answer(200, { error: { message: 'Rate limit reached', type: 'rate_limit_error' } }),
    );
    expect(failure).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(failure.message).toContain('Rate limit reached');
  });

  it('200 with other JSON is no stream of events', async () => {
    const failure = await failureOf(answer(200, { choices: [] }));
    expect(failure).toMatchObject({ code: 'bad_response', retryable: false });
    expect(failure.message).toContain('application/json');
  });

  it('an error inside the stream is that error', async () => {
    const limited = await failureOf(
      stream(text('so'), event({ error: { message: 'Provider returned error', code: 429 } })),
    );
    expect(limited).toMatchObject({ code: 'rate_limited', retryable: true, statusCode: 429 });
    const broken = await failureOf(
      stream(event({ error: { message: 'Backend gone', type: 'server_error' } })),
    );
    expect(broken).toMatchObject({ code: 'server_error', retryable: true });
    expect(broken.message).toContain('Backend gone');
  });

  it.each([
    ['garbage', stream(event('{"choices": [{"delta": {"content":'), event('[DONE]'))],
    ['other events', stream(event({ hello: 'world' }), event('[DONE]'))],
  ])('%s instead of events cannot be read', async (_, reply) => {
    const failure = await failureOf(reply);
    expect(failure).toMatchObject({ code: 'bad_response', retryable: false });
    expect(failure.message).toContain(`${failure.base} sent an answer that cannot be read: {`);
    expect(failure.message).not.toContain('\n');
  });

  it.each([
    ['no event at all', stream()],
    [
      'bytes that are no events',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('what?'),
    ],
    ['text and no end', stream(text('and then'))],
    [
      'a call and no end',
      stream(call(0, { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"' } })),
    ],
  ])('a stream of %s is not complete, and yields no call', async (_, reply) => {
    const server = await FakeServer.start(reply);
    const events = await eventsOf(await modelOf(server));
    expect(failureIn(events)).toMatchObject({ code: 'bad_response', retryable: true });
    expect(failureIn(events).message).toContain('stopped before the answer was complete');
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([]);
  });

  it('a connection that is cut mid-stream is the network’s fault', async () => {
    const server = await FakeServer.start(stream(text('and th'), (response) => response.destroy()));
    const events = await eventsOf(await modelOf(server));
    expect(textOf(events)).toBe('and th');
    expect(failureIn(events)).toMatchObject({ code: 'network', retryable: true });
    expect(failureIn(events).message).toContain('was cut');
  });

  it('a connection that is cut before the answer is the network’s fault', async () => {
    const failure = await failureOf((response) => response.destroy());
    expect(failure).toMatchObject({ code: 'network', retryable: true });
  });

  it('an address where nothing listens is named', async () => {
    const server = await FakeServer.start();
    for (const cleanup of cleanups.splice(0)) cleanup();
    const failure = failureIn(await eventsOf(await modelOf(server)));
    expect(failure).toMatchObject({
      code: 'network',
      retryable: true,
      remedy: 'Is the server running, and is this its address?',
    });
    expect(failure.message).toContain(
      `cannot connect to ${server.base}/chat/completions: connection refused`,
    );
  });

  it('a server that accepts and stays mute is given up once', async () => {
    const failure = await failureOf(() => undefined, { fetch: { firstByteMs: 50 } });
    expect(failure).toMatchObject({ code: 'network', retryable: false });
    expect(failure.message).toContain(`no answer from ${failure.base}/chat/completions within 0.05 s`);
  });

  it('a stream that stalls is given up, and may be tried again', async () => {
    const clock = new FakeClock();
    const server = await FakeServer.start(stream(text('one'), () => undefined));
    const model = await modelOf(server, { fetch: { clock } });
    const seen: ModelEvent[] = [];
    for await (const each of model.stream(request())) {
      seen.push(each);
      if (each.type === 'text-delta') void clock.whenPending(1).then(() => clock.advance(120_000));
    }
    expect(failureIn(seen)).toMatchObject({ code: 'network', retryable: true });
    expect(failureIn(seen).message).toContain('stopped coming: nothing for 120 s');
  });

  it('is left to the caller to retry: one stream is one request', async () => {
    const server = await FakeServer.start(answer(503, 'busy'));
    await eventsOf(await modelOf(server));
    const cut = await FakeServer.start((response) => response.destroy());
    await eventsOf(await modelOf(cut));
    expect([server.received.length, cut.received.length]).toEqual([1, 1]);
  });

  it('a redirect to another address is not followed, and is named', async () => {
    const failure = await failureOf(
      answer(301, '', { location: 'https://elsewhere.example/v1/chat/completions' }),
    );
    expect(failure).toMatchObject({ code: 'network', retryable: false });
    expect(failure.message).toContain('redirects to https://elsewhere.example/v1/chat/completions');
  });
});

describe('cancelling', () => {
  it('before the request makes none', async () => {
    const server = await FakeServer.start(stream(end('stop')));
    const events = await eventsOf(await modelOf(server), { signal: AbortSignal.abort() });
    expect(failureIn(events)).toMatchObject({ code: 'cancelled', retryable: false });
    expect(server.received).toEqual([]);
  });

  it.each(['before the answer', 'amid it'])('%s ends the stream at once and hangs up', async (when) => {
    const closed = Promise.withResolvers<void>();
    const controller = new AbortController();
    const hang = (response: ServerResponse): void => {
      response.on('close', closed.resolve);
      if (when === 'before the answer') controller.abort(new Error('Ctrl-C'));
    };
    const server = await FakeServer.start(when === 'amid it' ? stream(text('on'), hang) : hang);
    const seen: ModelEvent[] = [];
    for await (const each of (await modelOf(server)).stream(request({ signal: controller.signal }))) {
      seen.push(each);
      if (each.type === 'text-delta') controller.abort();
    }
    expect(failureIn(seen)).toEqual({
      code: 'cancelled',
      message: 'The request was cancelled.',
      retryable: false,
    });
    await closed.promise;
  });

  it('by leaving the stream hangs up', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await FakeServer.start(
      stream(text('on'), (response) => response.on('close', closed.resolve)),
    );
    for await (const each of (await modelOf(server)).stream(request())) {
      expect(each.type).toBe('text-delta');
      break;
    }
    await closed.promise;
  });
});

describe('the process', () => {
  it('is told nothing by the SDK: no warning, no unhandled rejection, no output', async () => {
    const heard: unknown[] = [];
    const listen = (what: unknown): void => void heard.push(what);
    process.on('warning', listen).on('unhandledRejection', listen);
    for (const level of ['error', 'warn', 'log'] as const)
      vi.spyOn(console, level).mockImplementation(listen);
    try {
      for (const reply of [
        stream(text('x'), (response) => response.destroy()),
        answer(500, 'x'),
        stream(),
        stream(event('?')),
      ])
        await failureOf(reply);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', listen).off('unhandledRejection', listen);
    }
    expect(heard).toEqual([]);
  });
});
