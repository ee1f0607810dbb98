import { HttpRedirectError } from './http-redirect-error.ts';
import type { HttpRequest } from './http-request.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that never leave the host they were meant for, besides those whose name says so. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie']);
const CREDENTIAL_NAME = /key|token|secret|auth|credential|session/;

/**
 * The request that follows `response`, or undefined when that is no redirect.
 *
 * Another host is followed only by a request that carries no credentials and no body; from https to http never. A
 * request that would lose its method and body on the way (fetch turns POST into GET) is not followed either: an
 * answer to another request is worse than a clear error.
 *
 * @throws HttpRedirectError when the redirect is not followed.
 */
export function nextHop(request: HttpRequest, response: Response): HttpRequest | undefined {
  const location = response.headers.get('location');
  if (!REDIRECTS.has(response.status) || location === null) return undefined;
  const url = URL.parse(location, request.url.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new HttpRedirectError(request.url, location, 'it is no address of http or https');
  const refusal = reasonToRefuse(request, url, response.status);
  if (refusal !== undefined) throw new HttpRedirectError(request.url, url, refusal);
  return response.status === 303 && request.method !== 'HEAD'
    ? { ...request, url, method: 'GET', body: null, headers: withoutBodyHeaders(request.headers) }
    : { ...request, url };
}

function reasonToRefuse(request: HttpRequest, to: URL, status: number): string | undefined {
  if (request.url.protocol === 'https:' && to.protocol === 'http:') return 'it is not encrypted';
  if (!isSameHost(request.url, to)) {
    if (hasCredentials(request.headers)) return 'the request carries credentials for another host';
    if (hasBody(request)) return 'the request carries data for another host';
  }
  const losesBody =
    (status === 301 || status === 302) && request.method !== 'GET' && request.method !== 'HEAD';
  if (losesBody) return `a ${request.method} would become a GET; use the new address instead`;
  const isReplayed = status === 307 || status === 308;
  if (isReplayed && request.body instanceof ReadableStream) return 'its data cannot be sent twice';
  return undefined;
}

/** Same host and port, or the step from http to https on their usual ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.host === to.host) return from.protocol === to.protocol || to.protocol === 'https:';
  return false;
}

function hasBody({ body }: HttpRequest): boolean {
  return body !== null && body !== undefined;
}

function hasCredentials(headers: Headers): boolean {
  return [...headers.keys()].some((name) => CREDENTIALS.has(name) || CREDENTIAL_NAME.test(name));
}

function withoutBodyHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-type', 'content-length', 'content-encoding', 'content-language'])
    kept.delete(name);
  return kept;
}
