/** A request in the one form that can be sent more than once. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
  readonly signal: AbortSignal | undefined;
  /** What else the caller asked of fetch. */
  readonly rest: RequestInit;
}

/**
 * Reads the arguments of fetch. A user name and password in the address become an `Authorization` header, unless
 * there is one: fetch refuses such addresses.
 *
 * @throws TypeError when the address is no URL of http or https.
 */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<HttpRequest> {
  const { method, headers, body, signal, ...rest } = init;
  const request = input instanceof Request ? input : undefined;
  const url = parseUrl(input instanceof Request ? input.url : String(input));
  const sent = new Headers(headers ?? request?.headers);
  if (url.username !== '' || url.password !== '') {
    if (!sent.has('authorization')) sent.set('authorization', basicCredentials(url));
    url.username = '';
    url.password = '';
  }
  return {
    url,
    method: (method ?? request?.method ?? 'GET').toUpperCase(),
    headers: sent,
    body: body ?? (request?.body ? await request.arrayBuffer() : null),
    signal: signal ?? request?.signal,
    rest,
  };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new TypeError(`${JSON.stringify(text)} is no address of http or https`);
}

function basicCredentials(url: URL): string {
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}
