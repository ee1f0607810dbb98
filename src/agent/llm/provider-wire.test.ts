import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import { createFetch, type Fetch } from '../../platform/http/index.ts';
import type { Message } from '../sessions/index.ts';
import type { ChatModel, ModelEvent, ModelRequest } from './chat-model.ts';
import { type ModelSettings, resolveModel } from './index.ts';

/** The wire formats of the hosted providers, against a mock server that speaks them. */

let mock: LLMock;
let sent: { readonly url: string; readonly headers: Headers; readonly body: Record<string, unknown> }[];

beforeEach(async () => {
  sent = [];
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 });
  await mock.start();
});
afterEach(() => mock.stop());

const recordingFetch: Fetch = (input, init) => {
  if (typeof input !== 'string' || typeof init?.body !== 'string') throw new Error('the SDK sends texts');
  const body = JSON.parse(init.body) as Record<string, unknown>;
  sent.push({ url: input, headers: new Headers(init.headers), body });
  return createFetch()(input, init);
};

const PROVIDERS = {
  anthropic: { name: 'anthropic:claude-test', path: '/v1', variable: 'ANTHROPIC_API_KEY' },
  google: { name: 'google:gemini-test', path: '/v1beta', variable: 'GEMINI_API_KEY' },
  openai: { name: 'openai:gpt-test', path: '/v1', variable: 'OPENAI_API_KEY' },
  openrouter: { name: 'openrouter:some/model', path: '/api/v1', variable: 'OPENROUTER_API_KEY' },
  ollama: { name: 'ollama:llama3.2:3b', path: '/v1', variable: 'UNUSED' },
} as const;

async function modelOf(
  provider: keyof typeof PROVIDERS,
  changes: Partial<ModelSettings> = {},
): Promise<ChatModel> {
  const { name, path, variable } = PROVIDERS[provider];
  const model = await resolveModel(
    { name, base_url: mock.url + path, ...changes },
    {
      environment: { [variable]: 'test-key' },
      fetch: recordingFetch,
      readScript: () => Promise.reject(new Error('no script')),
      clock: systemClock,
    },
  );
  if (!model.ok) throw new Error(model.message);
  return model.value;
}

const readFile: ToolDeclaration = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
  effect: 'none',
  idempotent: true,
  pathArguments: ['path'],
};

const request = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'hello' }],
  tools: [readFile],
  signal: new AbortController().signal,
  ...parts,
});

async function eventsOf(model: ChatModel, parts: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request(parts))) events.push(event);
  return events;
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

describe.each(Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[])('%s', (provider) => {
  it('streams text in pieces and says what it cost', async () => {
    mock.onMessage('hello', { content: 'Hello there, it is a fine day.' });
    const events = await eventsOf(await modelOf(provider));
    expect(textOf(events)).toBe('Hello there, it is a fine day.');
    expect(events.length).toBeGreaterThan(3);
    expect(events.at(-1)).toMatchObject({ type: 'finished', reason: 'stop' });
  });

  it('asks for parallel calls, and answers after their results', async () => {
    const toolCalls = ['a.txt', 'b.txt'].map((path) => ({
      name: 'read_file',
      arguments: JSON.stringify({ path }),
    }));
    mock.on({ userMessage: 'hello', hasToolResult: false }, { toolCalls });
    mock.on({ userMessage: 'hello', hasToolResult: true }, { content: 'Both read.' });
    const model = await modelOf(provider);
    const events = await eventsOf(model);
    const calls = events.filter((event) => event.type === 'tool-call');
    expect(calls.map(({ tool, args }) => [tool, args])).toEqual([
      ['read_file', { path: 'a.txt' }],
      ['read_file', { path: 'b.txt' }],
    ]);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'finished', reason: 'tool-calls' });

    const results = calls.map(({ callId, tool, args }): Message => {
      return {
        role: 'tool',
        callId,
        tool,
        text: `content of ${JSON.stringify(args?.['path'])}`,
        status: 'ok',
      };
    });
    const messages: Message[] = [
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: '', calls: calls.map(({ callId, tool, args }) => ({ callId, tool, args })) },
      ...results,
    ];
    expect(textOf(await eventsOf(model, { messages }))).toBe('Both read.');
    // A session that is resumed in another process remembers nothing but the messages.
    expect(textOf(await eventsOf(await modelOf(provider), { messages }))).toBe('Both read.');
    for (const { body } of sent.slice(1)) {
      const text = JSON.stringify(body);
      expect(text.indexOf('content of \\"a.txt')).toBeGreaterThan(text.indexOf('"a.txt'));
      expect(text.indexOf('content of \\"b.txt')).toBeGreaterThan(text.indexOf('content of \\"a.txt'));
    }
  });

  it.each([
    [401, 'unauthorized', false],
    [404, 'model_not_found', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [400, 'bad_request', false],
  ])('%d is %s', async (status, code, retryable) => {
    mock.nextRequestError(status, { message: 'it is so' });
    const [failed] = await eventsOf(await modelOf(provider));
    expect(failed).toMatchObject({ type: 'failed', failure: { code, retryable, statusCode: status } });
    expect(failed?.type === 'failed' && failed.failure.message).toContain('it is so');
    expect(JSON.stringify(failed)).not.toContain('test-key');
  });

  it('whose stream is cut has failed, and yields no call', async () => {
    mock.on(
      { userMessage: 'hello' },
      {
        content: 'One two three four five six.',
        toolCalls: [{ name: 'read_file', arguments: '{"path":"a"}' }],
      },
      { truncateAfterChunks: 3 },
    );
    const events = await eventsOf(await modelOf(provider));
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { retryable: true } });
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([]);
  });
});

