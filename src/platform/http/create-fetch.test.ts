import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/index.ts';
import { createFetch, describeHttpError, HttpTimeoutError } from './index.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${await listen(server)}`;
}

/** The address of a server that accepts connections and says nothing. */
async function mute(): Promise<string> {
  const server = createTcpServer((socket) => cleanups.push(() => socket.destroy()));
  cleanups.push(() => server.close());
  return listen(server);
}

/** An address where nothing listens. */
async function deserted(): Promise<string> {
  const server = createTcpServer();
  const address = await listen(server);
  server.close();
  await once(server, 'close');
  return address;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => expect.unreachable(`resolved with ${String(value)}`),
    (error: unknown) => error,
  );
}

describe('an answer', () => {
  it('arrives whole, with status, headers and address', async () => {
    const big = 'x'.repeat(300_000);
    const base = await serve((_, response) => {
      response.writeHead(201, { 'x-mark': 'yes' });
      response.end(big);
    });
    const response = await createFetch()(`${base}/path?q=1`);
    expect([response.status, response.headers.get('x-mark'), response.url]).toEqual([
      201,
      'yes',
      `${base}/path?q=1`,
    ]);
    expect(await response.text()).toBe(big);
  });

  it.each([204, 304])('may have no body: %d', async (status) => {
    const base = await serve((_, response) => response.writeHead(status).end());
    const response = await createFetch()(base);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('is asked for with the method, headers and body that were given', async () => {
    const base = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, headers } = request;
        response.end(
          JSON.stringify([method, headers['x-a'], headers.authorization, Buffer.concat(chunks).toString()]),
        );
      });
    });
    const withUser = base.replace('//', '//me:p%40ss@');
    const answer = async (input: string | Request, init?: RequestInit): Promise<unknown> =>
      (await createFetch()(input, init)).json();
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(await answer(withUser, { method: 'post', headers: { 'x-a': '1' }, body: 'é' })).toEqual([
      'POST',
      '1',
      basic,
      'é',
    ]);
    expect(await answer(withUser, { headers: { authorization: 'Bearer t' } })).toEqual([
      'GET',
      null,
      'Bearer t',
      '',
    ]);
    const request = new Request(base, { method: 'PUT', headers: { 'x-a': '2' }, body: 'data' });
    expect(await answer(request)).toEqual(['PUT', '2', null, 'data']);
  });

  it.each(['ftp://127.0.0.1/', 'not an address', 'file:///etc/passwd'])(
    'is not asked for at %s',
    async (address) => {
      await expect(createFetch()(address)).rejects.toThrow(/no address of http or https/);
    },
  );
});

describe('a server that hangs', () => {
  it('ends with a timeout when it accepts and never answers', async () => {
    const clock = new FakeClock();
    const address = await mute();
    const failure = failureOf(createFetch({ clock, firstByteMs: 60_000 })(`http://${address}/v1?key=secret`));
    await clock.whenPending(1);
    await clock.advance(60_000);
    const error = await failure;
    expect(HttpTimeoutError.isInstance(error)).toBe(true);
    expect(describeHttpError(error, 'http://x/')).toEqual({
      code: 'timeout',
      message: `no answer from http://${address}/v1 within 60 s`,
    });
    expect(clock.pending).toBe(0);
  });

  it('ends with a timeout when it never finishes the TLS handshake', async () => {
    const address = await mute();
    const error = await failureOf(createFetch({ firstByteMs: 50 })(`https://${address}/`));
    expect(describeHttpError(error, '').code).toBe('timeout');
  });

  it('ends with a timeout when its body stalls, and what came before it is kept', async () => {
    const clock = new FakeClock();
    const base = await serve((_, response) => response.write('first'));
    const response = await createFetch({ clock, idleMs: 120_000 })(base);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('first');
    const failure = failureOf(reader?.read() ?? Promise.resolve());
    await clock.whenPending(1);
    await clock.advance(120_000);
    const error = await failure;
    expect(describeHttpError(error, base)).toEqual({
      code: 'timeout',
      message: `the answer of ${base}/ stopped coming: nothing for 120 s`,
    });
  });

  it('may be slow as long as it says something now and then', async () => {
    const clock = new FakeClock();
    let next: () => void = () => undefined;
    const base = await serve((_, response) => {
      let count = 0;
      next = () => {
        count += 1;
        response.write(String(count));
        if (count === 5) response.end();
      };
      next();
    });
    const response = await createFetch({ clock, idleMs: 1000 })(base);
    const reader = response.body?.getReader();
    let text = '';
    for (;;) {
      const read = reader?.read();
      if (text !== '') {
        await clock.whenPending(1);
        await clock.advance(999);
        next();
      }
      const result = await read;
      if (result === undefined || result.done) break;
      text += Buffer.from(result.value).toString();
    }
    expect(text).toBe('12345');
    expect(clock.pending).toBe(0);
  });

  it('is not given up for time in which nobody reads', async () => {
    const clock = new FakeClock();
    let finish: () => void = () => undefined;
    const base = await serve((_, response) => {
      response.flushHeaders();
      finish = () => response.end('later');
    });
    const response = await createFetch({ clock, idleMs: 1000 })(base);
    await clock.advance(10_000);
    finish();
    expect(await response.text()).toBe('later');
  });
});

