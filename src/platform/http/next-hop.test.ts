import { describe, expect, it } from 'vitest';
import type { HttpRequest } from './http-request.ts';
import { nextHop } from './next-hop.ts';

const request = (url: string, parts: Partial<HttpRequest> = {}): HttpRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: new Headers(),
  body: null,
  signal: undefined,
  rest: {},
  ...parts,
});

const redirect = (location: string, status = 307): Response =>
  new Response(null, { status, headers: { location } });

describe('nextHop', () => {
  it.each([
    ['http://h/a', 'https://h/b'],
    ['https://h/a', 'https://h/b'],
    ['https://h/a', '/b'],
    ['https://h:8443/a', '//h:8443/b'],
  ])('carries credentials from %s to %s', (from, to) => {
    const headers = new Headers({ authorization: 'Bearer t' });
    expect(nextHop(request(from, { headers }), redirect(to))?.url.pathname).toBe('/b');
  });

  it.each([
    ['https://h/a', 'https://other/b', /credentials/],
    ['https://h/a', 'https://h:8443/b', /credentials/],
    ['https://h/a', 'https://h.evil/b', /credentials/],
    ['https://h/a', 'https://h@evil/b', /credentials/],
    ['http://h:80/a', 'https://h:444/b', /credentials/],
    ['https://h/a', 'http://h/b', /not encrypted/],
  ])('does not carry credentials from %s to %s', (from, to, message) => {
    const headers = new Headers({ authorization: 'Bearer t' });
    expect(() => nextHop(request(from, { headers }), redirect(to))).toThrow(message);
  });

  it('goes from https to http never, not even bare', () => {
    expect(() => nextHop(request('https://h/'), redirect('http://h/'))).toThrow(/not encrypted/);
  });

  it('does not send a stream twice', () => {
    const parts = { method: 'POST', body: new ReadableStream() };
    expect(() => nextHop(request('https://h/', parts), redirect('/b'))).toThrow(/cannot be sent twice/);
  });

  it('is none where nothing redirects', () => {
    expect(nextHop(request('https://h/'), new Response('', { headers: { location: '/b' } }))).toBeUndefined();
    expect(nextHop(request('https://h/'), new Response(null, { status: 304 }))).toBeUndefined();
    expect(nextHop(request('https://h/'), new Response(null, { status: 302 }))).toBeUndefined();
  });
});
