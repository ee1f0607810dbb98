import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** One answer of the fake server. */
export type FakeReply =
  | { readonly text?: string; readonly calls?: readonly FakeCall[]; readonly usage?: { readonly prompt: number; readonly completion: number } }
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly html: string }
  | { readonly hang: true }
  /** Streams this text, then breaks the connection. */
  | { readonly cutAfter: string };

export interface FakeCall {
  readonly id: string;
  readonly name: string;
  readonly args: object | string;
}

interface ReceivedMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly messages: readonly ReceivedMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
  readonly stream: boolean;
}

/**
 * A chat-completions server on loopback that answers from a list and keeps what it received. Tool arguments are
 * streamed in small pieces, calls of one message side by side, as the real one does.
 */
export class FakeOpenAi {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #replies: FakeReply[];
  readonly #arrivals = new Map<number, () => void>();

  private constructor(replies: readonly FakeReply[]) {
    this.#replies = [...replies];
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(replies: readonly FakeReply[]): Promise<FakeOpenAi> {
    const fake = new FakeOpenAi(replies);
    await new Promise<void>((resolve) => {
      fake.#server.listen(0, '127.0.0.1', resolve);
    });
    return fake;
  }

  get baseUrl(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `http://127.0.0.1:${String(address.port)}/v1`;
  }

  /** Resolves once `count` requests have arrived. */
  async received(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => {
      this.#arrivals.set(count, resolve);
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
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
    this.requests.push({
      path: request.url ?? '',
      authorization: request.headers.authorization,
      model: body.model ?? '',
      messages: body.messages ?? [],
      tools: body.tools ?? [],
      stream: body.stream ?? false,
    });
    this.#arrivals.get(this.requests.length)?.();
    answer(this.#replies.shift() ?? { status: 500, body: 'the script is over' }, response);
  }
}

function answer(reply: FakeReply, response: ServerResponse): void {
  if ('hang' in reply) return;
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body ?? JSON.stringify({ error: { message: `status ${String(reply.status)}`, type: 'fake' } }));
    return;
  }
  if ('html' in reply) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(reply.html);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish: string | null = null, more: object = {}): void => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices: [{ index: 0, delta, finish_reason: finish }] };
    response.write(`data: ${JSON.stringify({ ...chunk, ...more })}\n\n`);
  };
  send({ role: 'assistant', content: '' });
  if ('cutAfter' in reply) {
    send({ content: reply.cutAfter });
    response.destroy();
    return;
  }
  for (const piece of pieces(reply.text ?? '')) send({ content: piece });
  const calls = reply.calls ?? [];
  for (const [index, { id, name }] of calls.entries()) {
    send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
  }
  for (const [index, { args }] of calls.entries()) {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    for (const piece of pieces(text)) send({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  const { prompt, completion } = reply.usage ?? { prompt: 10, completion: 5 };
  send({}, calls.length > 0 ? 'tool_calls' : 'stop', {
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });
  response.end('data: [DONE]\n\n');
}

function pieces(text: string): readonly string[] {
  return text.match(/[^]{1,7}/gu) ?? [];
}