describe('cancelling', () => {
  it('rejects with the reason, before the answer and amid its body', async () => {
    const base = await serve((request, response) => {
      if (request.url === '/body') response.write('first');
    });
    for (const path of ['/head', '/body']) {
      const controller = new AbortController();
      const reason = new Error('the person pressed Ctrl-C');
      const reading = createFetch()(base + path, { signal: controller.signal }).then(async (response) => {
        const reader = response.body?.getReader();
        await reader?.read();
        const rest = reader?.read();
        controller.abort(reason);
        return rest;
      });
      if (path === '/head') controller.abort(reason);
      expect(await failureOf(reading)).toBe(reason);
    }
  });

  it('of a body hangs up on the server', async () => {
    const closed = Promise.withResolvers<void>();
    const base = await serve((_, response) => {
      response.on('close', closed.resolve);
      response.write('first');
    });
    const response = await createFetch()(base);
    await response.body?.cancel();
    await closed.promise;
  });
});

describe('a redirect', () => {
  const record = async (
    status: number,
    location: (self: string) => string,
  ): Promise<readonly [string, string[]]> => {
    const seen: string[] = [];
    const self: string = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        seen.push([method, url, headers.authorization ?? '-', Buffer.concat(chunks).toString()].join(' '));
        if (url === '/start') response.writeHead(status, { location: location(self) }).end('moved');
        else response.end('here');
      });
    });
    return [self, seen];
  };

  it('within the host is followed with everything', async () => {
    const [base, seen] = await record(307, () => '/end');
    const response = await createFetch()(`${base}/start`, {
      method: 'POST',
      headers: { authorization: 'Bearer t' },
      body: 'data',
    });
    expect(await response.text()).toBe('here');
    expect(response.url).toBe(`${base}/end`);
    expect(seen).toEqual(['POST /start Bearer t data', 'POST /end Bearer t data']);
  });

  it('of 303 becomes a GET without a body', async () => {
    const [base, seen] = await record(303, () => '/end');
    await createFetch()(`${base}/start`, { method: 'POST', body: 'data' });
    expect(seen.at(-1)).toBe('GET /end - ');
  });

  it('to another host is followed without credentials and data only', async () => {
    const [other, seen] = await record(200, () => '');
    const [base] = await record(302, () => `${other}/end`);
    expect(await (await createFetch()(`${base}/start`)).text()).toBe('here');
    expect(seen).toEqual(['GET /end - ']);
    for (const headers of [
      { authorization: 'Bearer t' },
      { 'x-api-key': 'k' },
      { 'X-Goog-Api-Key': 'k' },
      { cookie: 'a=b' },
    ])
      await expect(createFetch()(`${base}/start`, { headers })).rejects.toThrow(
        /carries credentials for another host/,
      );
    const [posting] = await record(307, () => `${other}/end`);
    await expect(createFetch()(`${posting}/start`, { method: 'POST', body: 'x' })).rejects.toThrow(
      /carries data/,
    );
    expect(seen).toHaveLength(1);
  });

  it('that would turn a POST into a GET is an error naming the new address', async () => {
    const [base, seen] = await record(301, () => '/end');
    const error = await failureOf(createFetch()(`${base}/start`, { method: 'POST', body: 'x' }));
    expect(describeHttpError(error, base)).toEqual({
      code: 'other',
      message: `${base}/start redirects to ${base}/end, which is not followed: a POST would become a GET; use the new address instead`,
    });
    expect(seen).toHaveLength(1);
  });

  it('in a circle ends', async () => {
    const [base, seen] = await record(302, () => '/start');
    await expect(createFetch({ maxRedirects: 3 })(`${base}/start`)).rejects.toThrow(/the 4th in a row/);
    expect(seen).toHaveLength(4);
  });

  it('to something else than http is an error', async () => {
    const [base] = await record(302, () => 'file:///etc/passwd');
    await expect(createFetch()(`${base}/start`)).rejects.toThrow(/no address of http/);
  });

  it('is handed back when asked for', async () => {
    const [base] = await record(302, () => '/end');
    const response = await createFetch()(`${base}/start`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/end']);
  });
});

describe('describeHttpError, of real failures', () => {
  it('says that nothing listens', async () => {
    const address = `http://${await deserted()}`;
    const error = await failureOf(createFetch()(`${address}/v1?key=secret`));
    expect(describeHttpError(error, `${address}/v1?key=secret`)).toEqual({
      code: 'refused',
      message: `cannot connect to ${address}/v1: connection refused (ECONNREFUSED)`,
    });
  });

  it('says that the connection was cut, before and amid the answer', async () => {
    const base = await serve((request, response) => {
      if (request.url === '/body') response.write('first', () => response.destroy());
      else response.destroy();
    });
    for (const path of ['/head', '/body']) {
      const error = await failureOf(createFetch()(base + path).then((response) => response.text()));
      expect(describeHttpError(error, base + path)).toMatchObject({
        code: 'reset',
        message: expect.stringContaining(`the connection to ${base}${path} was cut`) as string,
      });
    }
  });

  it('says that a server speaks no TLS', async () => {
    const base = (await serve((_, response) => response.end())).replace('http:', 'https:');
    expect(describeHttpError(await failureOf(createFetch()(base)), base).code).toBe('tls');
  });

  it('says that a status is none', async () => {
    const server = createTcpServer((socket) => socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'));
    cleanups.push(() => server.close());
    const base = `http://${await listen(server)}`;
    expect(describeHttpError(await failureOf(createFetch()(base)), base)).toEqual({
      code: 'other',
      message: `the request to ${base}/ failed: ${base}/ answered with the status 999, which HTTP does not have`,
    });
  });
});
