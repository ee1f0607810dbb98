import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock, systemClock } from '../clock/index.ts';
import { isForbiddenAddress } from './address-guard.ts';
import { describeHttpError, HttpTimeoutError, type PostOptions, postOnce } from './index.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function post(url: string, options: Partial<PostOptions> = {}): Promise<number> {
  const { signal } = new AbortController();
  return postOnce(
    { url, headers: { 'X-Mark': 'yes' }, body: Buffer.from('{"ü":1}') },
    { clock: systemClock, timeoutMs: 30_000, signal, ...options },
  );
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => expect.unreachable(`resolved with ${String(value)}`),
    (error: unknown) => error,
  );
}

describe('a single post', () => {
  it('sends exactly the bytes and headers it is given, and a user name as credentials', async () => {
    const received: [IncomingMessage['headers'], string][] = [];
    const port = await serve((request, response) => {
      void request.toArray().then((chunks) => {
        received.push([request.headers, Buffer.concat(chunks).toString('utf8')]);
        response.writeHead(202).end('thanks');
      });
    });
    expect(await post(`http://me:pw@127.0.0.1:${port}/x`)).toBe(202);
    expect(received).toEqual([
      [
        expect.objectContaining({ 'x-mark': 'yes', 'content-length': '8', authorization: 'Basic bWU6cHc=' }),
        '{"ü":1}',
      ],
    ]);
  });

  it('does not follow a redirect', async () => {
    const paths: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await post(`http://127.0.0.1:${port}/first`)).toBe(307);
    expect(paths).toEqual(['/first']);
  });

  it('knows the status of an answer that does not end, and cuts one that is too long', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200);
      const fill = (): void => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', fill);
      response.on('error', () => undefined);
      fill();
    });
    expect(await post(`http://127.0.0.1:${port}/`)).toBe(200);
  });

  it('ends at its time limit, and names the host without the path', async () => {
    const clock = new FakeClock();
    const arrived = Promise.withResolvers<undefined>();
    const port = await serve(() => arrived.resolve(undefined));
    const failure = failureOf(post(`http://127.0.0.1:${port}/secret-path`, { clock, timeoutMs: 5000 }));
    await arrived.promise;
    await clock.advance(5000);
    expect(await failure).toBeInstanceOf(HttpTimeoutError);
    expect(String(await failure)).toBe(
      `HttpTimeoutError: no answer from http://127.0.0.1:${port}/ within 5 s`,
    );
    expect(clock.pending).toBe(0);
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    const port = await serve(() => controller.abort());
    const failure = await failureOf(post(`http://127.0.0.1:${port}/`, { signal: controller.signal }));
    expect(describeHttpError(failure, 'http://h').code).toBe('aborted');
  });
});

describe('a host name', () => {
  it('is resolved once, and the address that was checked is the one that is dialled', async () => {
    const port = await serve((_, response) => response.end());
    const asked: string[] = [];
    const resolve: PostOptions['resolve'] = async (hostname) => {
      asked.push(hostname);
      return Promise.resolve([{ address: asked.length === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    expect(await post(`http://hooks.localhost:${port}/`, { resolve })).toBe(200);
    expect(asked).toEqual(['hooks.localhost']);
  });

  it.each([
    ['169.254.169.254', 4],
    ['fe80::1', 6],
    ['::ffff:169.254.169.254', 6],
    ['100.100.100.200', 4],
  ])('that leads to %s is refused, also beside a good address', async (address, family) => {
    const requests: unknown[] = [];
    const port = await serve((request) => requests.push(request.url));
    const resolve: PostOptions['resolve'] = async () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address, family },
      ]);
    const failure = await failureOf(post(`http://hooks.localhost:${port}/`, { resolve }));
    expect(describeHttpError(failure, 'http://hooks.localhost')).toEqual({
      code: 'forbidden',
      message: expect.stringContaining(`hooks.localhost leads to ${address}`),
    });
    expect(requests).toEqual([]);
  });

  it('without an address is not found', async () => {
    const resolve: PostOptions['resolve'] = async () => Promise.resolve([]);
    const failure = await failureOf(post('http://hooks.localhost/', { resolve }));
    expect(describeHttpError(failure, 'http://hooks.localhost').code).toBe('unresolved');
  });
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '::1',
    '10.0.0.5',
    '192.168.1.2',
    'fd12::1',
    '8.8.8.8',
    '2001:db8::1',
    '::ffff:10.0.0.1',
  ])('of one host may be dialled: %s', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });

  it.each([
    '169.254.0.1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '224.0.0.1',
    'ff02::1',
    '64:ff9b::a9fe:a9fe',
    '::ffff:169.254.1.1',
    'nonsense',
    '',
  ])('that is link-local, a metadata service, no single host or no address may not: %j', (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });
});
