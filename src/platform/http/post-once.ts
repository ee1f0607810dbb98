import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/index.ts';
import { guardedLookup, type ResolveHost, resolveHost } from './guarded-lookup.ts';
import { readRequest } from './http-request.ts';
import { HttpTimeoutError } from './http-timeout-error.ts';

/** Bytes of an answer that are read before the connection is cut: the status is all that counts. */
const MAX_ANSWER_BYTES = 65_536;

interface PostRequest {
  /** Of http or https. A user name in it becomes an `Authorization` header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface PostOptions {
  readonly clock: Clock;
  /** For the whole exchange, look-up included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** By default the resolver of the machine. */
  readonly resolve?: ResolveHost;
}

/**
 * Sends one POST on a connection of its own and gives back the status of the answer, a redirect's too, which is never followed.
 *
 * Host names are resolved once, and what is dialled is what was resolved and checked: link-local and metadata addresses are
 * refused unless the URL itself is written with one.
 *
 * Rejects with {@link HttpTimeoutError}, with the refusal of an address, the errors of the socket, or an `AbortError`; they name the
 * host and never the path, which may be a secret. `describeHttpError` makes a line of each.
 *
 * @throws TypeError when the address is no URL of http or https.
 */
export async function postOnce(
  { url: address, headers, body }: PostRequest,
  { clock, timeoutMs, signal, resolve = resolveHost }: PostOptions,
): Promise<number> {
  const { url, headers: sent } = await readRequest(address, { method: 'POST', headers: { ...headers } });
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  signal.throwIfAborted();
  return new Promise((fulfil, reject) => {
    let status: number | undefined;
    let failure: Error | undefined;
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...Object.fromEntries(sent), 'content-length': body.byteLength },
      agent: false,
      lookup: guardedLookup(resolve),
      signal,
    });
    const cancelTimer = clock.startTimer(timeoutMs, () =>
      outgoing.destroy(new HttpTimeoutError('answer', url.origin, timeoutMs)),
    );
    outgoing.on('response', (incoming) => {
      status = incoming.statusCode;
      discard(incoming);
    });
    outgoing.on('error', (error) => {
      failure = error;
    });
    outgoing.on('close', () => {
      cancelTimer();
      if (status === undefined) reject(failure ?? new Error('the connection was closed without an answer'));
      else fulfil(status);
    });
    outgoing.end(body);
  });
}

/** The status is known: whatever happens to the rest does not matter. */
function discard(incoming: IncomingMessage): void {
  let bytes = 0;
  incoming.on('error', () => undefined);
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) incoming.destroy();
  });
}