describe('what is sent', () => {
  it('to Anthropic: key, cache marks, results that are errors, ids it accepts', async () => {
    mock.onMessage(/.*/, { content: 'ok' });
    await eventsOf(await modelOf('anthropic'), {
      messages: [
        { role: 'user', text: 'hello' },
        {
          role: 'assistant',
          text: '',
          calls: [{ callId: 'functions.read_file:0', tool: 'read_file', args: { path: 'a' } }],
        },
        {
          role: 'tool',
          callId: 'functions.read_file:0',
          tool: 'read_file',
          text: 'no such file',
          status: 'error',
        },
      ],
    });
    const [{ url, headers, body } = { url: '', headers: new Headers(), body: {} }] = sent;
    expect(url).toBe(`${mock.url}/v1/messages`);
    expect(headers.get('x-api-key')).toBe('test-key');
    expect(body['system']).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ]);
    const id = 'functions_read_file_0';
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read_file', input: { path: 'a' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: id,
            content: 'no such file',
            is_error: true,
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ]);
    expect(body['tools']).toMatchObject([{ name: 'read_file', input_schema: { required: ['path'] } }]);
  });

  it('to Google: key in a header, system prompt apart', async () => {
    mock.onMessage(/.*/, { content: 'ok' });
    await eventsOf(await modelOf('google'));
    const [{ url, headers, body } = { url: '', headers: new Headers(), body: {} }] = sent;
    expect(url).toBe(`${mock.url}/v1beta/models/gemini-test:streamGenerateContent?alt=sse`);
    expect(headers.get('x-goog-api-key')).toBe('test-key');
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    });
  });

  it('to OpenAI: nothing that is kept there, and schemas as they are', async () => {
    mock.onMessage(/.*/, { content: 'ok' });
    await eventsOf(await modelOf('openai'));
    const [{ url, headers, body } = { url: '', headers: new Headers(), body: {} }] = sent;
    expect(url).toBe(`${mock.url}/v1/responses`);
    expect(headers.get('authorization')).toBe('Bearer test-key');
    expect(body['store']).toBe(false);
    expect(body['tools']).toMatchObject([{ type: 'function', name: 'read_file', strict: false }]);
  });
});

describe('a stream that ends before it is finished', () => {
  const events = (...list: readonly object[]): string =>
    list.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const response = { id: 'r', object: 'response', created_at: 1, model: 'x', status: 'in_progress' };
  const item = { type: 'message', id: 'i', role: 'assistant', status: 'in_progress', content: [] };

  it.each([
    [
      'anthropic',
      events(
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } },
      ),
    ],
    ['google', events({ candidates: [{ content: { role: 'model', parts: [{ text: 'half' }] } }] })],
    [
      'openai',
      events(
        { type: 'response.created', response },
        { type: 'response.output_item.added', output_index: 0, item },
        {
          type: 'response.output_text.delta',
          item_id: 'i',
          output_index: 0,
          content_index: 0,
          delta: 'half',
        },
      ),
    ],
  ] as const)('has failed: %s', async (provider, body) => {
    const server = createServer((_, answer) =>
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(body),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const streamed = await eventsOf(await modelOf(provider, { base_url }));
    server.close();
    expect(streamed).toMatchObject([
      { type: 'text-delta', text: 'half' },
      { type: 'failed', failure: { code: 'bad_response', retryable: true } },
    ]);
  });
});

describe('a warning of the SDK', () => {
  it('is not shown', async () => {
    const heard: unknown[] = [];
    const listen = (warning: Error): void => void heard.push(warning.message);
    process.on('warning', listen);
    mock.onMessage(/.*/, { content: 'ok' });
    const messages: Message[] = [
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 'read_file', args: {} }] },
      { role: 'tool', callId: 'a', tool: 'read_file', text: '', status: 'ok' },
    ];
    // Gemini 3 wants its signed thoughts back; without them the SDK sends a stand-in, and warns.
    const events = await eventsOf(await modelOf('google', { name: 'google:gemini-3-pro' }), { messages });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(JSON.stringify(sent[0]?.body)).toContain('skip_thought_signature_validator');
    expect(events.at(-1)).toMatchObject({ type: 'finished' });
    expect(heard).toEqual([]);
  });
});
