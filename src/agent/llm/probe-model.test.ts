import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fail, succeed } from '../../kernel/errors/index.ts';
import { FakeClock } from '../../platform/clock/index.ts';
import { createFetch } from '../../platform/http/index.ts';
import { type ModelProbe, type ModelSpec, probeModel } from './index.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const respond =
  (status: number, body: string, type = 'application/json'): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body);

const probe = (spec: ModelSpec, clock = new FakeClock(), environment = {}): Promise<ModelProbe> =>
  probeModel(spec, {
    environment,
    fetch: createFetch(),
    clock,
    readScript: (path) =>
      Promise.resolve(path === 'demo.json' ? succeed('["a","b"]') : fail('missing', `no ${path}`)),
  });

const compatible = (base_url: string) => ({ name: 'openai-compatible:m', base_url });

describe('probeModel', () => {
  it.each([
    ['a list with the model', 200, '{"data":[{"id":"other"},{"id":"m"}]}', 'answers (200).'],
    ['a list like Google’s', 200, '{"models":[{"name":"models/m"}]}', 'answers (200).'],
    ['an empty list', 200, '{"data":[]}', 'answers (200).'],
    ['no list', 404, '{"error":"not found"}', 'answers (404).'],
  ])('reaches a server with %s', async (_, status, body, message) => {
    const base = await serve(respond(status, body));
    expect(await probe(compatible(base))).toEqual({ status: 'reachable', message: `${base} ${message}` });
  });

  it('names the models of a server that does not know this one', async () => {
    const base = await serve(
      respond(200, JSON.stringify({ data: 'abcdefg'.split('').map((id) => ({ id })) })),
    );
    expect(await probe(compatible(base))).toEqual({
      status: 'reachable',
      message: `${base} answers, and does not list the model "m".`,
      remedy: 'It lists a, b, c, d, e and 2 more.',
    });
  });

  it('sends the key as each provider wants it', async () => {
    const seen: unknown[] = [];
    const base = await serve(({ url, method, headers }, response) => {
      seen.push([
        method,
        url,
        headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? null,
      ]);
      response.end('{}');
    });
    const environment = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g' };
    for (const provider of ['openai', 'anthropic', 'google', 'ollama'])
      await probe({ name: `${provider}:m`, base_url: base }, new FakeClock(), environment);
    expect(seen).toEqual(['Bearer o', 'a', 'g', null].map((key) => ['GET', '/v1/models', key]));
  });

  it.each([401, 403])('says that a key is refused: %d', async (status) => {
    const base = await serve(respond(status, '{"error":{"message":"bad key"}}'));
    const spec = { ...compatible(base), api_key_env: 'MY_KEY' };
    const result = await probe(spec, new FakeClock(), { MY_KEY: 'hidden-key' });
    expect(result).toMatchObject({
      status: 'unauthorized',
      message: `${base} refused the key in MY_KEY (${status}): bad key`,
    });
    expect(JSON.stringify(result)).not.toContain('hidden-key');
  });

  it('does not take a failing server for a reachable one', async () => {
    const base = await serve(respond(503, 'busy', 'text/plain'));
    expect(await probe(compatible(base))).toMatchObject({
      status: 'unreachable',
      message: `${base} failed (503): busy`,
    });
  });

  it.each([200, 404])('does not take a web page for a list: %d', async (status) => {
    const base = await serve(respond(status, '<html>', 'text/html; charset=utf-8'));
    expect(await probe(compatible(base))).toMatchObject({
      status: 'unreachable',
      message: `${base}/models answered with text/html (${status}).`,
      remedy: `Is the base URL ${base} right? It should end in /v1.`,
    });
  });

  it('says that nothing listens, and what to do', async () => {
    const base = await serve(respond(200, '{}'));
    for (const cleanup of cleanups.splice(0)) cleanup();
    expect(await probe({ name: 'ollama:m', base_url: base })).toEqual({
      status: 'unreachable',
      message: `cannot connect to ${base}/models: connection refused (ECONNREFUSED).`,
      remedy: 'Is Ollama running? Start it with: ollama serve',
    });
  });

  it.each([
    ['answers', (): void => undefined],
    ['ends its answer', (response: { write: (text: string) => void }): void => response.write('{')],
  ])('gives up on a server that never %s, after 3 s', async (_, act) => {
    const clock = new FakeClock();
    const asked = Promise.withResolvers<void>();
    const base = await serve((__, response) => {
      act(response);
      asked.resolve();
    });
    const result = probe(compatible(base), clock);
    await asked.promise;
    await clock.advance(3000);
    expect(await result).toMatchObject({
      status: 'unreachable',
      message: `${base}/models did not answer within 3 s.`,
    });
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['gpt-5', 'names a model and no provider'],
    ['openai:gpt-5', 'OPENAI_API_KEY is not set'],
    ['openai-compatible:m', 'needs the address'],
    ['scripted:missing.json', 'no missing.json'],
  ])('says what is wrong with %s without a request', async (spec, message) => {
    const result = await probe(spec);
    expect(result.status).toBe('misconfigured');
    expect(result.message).toContain(message);
  });

  it('reads a script', async () => {
    expect(await probe('scripted:demo.json#1')).toEqual({
      status: 'reachable',
      message: 'scripted:demo.json#1 has 1 steps to play.',
    });
  });
});
