import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { vi } from 'vitest';

/** One answer of the fake server. */
export type FakeReply =
  | FakeMessage
  | {
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly html: string }
  /** Takes the request and says nothing. */
  | { readonly hang: true }
  /** Streams this text, then breaks the connection. */
  | { readonly cutAfter: string }
  /** Streams this text, then says nothing more. */
  | { readonly stallAfter: string }
  /** An event stream with this body. */
  | { readonly events: string };

export interface FakeMessage {
  readonly text?: string;
  readonly calls?: readonly FakeCall[];
  readonly usage?: { readonly prompt: number; readonly completion: number };
}

export interface FakeCall {
  readonly id: string;
  readonly name: string;
  /** A text is sent as it is. */
  readonly args: object | string;
}

/** Answers in order, or a rule. Beyond the end of a list every request is answered with a 500. */
export type FakeReplies = readonly FakeReply[] | ((request: ReceivedRequest, index: number) => FakeReply);

export interface ReceivedMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly messages: readonly ReceivedMessage[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  readonly stream: boolean;
}

/**
 * A chat-completions server on loopback that answers from a list and keeps what it received. Texts and tool arguments are
 * streamed in small pieces, the calls of one message side by side, as the real ones do.
 */
export class FakeOpenAi implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #replies: FakeReplies;

  private constructor(replies: FakeReplies) {
    this.#replies = replies;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(replies: FakeReplies): Promise<FakeOpenAi> {
    const fake = new FakeOpenAi(replies);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get baseUrl(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `http://127.0.0.1:${String(address.port)}/v1`;
  }

  /** The request of that number, from 1, once it has arrived. */
  async received(count: number): Promise<ReceivedRequest> {
    return vi.waitFor(
      () => {
        const request = this.requests[count - 1];
        if (request === undefined) throw new Error(`${this.requests.length} of ${count} requests arrived`);
        return request;
      },
      { timeout: 20_000, interval: 10 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'gpt-test', object: 'model' }] }));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Partial<ReceivedRequest>;
    const received = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      model: body.model ?? '',
      messages: body.messages ?? [],
      tools: body.tools ?? [],
      stream: body.stream ?? false,
    };
    this.requests.push(received);
    answer(this.#replyTo(received), response);
  }

  #replyTo(request: ReceivedRequest): FakeReply {
    const index = this.requests.length - 1;
    if (typeof this.#replies === 'function') return this.#replies(request, index);
    return this.#replies[index] ?? { status: 500, body: 'the list of answers is over' };
  }
}

/** The text of a message, whichever form it has. */
export function textOf({ content }: ReceivedMessage): string {
  if (content === undefined || content === null) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

/** The results that a request holds, as `[call id, text]`, in their order. */
export function resultsIn({ messages }: ReceivedRequest): readonly (readonly [string, string])[] {
  return messages
    .filter(({ role }) => role === 'tool')
    .map((message) => [message.tool_call_id ?? '', textOf(message)]);
}

function answer(reply: FakeReply, response: ServerResponse): void {
  if ('hang' in reply) return;
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(
      reply.body ?? JSON.stringify({ error: { message: `status ${String(reply.status)}`, type: 'fake' } }),
    );
    return;
  }
  if ('html' in reply) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(reply.html);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('events' in reply) response.end(reply.events);
  else if ('cutAfter' in reply) {
    response.write(delta({ role: 'assistant', content: reply.cutAfter }), () => response.destroy());
  } else if ('stallAfter' in reply) response.write(delta({ role: 'assistant', content: reply.stallAfter }));
  else stream(reply, response);
}

function stream({ text = '', calls = [], usage }: FakeMessage, response: ServerResponse): void {
  response.write(delta({ role: 'assistant', content: '' }));
  for (const piece of pieces(text)) response.write(delta({ content: piece }));
  for (const [index, { id, name }] of calls.entries()) {
    response.write(
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    );
  }
  const streams = calls.map(({ args }) => pieces(typeof args === 'string' ? args : JSON.stringify(args)));
  const longest = Math.max(0, ...streams.map(({ length }) => length));
  for (let turn = 0; turn < longest; turn += 1) {
    for (const [index, each] of streams.entries()) {
      const piece = each[turn];
      if (piece !== undefined)
        response.write(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  const { prompt, completion } = usage ?? { prompt: 10, completion: 5 };
  response.write(
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop', {
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    }),
  );
  response.end('data: [DONE]\n\n');
}

function delta(content: object, finish: string | null = null, more: object = {}): string {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-test',
    choices: [{ index: 0, delta: content, finish_reason: finish }],
    ...more,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function pieces(text: string): readonly string[] {
  const size = Math.max(7, Math.ceil(text.length / 2000));
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}
